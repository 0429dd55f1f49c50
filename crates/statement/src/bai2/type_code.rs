//! Type codes: three digits, whose range says the direction and the place of an amount.
//!
//! Source: BAI2 2005, "Type Code Ranges" and appendix A. 900 to 999 are customized codes, of which a bank's agreement
//! states the direction; the ranges are those that banks use.

use super::field::Field;
use crate::Fault;

/// Class of a type code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Balance, in record 03 only. May be below zero.
    Status,
    /// Sum of all credits or of all debits, in record 03 only.
    Total,
    /// Money onto the account.
    Credit,
    /// Money from the account.
    Debit,
    /// Message without money, in record 16 only.
    Message,
}

/// A type code with its class.
#[derive(Clone, Copy)]
pub(super) struct TypeCode<'a> {
    pub(super) code: &'a str,
    pub(super) class: Class,
}

impl<'a> TypeCode<'a> {
    /// Reads the type code of a summary in record 03.
    pub(super) fn of_summary(field: &Field<'a>) -> Result<Self, Fault> {
        let code = Self::parse(field)?;
        if code.class == Class::Message {
            return Err(field.fault("the type code may be in record 16 only"));
        }
        Ok(code)
    }

    /// Reads the type code of a detail in record 16.
    pub(super) fn of_detail(field: &Field<'a>) -> Result<Self, Fault> {
        let code = Self::parse(field)?;
        if matches!(code.class, Class::Status | Class::Total) {
            return Err(field.fault("the type code may be in record 03 only"));
        }
        Ok(code)
    }

    fn parse(field: &Field<'a>) -> Result<Self, Fault> {
        let code = std::str::from_utf8(field.value).ok();
        let code = code.filter(|code| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_digit()));
        let class = code.and_then(|code| code.parse().ok()).and_then(class);
        let known = code.zip(class).map(|(code, class)| Self { code, class });
        known.ok_or_else(|| field.fault("the type code is unknown"))
    }
}

/// Returns the class of a type code.
pub(super) fn class(code: u16) -> Option<Class> {
    match code {
        1..=99 | 701..=709 | 900..=919 => Some(Class::Status),
        100 | 400 => Some(Class::Total),
        101..=399 | 720..=728 | 920..=959 => Some(Class::Credit),
        401..=699 | 760 | 960..=999 => Some(Class::Debit),
        890 => Some(Class::Message),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_codes_have_a_class() {
        for (codes, expected) in [
            (&[1, 10, 15, 99, 701, 709, 900, 919][..], Some(Class::Status)),
            (&[100, 400], Some(Class::Total)),
            (&[101, 142, 399, 720, 728, 920, 959], Some(Class::Credit)),
            (&[401, 495, 699, 760, 960, 999], Some(Class::Debit)),
            (&[890], Some(Class::Message)),
            (&[0, 700, 710, 719, 729, 759, 761, 800, 889, 891, 899, 1_000], None),
        ] {
            for code in codes {
                assert_eq!(class(*code), expected, "{code}");
            }
        }
    }

    #[test]
    fn type_codes_have_their_record() {
        for (code, in_summary, in_detail) in [
            ("010", true, false),
            ("100", true, false),
            ("142", true, true),
            ("495", true, true),
            ("705", true, false),
            ("890", false, true),
            ("915", true, false),
            ("000", false, false),
            ("800", false, false),
            ("10", false, false),
            ("0010", false, false),
            ("+10", false, false),
            ("1A0", false, false),
        ] {
            let field = Field {
                name: "type code",
                value: code.as_bytes(),
                code: "03",
                place: (1, 0),
                shown: code.as_bytes(),
            };
            assert_eq!(TypeCode::of_summary(&field).is_ok(), in_summary, "{code}");
            assert_eq!(TypeCode::of_detail(&field).is_ok(), in_detail, "{code}");
        }
    }
}
