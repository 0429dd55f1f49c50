//! Amounts as a bank writes them, with marks, signs and symbols.

use daybook_domain::Currency;

use super::mapping::{Mapping, Negative};
use crate::amount::{NoAmount, minor_units};

/// Minus of typewriters, and that of printers.
const MINUS: [char; 2] = ['-', '\u{2212}'];

/// Decimal mark, and mark between groups of three digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marks {
    /// Decimal mark.
    pub(super) decimal: char,
    /// Mark between groups of three digits.
    pub(super) thousands: Option<char>,
}

impl Marks {
    /// Returns all marks that the mapping leaves possible.
    pub(super) fn possible(mapping: &Mapping) -> Vec<Self> {
        let given = mapping.decimal.map(|decimal| Self { decimal, thousands: mapping.thousands });
        let usual = [('.', ','), (',', '.')].map(|(decimal, other)| {
            let thousands = mapping.thousands.or(Some(other));
            Self { decimal, thousands }
        });
        let is_possible = |marks: &Self| marks.thousands != Some(marks.decimal);
        given.map_or_else(|| usual.into_iter().filter(is_possible).collect(), |given| vec![given])
    }
}

/// Reader of amounts.
pub(super) struct Money<'m> {
    negative: Negative,
    /// Longest first: `US$` before `$`.
    symbols: Vec<&'m str>,
}

impl<'m> Money<'m> {
    /// Returns the reader of a mapping.
    pub(super) fn new(mapping: &'m Mapping) -> Self {
        let mut symbols: Vec<_> = mapping.symbols.iter().map(String::as_str).collect();
        symbols.sort_by_key(|symbol| std::cmp::Reverse(symbol.len()));
        Self { negative: mapping.negative, symbols }
    }

    /// Reads an amount with or without sign.
    pub(super) fn signed(&self, text: &str, marks: Marks, currency: Currency) -> Result<i64, &'static str> {
        let (text, is_negative) = self.without_sign(text)?;
        let amount = minor(&digits(text, marks)?, marks, currency)?;
        Ok(if is_negative { -amount } else { amount })
    }

    /// Reads an amount that has no sign.
    pub(super) fn unsigned(&self, text: &str, marks: Marks, currency: Currency) -> Result<i64, &'static str> {
        minor(&digits(self.bare(text.trim()), marks)?, marks, currency)
    }

    /// Returns the digits of an amount with a point as decimal mark, to compare readings of different marks. No currency
    /// is asked: `1.234` is ambiguous even if the currency has no third decimal, for the file may be of another currency
    /// than the mapping says.
    pub(super) fn form(&self, text: &str, marks: Marks) -> Option<String> {
        let digits = digits(self.without_sign(text).ok()?.0, marks).ok()?;
        let (whole, part) = digits.split_once(marks.decimal).unwrap_or((&digits, ""));
        Some(format!("{whole}.{part}"))
    }

    /// Takes sign and symbol from an amount, in any order. True for a minus.
    fn without_sign<'a>(&self, text: &'a str) -> Result<(&'a str, bool), &'static str> {
        let (text, outer) = self.sign(text.trim());
        let (text, inner) = self.sign(self.bare(text));
        match (outer, inner) {
            (Some(_), Some(_)) => Err("two signs"),
            (one, other) => Ok((text, one.or(other).unwrap_or(false))),
        }
    }

    /// Takes the sign from an amount: true for a minus.
    fn sign<'a>(&self, text: &'a str) -> (&'a str, Option<bool>) {
        let (minus, plus) = match self.negative {
            Negative::Before => (text.strip_prefix(MINUS), text.strip_prefix('+')),
            Negative::Behind => (text.strip_suffix(MINUS), text.strip_suffix('+')),
            Negative::Parentheses => (text.strip_prefix('(').and_then(|text| text.strip_suffix(')')), None),
        };
        let minus = minus.map(|rest| (rest.trim(), Some(true)));
        minus.or_else(|| plus.map(|rest| (rest.trim(), Some(false)))).unwrap_or((text, None))
    }

    /// Takes one symbol from an amount.
    fn bare<'a>(&self, text: &'a str) -> &'a str {
        let strip = |symbol: &&str| text.strip_prefix(*symbol).or_else(|| text.strip_suffix(*symbol));
        self.symbols.iter().find_map(strip).unwrap_or(text).trim()
    }
}

/// Digits of an amount without sign, with its decimal mark and without the marks between groups.
fn digits(text: &str, marks: Marks) -> Result<String, &'static str> {
    let (whole, part) =
        text.split_once(marks.decimal).map_or((text, None), |(whole, part)| (whole, Some(part)));
    let mut digits = match marks.thousands {
        Some(mark) if whole.contains(mark) => groups(whole, mark).ok_or("not in groups of three digits")?,
        _ => whole.to_owned(),
    };
    let part_digits = part.unwrap_or_default();
    let is_amount = !(digits.is_empty() && part_digits.is_empty());
    if !is_amount || !digits.bytes().chain(part_digits.bytes()).all(|letter| letter.is_ascii_digit()) {
        return Err("not an amount with the marks of the mapping");
    }
    if let Some(part) = part {
        digits.push(marks.decimal);
        digits += part;
    }
    Ok(digits)
}

