//! Texts and numbers with a fixed form. Each rule is written once: requests are checked by the same pattern and bounds
//! that the API description shows.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::sync::LazyLock;

use regex::Regex;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AnyOfBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use super::text::texts;

/// Check of a text against a pattern and a maximum number of characters.
struct Form {
    pattern: LazyLock<Regex>,
    max_chars: usize,
    must: &'static str,
}

impl Form {
    fn check(&self, text: &str) -> Result<(), &'static str> {
        if text.chars().nth(self.max_chars).is_none() && self.pattern.is_match(text) {
            Ok(())
        } else {
            Err(self.must)
        }
    }
}

#[expect(clippy::expect_used, reason = "a constant of this file, each of which a test reads")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern")
}

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident: $pattern:expr, $max_chars:expr, $must:literal, $example:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq)]
        pub struct $name(String);

        impl $name {
            fn check(text: &str) -> Result<(), &'static str> {
                static FORM: Form = Form {
                    pattern: LazyLock::new(|| compiled($pattern)),
                    max_chars: $max_chars,
                    must: $must,
                };
                FORM.check(text)
            }
        }

        texts!($name checked by $name::check);

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let text = ObjectBuilder::new().schema_type(Type::String);
                let text = text.max_length(Some($max_chars)).pattern(Some($pattern));
                text.examples([$example]).into()
            }
        }

        impl ToSchema for $name {}
    )*};
}

/// Characters that no name may contain: line breaks and control characters of terminals.
macro_rules! control {
    () => {
        r"\u0000-\u001f\u007f-\u009f\u2028\u2029"
    };
}

/// Blank characters.
macro_rules! blank {
    () => {
        r"\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
    };
}

forms! {
    /// E-mail address, as far as a pattern can check it.
    Email: concat!("^[^@", control!(), blank!(), "]+@[^@", control!(), blank!(), "]+$"), 254,
        "must be an e-mail address of at most 254 characters", "ada@example.com";
    /// Phone number in any common spelling.
    Phone: r"^[-+(). /x#0-9]*[0-9][-+(). /x#0-9]*$", 50,
        "must be a phone number: digits, and + ( ) . - / x # and blanks between them, at most 50 characters",
        "901.111.1111";
    /// Country code of two letters.
    CountryCode: "^[A-Za-z]{2}$", 2, "must be two letters", "US";
    /// Name of a document type, such as SSN or `GOVT_ID`. It is stored unencrypted, so the pattern leaves no room for
    /// personal data.
    DocumentType: "^[A-Z0-9_]{1,64}$", 64, "must be the name of a document type: 1 to 64 capitals, digits and _", "SSN";
    /// Routing number of a US bank.
    RoutingNumber: "^[0-9]{9}$", 9, "must be 9 digits", "021000021";
    /// Routing number of a US bank, or an empty text.
    OptionalRoutingNumber: "^( *|[0-9]{9})$", 1_000, "must be 9 digits", "021000021";
    /// Account number at a US bank.
    AccountUs: "^[0-9A-Za-z][0-9A-Za-z-]{2,15}[0-9A-Za-z]$", 17, "must be 4 to 17 letters, digits and hyphens, without a hyphen at either end", "1232225674134";
    /// Account number at a foreign bank. Blanks may group its characters.
    AccountAbroad: "^ *([A-Za-z0-9] *){1,34}$", 1_000, "must be 1 to 34 letters and digits", "DE89370400440532013000";
    /// SWIFT code of a bank: bank, country, place and optional branch. Blanks may group its characters.
    Swift: "^ *([A-Za-z0-9] *){4}([A-Za-z] *){2}([A-Za-z0-9] *){2}(([A-Za-z0-9] *){3})?$", 1_000,
        "must be a SWIFT code of 8 or 11 characters", "DEUTDEFF";
    /// SWIFT code of a bank, or an empty text.
    OptionalSwift: "^ *(([A-Za-z0-9] *){4}([A-Za-z] *){2}([A-Za-z0-9] *){2}(([A-Za-z0-9] *){3})?)?$", 1_000,
        "must be a SWIFT code of 8 or 11 characters", "DEUTDEFF";
    /// Clearing code of a foreign bank, or an empty text.
    ClearingCode: "^( *|[- ]*[A-Za-z0-9][-A-Za-z0-9 ]*)$", 34, "must be at most 34 letters and digits", "026009593";
}

/// IP address of a device, version 4 or 6.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ip(String);

impl From<Ip> for String {
    fn from(address: Ip) -> Self {
        address.0
    }
}

impl<'de> Deserialize<'de> for Ip {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::from(super::text::Text::deserialize(deserializer)?);
        match text.parse::<IpAddr>() {
            Ok(_) => Ok(Self(text)),
            Err(_) => Err(D::Error::custom("must be an IP address of version 4 or 6")),
        }
    }
}

