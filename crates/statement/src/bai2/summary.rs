//! Account identifier: record 03, with statuses and summaries of the account.
//!
//! Source: BAI2 2005, record 03.

use daybook_domain::Currency;

use super::field::Field;
use super::funds;
use super::record::Record;
use super::records::Records;
use super::type_code::{Class, TypeCode};
use crate::Fault;

/// Record 03 of an account.
pub(super) struct Summary<'a> {
    pub(super) account: String,
    pub(super) currency: Currency,
    /// Opening ledger balance: status 010.
    pub(super) opening: Balance<'a>,
    /// Closing ledger balance: status 015.
    pub(super) closing: Balance<'a>,
    /// Opening available balance: status 040.
    pub(super) opening_available: Balance<'a>,
    /// Closing available balance: status 045.
    pub(super) closing_available: Balance<'a>,
    /// Sum of all amounts as they stand.
    pub(super) total: i128,
}

/// Amount of a status, with its field.
pub(super) type Balance<'a> = Option<(i64, Field<'a>)>;

impl<'a> Summary<'a> {
    /// Reads record 03. Returns the records that follow as well.
    pub(super) fn read<'r>(
        mut record: Record<'a, 'r>,
        group: Currency,
    ) -> Result<(Self, &'r mut Records<'a>), Fault> {
        let account = record.required("customer account number")?.text();
        let currency = record.optional("currency code")?.map_or(Ok(group), |field| field.currency())?;
        let mut summary = Self {
            account,
            currency,
            opening: None,
            closing: None,
            opening_available: None,
            closing_available: None,
            total: 0,
        };
        while let Some(code) = record.next("type code")? {
            summary.status(&code, &mut record)?;
        }
        Ok((summary, record.end()?))
    }

    /// Reads a type code's amount, item count and funds type.
    fn status(&mut self, code: &Field<'a>, record: &mut Record<'a, '_>) -> Result<(), Fault> {
        let amount = record.optional("amount")?;
        let count = record.optional("item count")?;
        // A record without any status has empty fields in its place.
        if code.value.is_empty() {
            let stray = amount.or(count).or(record.optional("funds type")?);
            return stray.map_or(Ok(()), |_| Err(code.fault("the type code is missing")));
        }
        let code = TypeCode::of_summary(code)?;
        let amount =
            amount.map(|field| Ok((field.amount(code.class == Class::Status)?, field))).transpose()?;
        if let Some(count) = count {
            count.number()?;
        }
        funds::read(record)?;
        match amount {
            None => Ok(()),
            Some(amount) => self.add(code.code, amount),
        }
    }

    fn add(&mut self, code: &str, (amount, field): (i64, Field<'a>)) -> Result<(), Fault> {
        self.total += i128::from(amount);
        let (name, balance) = match code {
            "010" => ("010", &mut self.opening),
            "015" => ("015", &mut self.closing),
            "040" => ("040", &mut self.opening_available),
            "045" => ("045", &mut self.closing_available),
            _ => return Ok(()),
        };
        let field = Field { name, ..field };
        match balance.replace((amount, field)) {
            None => Ok(()),
            Some(_) => Err(field.fault("the account states the balance twice")),
        }
    }
}
