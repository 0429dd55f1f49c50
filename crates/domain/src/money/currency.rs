//! Currencies of ISO 4217, with their minor units.

use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text::{self, data_lines};

const ISO_4217: &str = include_str!("iso_4217.txt");

/// Code and decimals of each currency that has a minor unit, in the order of the codes.
static COUNTABLE: LazyLock<Vec<([u8; 3], u32)>> = LazyLock::new(|| {
    let row =
        |(code, decimals): (&str, &str)| Some((code.as_bytes().try_into().ok()?, decimals.parse().ok()?));
    rows().filter_map(row).collect()
});

/// Codes without a minor unit.
static UNCOUNTABLE: LazyLock<Vec<&str>> =
    LazyLock::new(|| rows().filter(|(_, decimals)| *decimals == "-").map(|(code, _)| code).collect());

/// Code and decimals of each line; the decimals may be `-`.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    data_lines(ISO_4217).filter_map(|line| {
        let mut parts = line.splitn(3, ' ');
        Some((parts.next()?, parts.next()?))
    })
}

fn decimals_of(code: [u8; 3]) -> Option<u32> {
    let at = COUNTABLE.binary_search_by_key(&code, |(code, _)| *code).ok()?;
    COUNTABLE.get(at).map(|(_, decimals)| *decimals)
}

/// A currency by its three letters: one of `iso_4217.txt` that has a minor unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

impl Currency {
    /// The US dollar.
    pub const USD: Self = Self(*b"USD");

    /// The currency with this code, if it is a current one with a minor unit; capital letters only.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        if code == "USD" {
            return Some(Self::USD);
        }
        let letters = code.as_bytes().try_into().ok()?;
        decimals_of(letters)?;
        Some(Self(letters))
    }

    /// Every currency, in the order of the codes.
    pub fn all() -> impl Iterator<Item = Self> {
        COUNTABLE.iter().map(|(code, _)| Self(*code))
    }

    /// Returns true if ISO 4217 lists the code without a minor unit, such as gold. Amounts of it cannot be counted.
    #[must_use]
    pub fn is_uncountable(code: &str) -> bool {
        UNCOUNTABLE.contains(&code)
    }

    /// Maximum number of decimals of an amount.
    #[must_use]
    pub fn decimals(self) -> u32 {
        // Every currency that was parsed is in the list.
        if self == Self::USD { 2 } else { decimals_of(self.0).unwrap_or(2) }
    }

    pub(crate) const fn letters(self) -> [u8; 3] {
        self.0
    }

    /// The three letters.
    #[must_use]
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Currency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::deserialize(deserializer, |code| Self::parse(code).ok_or("not an ISO 4217 code"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_is_complete_and_sorted() {
        assert!(COUNTABLE.is_sorted_by(|one, next| one.0 < next.0));
        let lines = data_lines(ISO_4217).count();
        assert_eq!((COUNTABLE.len(), UNCOUNTABLE.len()), (lines - 13, 13));
        for (code, decimals) in COUNTABLE.iter() {
            let code = std::str::from_utf8(code).expect("letters");
            let currency = Currency::parse(code).expect("it is listed");
            assert_eq!((currency.code(), currency.decimals()), (code, *decimals));
            assert!(code.bytes().all(|byte| byte.is_ascii_uppercase()) && *decimals <= 4);
        }
    }

    #[test]
    fn currency_has_its_decimals() {
        let decimals = |code| Currency::parse(code).map(Currency::decimals);
        for (code, expected) in [
            ("USD", Some(2)),
            ("EUR", Some(2)),
            ("JPY", Some(0)),
            ("KWD", Some(3)),
            ("CLF", Some(4)),
            ("UYI", Some(0)),
            ("XCG", Some(2)),
            ("XAU", None),
            ("XXX", None),
            ("HRK", None),
            ("usd", None),
            ("EURO", None),
            ("", None),
        ] {
            assert_eq!(decimals(code), expected, "{code}");
        }
        assert!(Currency::is_uncountable("XAU") && !Currency::is_uncountable("HRK"));
    }
}
