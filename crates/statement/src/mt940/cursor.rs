//! Parts of a field: dates, marks, amounts.

use daybook_domain::Currency;
use daybook_domain::calendar::Day;

use super::scan::Field;
use crate::Fault;
use crate::amount::{NoAmount, minor_units};
use crate::short_date::pairs;

/// Maximum number of letters of an amount, with its comma. Source: SWIFT, format `15d`.
const MAX_AMOUNT: usize = 15;

/// Two digits of a year from which on it is in the 20th century. Source: SWIFT Standards MT, general information.
const CENTURY: i64 = 80;

/// Reader of the parts of a field's first line.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    field: Field<'a>,
    line: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Reads the first line.
    pub(super) fn first(field: Field<'a>) -> Self {
        Self { field, line: field.lines().next().unwrap_or_default(), at: 0 }
    }

    /// Reads a field of one line.
    pub(super) fn only(field: Field<'a>) -> Result<Self, Fault> {
        if field.lines().nth(1).is_some() {
            return Err(field.fault("text", "the field has one line"));
        }
        Ok(Self::first(field))
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.line.get(self.at..).unwrap_or_default()
    }

    /// Creates a fault that shows the line as far as it was read.
    pub(super) fn fault(&self, field: &str, why: &str) -> Fault {
        let read = self.line.get(..self.at).unwrap_or(self.line);
        self.field.fault(field, why).found(format_args!(
            "{}{}",
            self.field.tag,
            String::from_utf8_lossy(read)
        ))
    }

    /// Takes the letters that fulfil a condition.
    pub(super) fn take_while(&mut self, is: impl Fn(u8) -> bool) -> &'a str {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii() && is(**byte)).count();
        self.take(count).unwrap_or_default()
    }

    /// Takes `count` letters of ASCII.
    pub(super) fn take(&mut self, count: usize) -> Option<&'a str> {
        let taken = self.rest().get(..count).filter(|taken| taken.is_ascii())?;
        self.at += count;
        std::str::from_utf8(taken).ok()
    }

    /// Takes one letter, if it fulfils a condition.
    pub(super) fn letter(&mut self, is: impl Fn(u8) -> bool) -> Option<u8> {
        let letter = self.rest().first().copied().filter(|letter| is(*letter))?;
        self.at += 1;
        Some(letter)
    }

    /// Takes a prefix, if the rest begins with it.
    pub(super) fn prefix(&mut self, prefix: &str) -> bool {
        let has = self.rest().starts_with(prefix.as_bytes());
        self.at += if has { prefix.len() } else { 0 };
        has
    }

    /// Takes `N` times two digits.
    pub(super) fn pairs<const N: usize>(&mut self) -> Option<[i64; N]> {
        let pairs = pairs(self.rest().get(..N * 2)?)?;
        self.at += N * 2;
        Some(pairs)
    }

    /// Takes a date `YYMMDD`.
    pub(super) fn date(&mut self, name: &str) -> Result<Day, Fault> {
        let start = self.at;
        let date = self.pairs::<3>().and_then(|[year, month, day]| {
            let century = if year < CENTURY { 2000 } else { 1900 };
            Day::from_civil(century + year, month, day)
        });
        date.ok_or_else(|| {
            let shown = Self { at: (start + 6).min(self.line.len()), ..*self };
            shown.fault(name, "not a date YYMMDD")
        })
    }

    /// Takes a currency.
    pub(super) fn currency(&mut self) -> Result<Currency, Fault> {
        let code = self.take(3);
        let currency = code.and_then(Currency::parse);
        currency.ok_or_else(|| self.fault("currency", "not a currency of ISO 4217 with minor units"))
    }

    /// Takes an amount without sign, in minor units.
    pub(super) fn amount(&mut self, currency: Currency) -> Result<i64, Fault> {
        let text = self.take_while(|byte| byte.is_ascii_digit() || byte == b',');
        let why = match minor_units(text, ',', currency) {
            _ if text.is_empty() => "the amount is missing",
            _ if !text.contains(',') => "the comma is mandatory",
            _ if text.len() > MAX_AMOUNT => "an amount has at most 15 letters",
            _ if text.starts_with(',') => "a digit before the comma is mandatory",
            Ok(amount) => return Ok(amount),
            Err(NoAmount::Text) => "not an amount",
            Err(NoAmount::Decimals) => "more decimals than the currency has",
            Err(NoAmount::Size) => "the amount is too large",
        };
        Err(self.fault("amount", why))
    }

    /// Refuses letters after the last part.
    pub(super) fn finish(mut self, name: &str) -> Result<(), Fault> {
        if self.rest().trim_ascii().is_empty() {
            return Ok(());
        }
        self.at = self.line.len();
        Err(self.fault(name, "letters follow the field"))
    }
}
