//! A field of a record, and its value.

use std::borrow::Cow;

use daybook_domain::Currency;
use daybook_domain::calendar::Day;

use crate::Fault;
use crate::short_date::pairs;

/// Maximum number of bytes of a record that a fault shows before the field.
const MAX_SHOWN: usize = 60;

/// Field of a record, without blanks around it.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    /// Name of the field in the format.
    pub(super) name: &'static str,
    pub(super) value: &'a [u8],
    /// Code of the record.
    pub(super) code: &'a str,
    /// Place of the physical record.
    pub(super) place: (usize, usize),
    /// The physical record up to the end of the field.
    pub(super) shown: &'a [u8],
}

/// Returns the letters of bytes that are UTF-8 or else Windows-1252.
pub(super) fn letters(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0,
    }
}

impl<'a> Field<'a> {
    /// Fault of a field that cannot be read. Shows the record up to the field, since a field alone is hard to find.
    pub(super) fn fault(&self, why: &str) -> Fault {
        let shown = if self.shown.len() > MAX_SHOWN { self.value } else { self.shown };
        Fault::new(self.place, (self.code, self.name), why).found(letters(shown))
    }

    /// Fault of a field that has another value than it must have.
    pub(super) fn differs(&self, why: &str, expected: impl std::fmt::Display) -> Fault {
        Fault::new(self.place, (self.code, self.name), why).expected(expected).found(letters(self.value))
    }

    pub(super) fn text(&self) -> String {
        letters(self.value).into_owned()
    }

    /// Value of digits behind an optional sign.
    pub(super) fn signed(&self) -> Result<i128, Fault> {
        let (is_negative, digits) = match self.value.split_first() {
            Some((b'-', digits)) => (true, digits),
            Some((b'+', digits)) => (false, digits),
            _ => (false, self.value),
        };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Err(self.fault("amounts have implied decimals, digits only"));
        }
        let value = digits
            .iter()
            .try_fold(0_i128, |value, digit| value.checked_mul(10)?.checked_add(i128::from(digit - b'0')));
        let value = value.ok_or_else(|| self.fault("the amount is too large"))?;
        Ok(if is_negative { -value } else { value })
    }

    /// An amount in minor units, below zero only if `may_be_negative`.
    pub(super) fn amount(&self, may_be_negative: bool) -> Result<i64, Fault> {
        let amount = self.signed()?;
        if self.value.starts_with(b"-") && !may_be_negative {
            return Err(self.fault("only the amount of a status may be below zero"));
        }
        i64::try_from(amount).map_err(|_| self.fault("the amount is too large"))
    }

    /// Number without a sign.
    pub(super) fn number(&self) -> Result<i128, Fault> {
        if self.value.iter().all(u8::is_ascii_digit) {
            return self.signed();
        }
        Err(self.fault("digits only"))
    }

    /// A date, YYMMDD, of this century.
    pub(super) fn day(&self) -> Result<Day, Fault> {
        let day = pairs(self.value).and_then(|[year, month, day]| Day::from_civil(2000 + year, month, day));
        day.ok_or_else(|| self.fault("a date is YYMMDD"))
    }

    /// Checks a time: 0000 to 2400, or 9999 for the end of the day.
    pub(super) fn time(&self) -> Result<(), Fault> {
        match pairs(self.value) {
            Some([0..24, 0..60] | [24, 0] | [99, 99]) => Ok(()),
            _ => Err(self.fault("a time is HHMM, 0000 to 2400, or 9999")),
        }
    }

    pub(super) fn currency(&self) -> Result<Currency, Fault> {
        let code = std::str::from_utf8(self.value).ok();
        code.and_then(Currency::parse).ok_or_else(|| self.fault("the currency is unknown"))
    }

    /// One digit of those that are allowed.
    pub(super) fn digit(&self, allowed: &'static str) -> Result<&'a str, Fault> {
        let digit = std::str::from_utf8(self.value).ok();
        let digit = digit.filter(|digit| digit.len() == 1 && allowed.contains(digit));
        digit.ok_or_else(|| self.fault("the code is unknown"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(value: &[u8]) -> Field<'_> {
        Field { name: "field", value, code: "16", place: (3, 40), shown: value }
    }

    #[test]
    fn amounts_are_digits_with_a_sign() {
        for (text, status, other) in [
            ("0", Some(0), Some(0)),
            ("0012", Some(12), Some(12)),
            ("+12", Some(12), Some(12)),
            ("-12", Some(-12), None),
            ("-0", Some(0), None),
            ("9223372036854775807", Some(i64::MAX), Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN), None),
            ("9223372036854775808", None, None),
            ("99999999999999999999999999999999999999999999", None, None),
            ("", None, None),
            ("+", None, None),
            ("1.5", None, None),
            ("1 5", None, None),
            ("--1", None, None),
            ("1-", None, None),
            ("1E3", None, None),
            ("١", None, None),
        ] {
            assert_eq!(field(text.as_bytes()).amount(true).ok(), status, "{text}");
            assert_eq!(field(text.as_bytes()).amount(false).ok(), other, "{text}");
        }
        assert!(field(b"+1").number().is_err());
        assert_eq!(field(b"007").number(), Ok(7));
    }

    #[test]
    fn dates_and_times_exist() {
        for (text, expected) in [
            ("261102", Some("2026-11-02")),
            ("240229", Some("2024-02-29")),
            ("260229", None),
            ("261301", None),
            ("2611020", None),
            ("26112", None),
            ("2611 2", None),
            ("", None),
        ] {
            let day = field(text.as_bytes()).day().ok().map(|day| day.to_string());
            assert_eq!(day.as_deref(), expected, "{text}");
        }
        for (text, expected) in [
            ("0000", true),
            ("2359", true),
            ("2400", true),
            ("9999", true),
            ("2401", false),
            ("2360", false),
            ("9998", false),
            ("600", false),
            ("06:00", false),
        ] {
            assert_eq!(field(text.as_bytes()).time().is_ok(), expected, "{text}");
        }
    }

    #[test]
    fn codes_and_currencies_are_known() {
        for (text, expected) in
            [("1", true), ("4", true), ("0", false), ("5", false), ("12", false), ("", false)]
        {
            assert_eq!(field(text.as_bytes()).digit("1234").is_ok(), expected, "{text}");
        }
        for (text, expected) in [("USD", true), ("CAD", true), ("usd", false), ("XXX", false), ("US", false)]
        {
            assert_eq!(field(text.as_bytes()).currency().is_ok(), expected, "{text}");
        }
    }

    #[test]
    fn letters_of_two_encodings_are_read() {
        assert_eq!(letters("Zoë".as_bytes()), "Zoë");
        assert_eq!(letters(b"Zo\xeb"), "Zoë");
    }
}
