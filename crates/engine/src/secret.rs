//! Secrets of users, such as bank passwords, which are only forwarded.

use std::fmt;

use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

/// A text that is held in memory only. It cannot be printed, serialized or cloned, and is wiped when it is dropped.
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Wraps a text. The caller must keep no copy.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// Returns the text, for its recipient only.
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
    fn secret_deserializes_but_never_prints() {
        let secret: Secret = serde_json::from_str(r#""test\u0031234""#).expect("a text");
        assert_eq!(secret.expose(), "test1234");
        assert_eq!(format!("{secret:?} {:#?}", Some(&secret)), "Secret Some(\n    Secret,\n)");
    }
}
