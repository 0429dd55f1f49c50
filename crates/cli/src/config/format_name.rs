//! Format of a file with statements, as the command line names it.

use std::path::PathBuf;
use std::str::FromStr;

/// Format of a file with statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatName {
    /// The format is recognized by the beginning of the file.
    Auto,
    /// BAI2.
    Bai2,
    /// CAMT.052, CAMT.053 or CAMT.054.
    Camt,
    /// MT940 or MT942.
    Mt940,
    /// Daybook's own CSV.
    Own,
    /// CSV of a bank, by the mapping in this file.
    Csv(PathBuf),
}

impl FromStr for FormatName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "auto" => Ok(Self::Auto),
            None if text == "bai2" => Ok(Self::Bai2),
            None if text == "camt" => Ok(Self::Camt),
            None if text == "mt940" => Ok(Self::Mt940),
            None if text == "csv" => Ok(Self::Own),
            Some(("csv", mapping)) if !mapping.is_empty() => Ok(Self::Csv(mapping.into())),
            _ => Err("expected is auto, bai2, camt, mt940, csv or csv:MAPPING".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_parsed_by_name() {
        assert_eq!("bai2".parse(), Ok(FormatName::Bai2));
        assert_eq!("csv:bank.toml".parse(), Ok(FormatName::Csv("bank.toml".into())));
        for wrong in ["", "BAI2", "csv:", "bai2:x", "pdf"] {
            assert!(wrong.parse::<FormatName>().is_err(), "{wrong}");
        }
    }
}
