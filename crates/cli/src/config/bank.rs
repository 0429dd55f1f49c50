//! The bank of a deployment: where its files go, and as whom the bank knows us.

use std::path::PathBuf;

use clap::Args;

use super::CutOffTime;

/// The bank that keeps the money of platforms that are not sandboxes. Without a folder files are cut and wait.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Bank")]
pub struct Bank {
    /// Folder that files for the bank are written to, below `out`.
    #[arg(long, env = "DAYBOOK_BANK_FOLDER", requires_all = ["bank_name", "bank_routing_num", "company_id", "bank_account_num"])]
    pub bank_folder: Option<PathBuf>,
    /// Name of the bank.
    #[arg(long, env = "DAYBOOK_BANK_NAME")]
    pub bank_name: Option<String>,
    /// Routing number of the bank: nine digits.
    #[arg(long, env = "DAYBOOK_BANK_ROUTING_NUM")]
    pub bank_routing_num: Option<String>,
    /// Id under which the bank knows the company: up to ten characters.
    #[arg(long, env = "DAYBOOK_COMPANY_ID")]
    pub company_id: Option<String>,
    /// Number of the account at the bank.
    #[arg(long, env = "DAYBOOK_BANK_ACCOUNT_NUM")]
    pub bank_account_num: Option<String>,
    /// When ACH files are cut on banking days, such as `15:00 America/New_York`; several with commas between them. A time
    /// without a time zone is one of UTC. The bank's days are those of the first one's time zone.
    #[arg(long, env = "DAYBOOK_CUT_OFF", default_value = "20:00", value_delimiter = ',')]
    pub cut_off: Vec<CutOffTime>,
}
