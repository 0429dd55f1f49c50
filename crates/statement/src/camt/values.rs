//! Values of elements: amounts, days, codes and counts.

use daybook_domain::Currency;
use daybook_domain::calendar::Day;

use crate::Fault;
use crate::amount::{NoAmount, decimal, minor_units};

/// Element without elements in it.
#[derive(Clone, Copy)]
pub(super) struct Leaf<'a> {
    /// Path within the record.
    pub(super) field: &'a str,
    /// Text without white space around it.
    pub(super) text: &'a str,
    /// Attribute `Ccy`.
    pub(super) currency: Option<&'a str>,
    /// Offset in the file.
    pub(super) at: usize,
}

/// Amount without sign.
#[derive(Clone, Copy)]
pub(super) struct Amount {
    /// Minor units, zero or more.
    pub(super) minor: i64,
    pub(super) currency: Currency,
    /// Offset of its element.
    pub(super) at: usize,
}

/// Fault at a byte. The line is added when the fault leaves the reader.
pub(super) fn fault(at: usize, record: &str, field: &str, why: impl Into<String>) -> Fault {
    Fault::new((0, at), (record, field), why)
}

/// Sets a value that may be stated once.
pub(super) fn set<T>(value: &mut Option<T>, new: T, leaf: Leaf<'_>, record: &str) -> Result<(), Fault> {
    if value.is_some() {
        return Err(leaf.fault(record, "is stated twice"));
    }
    *value = Some(new);
    Ok(())
}

/// Returns a value, or the fault that it is missing.
pub(super) fn required<T>(value: Option<T>, at: usize, record: &str, field: &str) -> Result<T, Fault> {
    value.ok_or_else(|| fault(at, record, field, "is missing"))
}

impl Leaf<'_> {
    /// The same element, seen from deeper within the record.
    pub(super) fn within(self, prefix: &str) -> Option<Self> {
        self.field.strip_prefix(prefix).map(|field| Self { field, ..self })
    }

    pub(super) fn fault(&self, record: &str, why: impl Into<String>) -> Fault {
        fault(self.at, record, self.field, why).found(self.text)
    }

    /// Amount in the currency of the attribute `Ccy`.
    pub(super) fn amount(&self, record: &str) -> Result<Amount, Fault> {
        let code = self.currency.unwrap_or_default();
        let Some(currency) = Currency::parse(code) else {
            let field = format!("{}/@Ccy", self.field);
            return Err(fault(self.at, record, &field, "is no currency of ISO 4217").found(code));
        };
        let minor = unsigned(self.text, currency).map_err(|error| self.no_amount(record, error, currency))?;
        Ok(Amount { minor, currency, at: self.at })
    }

    fn no_amount(&self, record: &str, error: NoAmount, currency: Currency) -> Fault {
        match error {
            NoAmount::Text => self.fault(record, "is not a decimal number of zero or more"),
            NoAmount::Size => self.fault(record, "is too large"),
            NoAmount::Decimals => {
                let why = "has more decimals than the currency; the nearest amount is expected";
                let fault = self.fault(record, why);
                match nearest(self.text, currency) {
                    Some(minor) => fault.expected(decimal(minor, '.', currency)),
                    None => fault,
                }
            }
        }
    }

    /// True for `CRDT`, false for `DBIT`.
    pub(super) fn is_credit(&self, record: &str) -> Result<bool, Fault> {
        self.choice(record, &[("CRDT", true), ("DBIT", false)])
    }

    /// Truth value. Source: XML Schema, boolean.
    pub(super) fn flag(&self, record: &str) -> Result<bool, Fault> {
        self.choice(record, &[("true", true), ("false", false), ("1", true), ("0", false)])
    }

    /// Value of one of several codes.
    pub(super) fn choice(&self, record: &str, codes: &[(&str, bool)]) -> Result<bool, Fault> {
        let found = codes.iter().find(|(code, _)| *code == self.text);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let codes: Vec<_> = codes.iter().map(|(code, _)| *code).collect();
            self.fault(record, "is none of the codes").expected(codes.join(", "))
        })
    }

    /// Count of at most 15 digits. Source: ISO 20022, `Max15NumericText`.
    pub(super) fn count(&self, record: &str) -> Result<u64, Fault> {
        let is_right = self.text.len() <= 15 && self.text.bytes().all(|byte| byte.is_ascii_digit());
        let count = is_right.then(|| self.text.parse().ok()).flatten();
        count.ok_or_else(|| self.fault(record, "is no count"))
    }

    /// The day as written: of a date, or of a time, whose zone does not move it.
    pub(super) fn day(&self, record: &str) -> Result<Day, Fault> {
        let (date, rest) = self.text.split_at_checked(10).unwrap_or((self.text, ""));
        let is_time = rest.strip_prefix('T').is_some_and(is_time);
        let is_right = if self.field.ends_with("DtTm") { is_time } else { is_zone(rest) };
        let day = date.parse().ok().filter(|_| is_right);
        day.ok_or_else(|| self.fault(record, "is no date"))
    }
}