impl PartialSchema for Ip {
    fn schema() -> RefOr<Schema> {
        let of = |format| {
            let text = ObjectBuilder::new().schema_type(Type::String);
            text.format(Some(SchemaFormat::Custom(String::from(format))))
        };
        AnyOfBuilder::new().item(of("ipv4")).item(of("ipv6")).into()
    }
}

impl ToSchema for Ip {}

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole<const MIN: i64, const MAX: i64>(i64);

impl<const MIN: i64, const MAX: i64> Whole<MIN, MAX> {
    /// Makes the number if it is within the range.
    #[must_use]
    pub fn new(number: i64) -> Option<Self> {
        (MIN..=MAX).contains(&number).then_some(Self(number))
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    fn range(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match MAX {
            i64::MAX => write!(f, "a whole number of at least {MIN}"),
            _ => write!(f, "a whole number from {MIN} to {MAX}"),
        }
    }
}

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Checked<const MIN: i64, const MAX: i64>;
        impl<const MIN: i64, const MAX: i64> Checked<MIN, MAX> {
            fn wrong<E: Error>() -> E {
                E::invalid_value(Unexpected::Other("number"), &Self)
            }
        }
        impl<const MIN: i64, const MAX: i64> Visitor<'_> for Checked<MIN, MAX> {
            type Value = Whole<MIN, MAX>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Whole::<MIN, MAX>::range(f)
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
                Whole::new(number).ok_or_else(Self::wrong)
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
                i64::try_from(number).ok().and_then(Whole::new).ok_or_else(Self::wrong)
            }
            // Not even `5.0`: a client that sends a fraction may mean one.
            fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
                Err(Self::wrong())
            }
        }
        deserializer.deserialize_any(Checked)
    }
}

impl<const MIN: i64, const MAX: i64> PartialSchema for Whole<MIN, MAX> {
    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new().schema_type(Type::Integer);
        let number = number.format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)));
        number.minimum(Some(MIN)).maximum(Some(MAX)).into()
    }
}

impl<const MIN: i64, const MAX: i64> ToSchema for Whole<MIN, MAX> {
    fn name() -> Cow<'static, str> {
        Cow::Owned(format!("Whole_{MIN}_{MAX}"))
    }
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde_json::json;

    use super::*;

    fn reads<T: DeserializeOwned>(texts: &[&str]) -> Vec<bool> {
        texts.iter().map(|text| serde_json::from_value::<T>(json!(text)).is_ok()).collect()
    }

    #[test]
    fn every_form_accepts_its_examples() {
        assert_eq!(reads::<Email>(&["a@b", "Ada.L+x@example.com", "ä@ö.de"]), [true; 3]);
        assert_eq!(reads::<Email>(&["", "a", "@b", "a@", "a@b@c", "a b@c", "a@b\n"]), [false; 7]);
        assert_eq!(reads::<Phone>(&["5", "901.111.1111", "+1 (901) 111-1111 x5", "9019411111"]), [true; 4]);
        assert_eq!(reads::<Phone>(&["", "-", "ada@example.com", "phone"]), [false; 4]);
        assert_eq!(reads::<Ip>(&["127.0.0.1", "::1", "255.255.255.0", "2001:db8::7"]), [true; 4]);
        assert_eq!(
            reads::<Ip>(&["", "x", "1.2.3", "256.1.1.1", "127.0.0.1:80", " ::1", "::1%1"]),
            [false; 7]
        );
        assert_eq!(reads::<CountryCode>(&["US", "de", "", "USA", "U1"]), [true, true, false, false, false]);
        assert_eq!(
            reads::<ClearingCode>(&["", "  ", "12-34 56", "--", "1*2"]),
            [true, true, true, false, false]
        );
    }

    #[test]
    fn a_text_is_counted_in_characters() {
        let long = |count: usize| format!("{}@b", "é".repeat(count));
        assert_eq!(reads::<Email>(&[&long(252), &long(253)]), [true, false]);
        assert_eq!(reads::<Phone>(&[&"5".repeat(50), &"5".repeat(51)]), [true, false]);
    }

    #[test]
    fn numbers_are_whole_and_within_range() {
        let read = |json: &str| serde_json::from_str::<Whole<1, 31>>(json).map(Whole::get);
        assert_eq!(["1", "31"].map(|json| read(json).ok()), [Some(1), Some(31)]);
        for json in ["0", "32", "-1", "9223372036854775807", "18446744073709551615", "1.5", "2.0", "1e1"] {
            assert!(read(json).is_err(), "{json}");
        }
        for json in ["0", "1.5", "\"1\"", "null", "true", "[1]", "{}"] {
            let told = read(json).unwrap_err().to_string();
            assert!(told.contains("expected a whole number from 1 to 31"), "{json}: {told}");
        }
    }
}
