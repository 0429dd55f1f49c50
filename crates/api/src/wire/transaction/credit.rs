//! The body that simulates money from outside.

use daybook_domain::Money;
use serde::Deserialize;

use super::create::note;
use crate::ApiError;
use crate::wire::amount::AmountIn;
use crate::wire::text::Text;

/// The body.
#[derive(Clone, Debug, Deserialize)]
pub struct Credit {
    amount: AmountIn,
    note: Option<Text>,
}

/// Money from outside, well formed.
#[derive(Clone)]
pub struct NewCredit {
    /// What comes.
    pub amount: Money,
    /// To be sealed with class profile.
    pub note: Option<String>,
}

impl Credit {
    /// Checks that everything is there and within its range.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field.
    pub fn parse(self) -> Result<NewCredit, ApiError> {
        Ok(NewCredit { amount: self.amount.parse()?, note: note("note", self.note)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<(i64, Option<String>), ApiError> {
        let credit = serde_json::from_str::<Credit>(json).unwrap().parse()?;
        Ok((credit.amount.minor, credit.note))
    }

    #[test]
    fn a_credit_is_an_amount_and_perhaps_a_note() {
        let bare = r#"{"amount": {"amount": 100.00, "currency": "USD"}}"#;
        assert_eq!(parse(bare).ok(), Some((10_000, None)));
        let noted = r#"{"amount": {"amount": 0.29, "currency": "USD"}, "note": "Pay day"}"#;
        assert_eq!(parse(noted).ok(), Some((29, Some("Pay day".to_owned()))));
        let too_long = bare.replace("}}", &format!(r#"}}, "note": "{}"}}"#, "a".repeat(81)));
        assert_eq!(parse(&too_long).err(), Some(ApiError::invalid("note", "must be at most 80 characters")));
    }
}