/// Parses an amount of zero or more. XML Schema allows a plus sign.
pub(super) fn unsigned(text: &str, currency: Currency) -> Result<i64, NoAmount> {
    minor_units(text.strip_prefix('+').unwrap_or(text), '.', currency)
}

/// The nearest amount in minor units, half a unit up.
fn nearest(text: &str, currency: Currency) -> Option<i128> {
    let (whole, part) = text.strip_prefix('+').unwrap_or(text).split_once('.')?;
    let (kept, beyond) = part.split_at_checked(currency.decimals() as usize)?;
    let minor = minor_units(&format!("{whole}.{kept}"), '.', currency).ok()?;
    Some(i128::from(minor) + i128::from(beyond >= "5"))
}

/// True for a time such as `23:30:00.5-05:00`.
fn is_time(text: &str) -> bool {
    let end = text.find(['Z', '+', '-']).unwrap_or(text.len());
    let (time, zone) = text.split_at(end);
    let (clock, part) = time.split_once('.').unwrap_or((time, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(part) && is_clock(clock, 3) && is_zone(zone)
}

/// True for nothing, `Z`, or a distance to UTC such as `+01:00`.
fn is_zone(text: &str) -> bool {
    let distance = text.strip_prefix(['+', '-']);
    text.is_empty() || text == "Z" || distance.is_some_and(|distance| is_clock(distance, 2))
}

/// True for so many pairs of digits, with colons.
fn is_clock(text: &str, pairs: usize) -> bool {
    let is_pair = |pair: &str| pair.len() == 2 && pair.bytes().all(|byte| byte.is_ascii_digit());
    text.split(':').all(is_pair) && text.split(':').count() == pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf<'a>(field: &'a str, text: &'a str) -> Leaf<'a> {
        Leaf { field, text, currency: Some("EUR"), at: 0 }
    }

    #[test]
    fn days_are_taken_as_written() {
        let expected = Some("2026-11-02".parse().expect("a date"));
        for (field, text, is_right) in [
            ("BookgDt/Dt", "2026-11-02", true),
            ("BookgDt/Dt", "2026-11-02Z", true),
            ("BookgDt/Dt", "2026-11-02+01:00", true),
            ("BookgDt/Dt", "2026-11-02T00:00:00", false),
            ("BookgDt/DtTm", "2026-11-02T23:59:59-11:00", true),
            ("BookgDt/DtTm", "2026-11-02T00:00:00.123+14:00", true),
            ("BookgDt/DtTm", "2026-11-02T00:00:00Z", true),
            ("BookgDt/DtTm", "2026-11-02", false),
            ("BookgDt/DtTm", "2026-11-02T25", false),
            ("BookgDt/Dt", "2026-11-31", false),
            ("BookgDt/Dt", "02.11.2026", false),
            ("BookgDt/Dt", "ü", false),
            ("BookgDt/Dt", "2026-11-0ü", false),
        ] {
            let day = leaf(field, text).day("Ntry").ok();
            assert_eq!(day, expected.filter(|_| is_right), "{field} {text}");
        }
    }

    #[test]
    fn amounts_are_those_of_the_schema() {
        for (text, minor) in [
            (".5", Some(50)),
            ("0013.0", Some(1_300)),
            ("+12.50000", Some(1_250)),
            ("12.", Some(1_200)),
            ("-1", None),
            ("1,00", None),
            ("1e2", None),
            ("", None),
            ("++1", None),
        ] {
            assert_eq!(leaf("Amt", text).amount("Ntry").ok().map(|amount| amount.minor), minor, "{text}");
        }
        for (text, expected) in [("9.985", "9.99"), ("9.984", "9.98"), (".999", "1.00")] {
            let fault = leaf("Amt", text).amount("Ntry").err().expect("is refused");
            assert_eq!(fault.expected.as_deref(), Some(expected), "{text}");
        }
    }
}
