//! Options of the bank: the folder for its files, and the identification of the company.

use std::path::PathBuf;

use clap::Args;

use super::CutOffTime;

/// Bank that keeps the money of platforms that are not sandboxes. Without a folder, files are cut and wait.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Bank")]
pub struct Bank {
    /// Folder for the bank; files are written to its subfolder `out`, and files of the bank are taken from `in`.
    #[arg(long, env = "DAYBOOK_BANK_FOLDER", requires_all = ["bank_name", "bank_routing_num", "company_id", "bank_account_num"])]
    pub bank_folder: Option<PathBuf>,
    /// Name of the bank.
    #[arg(long, env = "DAYBOOK_BANK_NAME")]
    pub bank_name: Option<String>,
    /// Routing number of the bank: nine digits.
    #[arg(long, env = "DAYBOOK_BANK_ROUTING_NUM")]
    pub bank_routing_num: Option<String>,
    /// Id by which the bank knows the company: up to ten characters.
    #[arg(long, env = "DAYBOOK_COMPANY_ID")]
    pub company_id: Option<String>,
    /// Number of the company's account at the bank.
    #[arg(long, env = "DAYBOOK_BANK_ACCOUNT_NUM")]
    pub bank_account_num: Option<String>,
    /// Times at which ACH files are cut on banking days, such as `15:00 America/New_York`; separated by commas. A time
    /// without a time zone is in UTC. The time zone of the first one determines the bank's dates.
    #[arg(long, env = "DAYBOOK_CUT_OFF", default_value = "20:00", value_delimiter = ',')]
    pub cut_off: Vec<CutOffTime>,
}
