//! The bank of a deployment: where its files go, and as whom the bank knows us.

use std::path::PathBuf;

use clap::Args;

/// The bank that keeps the money of platforms that are not sandboxes. Without a folder files are cut and wait.
#[derive(Clone, Debug, Default, Args)]
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
    /// When ACH files are cut on banking days: HH:MM, UTC.
    #[arg(long, env = "DAYBOOK_CUT_OFF", default_value = "20:00", value_parser = parse_cut_off)]
    pub cut_off: CutOff,
}

/// A time of the day, in milliseconds since midnight UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CutOff(pub i64);

fn parse_cut_off(text: &str) -> Result<CutOff, String> {
    let part = |text: &str, below: i64| {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number: &i64| is_number && *number < below)
    };
    let parts = text.split_once(':').and_then(|(hour, minute)| Some((part(hour, 24)?, part(minute, 60)?)));
    let (hour, minute) = parts.ok_or_else(|| "a time of the day is expected: 20:00".to_owned())?;
    Ok(CutOff((hour * 60 + minute) * 60_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_off_is_a_time_of_the_day() {
        assert_eq!(parse_cut_off("00:00"), Ok(CutOff(0)));
        assert_eq!(parse_cut_off("23:59"), Ok(CutOff(86_340_000)));
        for text in ["", "8:00", "24:00", "20:60", "20:00:00", "+8:00", "2000"] {
            assert!(parse_cut_off(text).is_err(), "{text}");
        }
    }
}
