//! Balances: `:60F:`, `:60M:`, `:62F:`, `:62M:`, `:64:`, `:65:`.

use daybook_domain::Currency;
use daybook_domain::calendar::Day;

use super::cursor::Cursor;
use super::scan::Field;
use crate::Fault;
use crate::amount::decimal;

/// Balance of a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Balance<'a> {
    pub(super) field: Field<'a>,
    pub(super) date: Day,
    pub(super) currency: Currency,
    /// Minor units with sign.
    pub(super) amount: i64,
}

impl<'a> Balance<'a> {
    /// Reads a field. Source: SWIFT, format `1!a6!n3!a15d`.
    pub(super) fn read(field: Field<'a>) -> Result<Self, Fault> {
        let mut cursor = Cursor::only(field)?;
        let mark = cursor.letter(|letter| matches!(letter, b'C' | b'D'));
        let mark = mark.ok_or_else(|| cursor.fault("mark", "neither C nor D"))?;
        let date = cursor.date("date")?;
        let currency = cursor.currency()?;
        let amount = cursor.amount(currency)?;
        cursor.finish("amount")?;
        Ok(Self { field, date, currency, amount: if mark == b'D' { -amount } else { amount } })
    }

    /// True if the balance is not that of the whole statement: a page's own.
    pub(super) fn is_intermediate(&self) -> bool {
        self.field.tag.ends_with("M:")
    }

    /// Refuses another currency.
    pub(super) fn check_currency(&self, expected: Currency) -> Result<(), Fault> {
        if self.currency == expected {
            return Ok(());
        }
        let fault = self.field.fault("currency", "the statement has another currency");
        Err(fault.expected(expected).found(self.currency))
    }

    /// Refuses another amount.
    pub(super) fn check_amount(&self, expected: i128, why: &str) -> Result<(), Fault> {
        let amount = i128::from(self.amount);
        if amount == expected {
            return Ok(());
        }
        let shown = |amount| decimal(amount, ',', self.currency);
        Err(self.field.fault("amount", why).expected(shown(expected)).found(shown(amount)))
    }
}
