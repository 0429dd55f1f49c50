//! Text of requests: of limited length, and without NUL, which the database cannot store.

/// Error text for a missing or blank text.
pub const MISSING: &str = "is required";

/// Maximum number of characters of a text.
pub const MAX_CHARS: usize = 1_000;

/// Checks length and characters of a text. A `str` cannot contain a lone surrogate.
///
/// # Errors
///
/// The requirement that the text violates.
pub fn check(text: &str) -> Result<(), &'static str> {
    check_nul(text)?;
    // Most texts are short in bytes and need no counting.
    if text.len() > MAX_CHARS && text.chars().nth(MAX_CHARS).is_some() {
        return Err("must be at most 1,000 characters");
    }
    Ok(())
}

/// Checks a text as a name: names must fit on one line, in lists, files and terminals.
///
/// # Errors
///
/// The requirement that the text violates.
pub fn check_name(text: &str) -> Result<(), &'static str> {
    check(text)?;
    // Unicode does not classify line and paragraph separators as control characters.
    let breaks = |it: char| it.is_control() || matches!(it, '\u{2028}' | '\u{2029}');
    if text.contains(breaks) {
        Err("must not contain line breaks or other control characters")
    } else {
        Ok(())
    }
}

/// Checks a text that must not be blank.
fn check_said(text: &str) -> Result<(), &'static str> {
    check(text)?;
    if text.trim().is_empty() { Err(MISSING) } else { Ok(()) }
}

fn check_said_name(text: &str) -> Result<(), &'static str> {
    check_name(text)?;
    if text.trim().is_empty() { Err(MISSING) } else { Ok(()) }
}

/// Parses a number that consists of digits only.
#[must_use]
pub fn digits(text: &str) -> Option<u64> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits.then(|| text.parse().ok()).flatten()
}

fn check_nul(text: &str) -> Result<(), &'static str> {
    if text.contains('\0') { Err("must not contain NUL") } else { Ok(()) }
}

/// A text of at most 1,000 characters without a NUL.
#[derive(Clone, PartialEq, Eq)]
pub struct Text(String);

/// A name: a text of at most 1,000 characters on one line, without control characters.
#[derive(Clone, PartialEq, Eq)]
pub struct Name(String);

/// A text that is not blank.
#[derive(Clone, PartialEq, Eq)]
pub struct SaidText(String);

/// A name that is not blank.
#[derive(Clone, PartialEq, Eq)]
pub struct SaidName(String);

/// A text of any length without a NUL: an image in base64. The limit of the body bounds its size.
#[derive(Clone, PartialEq, Eq)]
pub struct LongText(String);

macro_rules! texts {
    ($($name:ident checked by $check:path),*) => {$(
        impl $name {
            /// Returns the text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        /// Hides the text: texts of users must not appear in logs.
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!(stringify!($name), "({} bytes)"), self.0.len())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Checked;
                impl ::serde::de::Visitor<'_> for Checked {
                    type Value = $name;
                    fn expecting(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                        f.write_str("a string")
                    }
                    fn visit_str<E: ::serde::de::Error>(self, text: &str) -> Result<$name, E> {
                        $check(text).map_err(E::custom)?;
                        Ok($name(text.to_owned()))
                    }
                    fn visit_string<E: ::serde::de::Error>(self, text: String) -> Result<$name, E> {
                        $check(&text).map_err(E::custom)?;
                        Ok($name(text))
                    }
                }
                deserializer.deserialize_string(Checked)
            }
        }
    )*};
}

pub(super) use texts;

texts!(
    Text checked by check,
    Name checked by check_name,
    SaidText checked by check_said,
    SaidName checked by check_said_name,
    LongText checked by check_nul
);

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Option<String>, String> {
        let text: Result<Option<Text>, _> = serde_json::from_str(json);
        text.map(|text| text.map(String::from)).map_err(|error| error.to_string())
    }

    #[test]
    fn text_has_bounds() {
        let quoted = |text: &str| format!("\"{text}\"");
        assert_eq!(read("null"), Ok(None));
        assert_eq!(read(r#""""#), Ok(Some(String::new())));
        assert_eq!(read(r#""\ud83d\ude00""#), Ok(Some("😀".to_owned())));
        assert!(read(&quoted(&"é".repeat(1_000))).is_ok());
        assert!(
            read(&quoted(&"é".repeat(1_001))).unwrap_err().starts_with("must be at most 1,000 characters")
        );
        assert!(read(r#""a\u0000b""#).unwrap_err().starts_with("must not contain NUL"));
        assert!(read(r#""\ud800""#).is_err());
        assert!(read("5").unwrap_err().contains("expected a string"));
    }

    #[test]
    fn name_has_one_line() {
        let read =
            |text: &str| serde_json::from_value::<Name>(text.into()).map_err(|error| error.to_string());
        for name in ["Ada Lovelace", "Đặng Thị Ngọc", "O\u{2019}Neil \u{200d}", " ", "", "😀"] {
            assert_eq!(read(name).map(String::from), Ok(name.to_owned()));
        }
        for name in ["a\nb", "a\r\nb", "a\tb", "\u{1b}[2J", "a\u{7f}", "a\u{85}", "a\u{2028}b", "a\u{2029}"] {
            assert!(read(name).unwrap_err().starts_with("must not contain line breaks"), "{name:?}");
        }
        assert!(read("a\0").unwrap_err().starts_with("must not contain NUL"));
        assert!(read(&"é".repeat(1_001)).unwrap_err().starts_with("must be at most 1,000 characters"));
    }

    #[test]
    fn blank_texts_are_missing() {
        let text = |text: &str| serde_json::from_value::<SaidText>(text.into()).is_ok();
        let name = |text: &str| serde_json::from_value::<SaidName>(text.into()).is_ok();
        assert!(text("x") && text(" x\n") && name("Ada") && !name("A\nB"));
        for blank in ["", " ", "\u{a0}\u{3000}"] {
            assert!(!text(blank) && !name(blank), "{blank:?}");
        }
        assert!(!text("\n") && !text("x\0"));
    }

    #[test]
    fn long_text_refuses_only_nul() {
        let read = |json: &str| serde_json::from_str::<LongText>(json);
        assert!(read(&format!("\"{}\"", "a".repeat(100_000))).is_ok());
        assert!(read(r#""\u0000""#).is_err());
    }

    #[test]
    fn debug_output_hides_the_text() {
        assert_eq!(format!("{:?}", Text("secret".to_owned())), "Text(6 bytes)");
    }
}
