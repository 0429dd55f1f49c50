//! Fields of MT942 alone: floor limits, and numbers and sums of the lines.

use daybook_domain::Currency;

use super::cursor::Cursor;
use super::line::Side;
use super::scan::Field;
use crate::Fault;
use crate::amount::decimal;

/// Smallest amounts that a report states: `:34F:`, once for both sides, or for debits and then for credits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floors {
    pub(super) currency: Currency,
    debit: Option<i64>,
    credit: Option<i64>,
}

impl Floors {
    /// Reads the first `:34F:`. Source: SWIFT, format `3!a[1!a]15d`.
    pub(super) fn read(field: Field<'_>) -> Result<Self, Fault> {
        let (currency, side, amount) = floor(field)?;
        let of = |this| side.is_none_or(|side| side == this).then_some(amount);
        Ok(Self { currency, debit: of(Side::Debit), credit: of(Side::Credit) })
    }

    /// Reads the second `:34F:`.
    pub(super) fn add(&mut self, field: Field<'_>) -> Result<(), Fault> {
        let (currency, side, amount) = floor(field)?;
        if self.credit.is_some() || side != Some(Side::Credit) {
            return Err(field.fault("mark", "the floor limit of debits comes first, that of credits second"));
        }
        check_currency(field, self.currency, currency)?;
        self.credit = Some(amount);
        Ok(())
    }

    /// Refuses a line that the report would not state.
    pub(super) fn check(&self, field: Field<'_>, side: Side, amount: i64) -> Result<(), Fault> {
        let floor = if side == Side::Debit { self.debit } else { self.credit };
        let (floor, amount) = (i128::from(floor.unwrap_or_default()), i128::from(amount).abs());
        if amount >= floor {
            return Ok(());
        }
        let shown = |amount| decimal(amount, ',', self.currency);
        let fault = field.fault("amount", "the line is below the floor limit");
        Err(fault.expected(shown(floor)).found(shown(amount)))
    }
}

fn floor(field: Field<'_>) -> Result<(Currency, Option<Side>, i64), Fault> {
    let mut cursor = Cursor::only(field)?;
    let currency = cursor.currency()?;
    let side = cursor.letter(|letter| matches!(letter, b'C' | b'D'));
    let side = side.map(|mark| if mark == b'D' { Side::Debit } else { Side::Credit });
    let amount = cursor.amount(currency)?;
    cursor.finish("amount")?;
    Ok((currency, side, amount))
}

/// Number and sum of lines of one side, without sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Turnover {
    lines: usize,
    sum: i128,
}

impl Turnover {
    /// Counts a line.
    pub(super) fn add(&mut self, amount: i64) {
        self.lines += 1;
        self.sum += i128::from(amount).abs();
    }

    /// Compares the lines with `:90D:` or `:90C:`. Source: SWIFT, format `5n3!a15d`.
    pub(super) fn check(&self, field: Field<'_>, expected: Currency) -> Result<(), Fault> {
        let mut cursor = Cursor::only(field)?;
        let number = cursor.take_while(|byte| byte.is_ascii_digit());
        let lines = number.parse::<usize>().ok().filter(|_| number.len() <= 5);
        let lines = lines.ok_or_else(|| cursor.fault("number", "not one to five digits"))?;
        let currency = cursor.currency()?;
        check_currency(field, expected, currency)?;
        let amount = cursor.amount(currency)?;
        cursor.finish("amount")?;
        if lines != self.lines {
            let fault = field.fault("number", "another number of lines");
            return Err(fault.expected(self.lines).found(lines));
        }
        if i128::from(amount) != self.sum {
            let shown = |amount| decimal(amount, ',', currency);
            let fault = field.fault("amount", "the sum of the lines is another");
            return Err(fault.expected(shown(self.sum)).found(shown(amount.into())));
        }
        Ok(())
    }
}

fn check_currency(field: Field<'_>, expected: Currency, found: Currency) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    let fault = field.fault("currency", "the report has another currency");
    Err(fault.expected(expected).found(found))
}

/// Reads the moment of a report, `:13D:`. Source: SWIFT, format `6!n4!n1!x4!n`; `:13:` was shorter.
pub(super) fn check_time(field: Field<'_>) -> Result<(), Fault> {
    let mut cursor = Cursor::only(field)?;
    cursor.date("date")?;
    let time = cursor.pairs::<2>().filter(|[hours, minutes]| *hours < 24 && *minutes < 60);
    time.ok_or_else(|| cursor.fault("time", "not a time HHMM"))?;
    if cursor.letter(|letter| matches!(letter, b'+' | b'-')).is_some() {
        cursor.pairs::<2>().ok_or_else(|| cursor.fault("offset", "not an offset HHMM"))?;
    }
    cursor.finish("time")
}
