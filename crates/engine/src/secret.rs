//! Secrets of others: what a person tells a bank and nobody else.

use std::fmt;

use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

/// A text that is in memory only: it cannot be printed, written as JSON or copied, and is wiped when it is dropped.
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a text that nobody else keeps.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The text, for the one whom it is meant for.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_and_not_printed() {
        let secret: Secret = serde_json::from_str(r#""test\u0031234""#).expect("a text");
        assert_eq!(secret.expose(), "test1234");
        assert_eq!(format!("{secret:?} {:#?}", Some(&secret)), "Secret Some(\n    Secret,\n)");
    }
}
