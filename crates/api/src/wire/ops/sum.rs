//! Sums over a whole ledger: wider than any amount, written with all decimals of the currency.

use std::fmt;

use daybook_domain::Currency;
use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A sum in minor units of a currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum(pub i128, pub Currency);

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(minor, currency) = *self;
        let decimals = usize::try_from(currency.decimals()).unwrap_or_default();
        let sign = if minor < 0 { "-" } else { "" };
        let digits = format!("{:0>width$}", minor.unsigned_abs(), width = decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - decimals);
        let point = if decimals == 0 { "" } else { "." };
        write!(f, "{sign}{whole}{point}{fraction}")
    }
}

impl Serialize for Sum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.to_string()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sum_has_currency_decimals_and_any_size() {
        let currency = |code| Currency::parse(code).expect("ISO 4217");
        let table = [
            (0, "USD", "0.00"),
            (5, "USD", "0.05"),
            (-5, "USD", "-0.05"),
            (123_456, "USD", "1234.56"),
            (-7, "JPY", "-7"),
            (1, "KWD", "0.001"),
            (i128::MIN, "USD", "-1701411834604692317316873037158841057.28"),
        ];
        for (minor, code, text) in table {
            assert_eq!(Sum(minor, currency(code)).to_string(), text);
            assert_eq!(serde_json::to_string(&Sum(minor, currency(code))).expect("a number"), text);
        }
    }
}
