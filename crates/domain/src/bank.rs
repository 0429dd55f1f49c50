//! Banks that keep the money of the ledger.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text;

/// Maximum length of a bank's name in characters. The name must fit into the random part of an id.
const MAX_CHARS: usize = 10;

/// A bank that keeps a platform's money, identified by its short name: 1 to 10 of `a`–`z`, `0`–`9` and `-`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bank([u8; MAX_CHARS]);

impl Bank {
    /// The simulated bank of sandbox platforms.
    pub const SANDBOX: Self = Self(*b"sandbox\0\0\0");

    /// The bank of a deployment that configures no name.
    pub const MAIN: Self = Self(*b"main\0\0\0\0\0\0");

    /// The bank with this name; `None` if the name is invalid.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let is_fine = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
        if name.is_empty() || name.len() > MAX_CHARS || !name.bytes().all(is_fine) {
            return None;
        }
        let mut letters = [0; MAX_CHARS];
        letters.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
        Some(Self(letters))
    }

    /// The short name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let end = self.0.iter().position(|letter| *letter == 0).unwrap_or(MAX_CHARS);
        std::str::from_utf8(&self.0[..end]).unwrap_or_default()
    }

    /// The name's letters as the low 80 bits of a number; never zero.
    pub(crate) fn bits(self) -> u128 {
        self.0.iter().fold(0, |bits, letter| bits << 8 | u128::from(*letter))
    }
}

impl fmt::Display for Bank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Bank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bank({self})")
    }
}

impl Serialize for Bank {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Bank {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::deserialize(deserializer, |name| Self::parse(name).ok_or("not the short name of a bank"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bank_name_reads_back() {
        for name in ["sandbox", "a", "first-bank"] {
            assert_eq!(Bank::parse(name).map(|bank| bank.to_string()).as_deref(), Some(name));
        }
        assert_eq!(Bank::parse("sandbox"), Some(Bank::SANDBOX));
    }

    #[test]
    fn invalid_name_is_no_bank() {
        for name in ["", "Sandbox", "a.b", "a b", "eleven-char", "\0"] {
            assert_eq!(Bank::parse(name), None, "{name:?}");
        }
    }
}