/// Returns the minor units of an amount. In `1.000` the mark looks like one between groups: only in a currency with three
/// decimals it is believed to be the decimal mark, for a wrong mapping would move all amounts and balances alike.
fn minor(digits: &str, marks: Marks, currency: Currency) -> Result<i64, &'static str> {
    let (whole, part) = digits.split_once(marks.decimal).unwrap_or((digits, ""));
    if part.len() == 3 && (1..=3).contains(&whole.len()) && currency.decimals() != 3 {
        return Err("ambiguous: three decimals, or a mark between groups of three digits");
    }
    minor_units(digits, marks.decimal, currency).map_err(|error| match error {
        NoAmount::Text => "not an amount with the marks of the mapping",
        NoAmount::Decimals => "a part of a minor unit",
        NoAmount::Size => "the amount is too large",
    })
}

/// Joins groups of three digits, of which the first may be shorter.
fn groups(whole: &str, mark: char) -> Option<String> {
    let mut digits = String::new();
    for (at, group) in whole.split(mark).enumerate() {
        let is_group = if at == 0 { (1..=3).contains(&group.len()) } else { group.len() == 3 };
        if !is_group {
            return None;
        }
        digits += group;
    }
    Some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the text as a mapping with these marks, this way of negative amounts, and the symbols `$` and `US$` does.
    fn read(text: &str, (marks, negative, code): (&str, Negative, &str)) -> Result<i64, &'static str> {
        let mut letters = marks.chars();
        let marks = Marks { decimal: letters.next().expect("a mark"), thousands: letters.next() };
        let currency = Currency::parse(code).expect("ISO 4217");
        Money { negative, symbols: vec!["US$", "$"] }.signed(text, marks, currency)
    }

    #[test]
    fn amounts_follow_marks_and_groups() {
        for (text, marks, code, expected) in [
            ("1234.56", ".", "USD", Some(123_456)),
            ("1,234.56", ".", "USD", None),
            ("1,234.56", ".,", "USD", Some(123_456)),
            ("1234.56", ".,", "USD", Some(123_456)),
            ("1.234,56", ",.", "USD", Some(123_456)),
            ("1.23", ",.", "USD", None),
            ("1.23", ",", "USD", None),
            ("1,23,456.78", ".,", "USD", None),
            ("1234,567.00", ".,", "USD", None),
            (",234.00", ".,", "USD", None),
            ("1,234,.00", ".,", "USD", None),
            ("1.00,0", ".,", "USD", None),
            ("1.234.567", ",.", "USD", Some(123_456_700)),
            ("1.234.56", ".", "USD", None),
            ("1'234.50", ".'", "CHF", Some(123_450)),
            ("1 234,50", ", ", "EUR", Some(123_450)),
            ("1.234", ".", "USD", None),
            ("1.000", ".", "USD", None),
            ("1,000.500", ".,", "USD", Some(100_050)),
            ("1.0000", ".", "USD", Some(100)),
            ("1.234", ".", "KWD", Some(1_234)),
            ("1.000", ".", "JPY", None),
            ("1.000", ",.", "JPY", Some(1_000)),
            (".5", ".", "USD", Some(50)),
            ("5.", ".", "USD", Some(500)),
            (".", ".", "USD", None),
            ("", ".", "USD", None),
            ("1e3", ".", "USD", None),
            ("٣", ".", "USD", None),
            ("92233720368547758.07", ".", "USD", Some(i64::MAX)),
            ("92233720368547758.08", ".", "USD", None),
        ] {
            assert_eq!(read(text, (marks, Negative::Before, code)).ok(), expected, "{text} {marks} {code}");
        }
    }

    #[test]
    fn signs_stand_at_their_side() {
        use Negative::{Before, Behind, Parentheses};
        for (text, negative, expected) in [
            ("-5.00", Before, Some(-500)),
            ("\u{2212}5.00", Before, Some(-500)),
            ("+5.00", Before, Some(500)),
            ("- 5.00", Before, Some(-500)),
            ("-$5.00", Before, Some(-500)),
            ("$-5.00", Before, Some(-500)),
            ("US$ -5.00", Before, Some(-500)),
            ("-5.00 US$", Before, Some(-500)),
            ("$5.00$", Before, None),
            ("--5.00", Before, None),
            ("-$-5.00", Before, None),
            ("+-5.00", Before, None),
            ("5.00-", Before, None),
            ("(5.00)", Before, None),
            ("-", Before, None),
            ("$", Before, None),
            ("5.00-", Behind, Some(-500)),
            ("5.00+", Behind, Some(500)),
            ("5.00 $-", Behind, Some(-500)),
            ("5.00-$", Behind, Some(-500)),
            ("-5.00", Behind, None),
            ("(5.00)", Parentheses, Some(-500)),
            ("($5.00)", Parentheses, Some(-500)),
            ("$(5.00)", Parentheses, Some(-500)),
            ("( 5.00 )", Parentheses, Some(-500)),
            ("5.00", Parentheses, Some(500)),
            ("(5.00", Parentheses, None),
            ("5.00)", Parentheses, None),
            ("((5.00))", Parentheses, None),
            ("()", Parentheses, None),
            ("-5.00", Parentheses, None),
            ("-0.00", Before, Some(0)),
        ] {
            assert_eq!(read(text, (".,", negative, "USD")).ok(), expected, "{text} {negative:?}");
        }
    }
}
