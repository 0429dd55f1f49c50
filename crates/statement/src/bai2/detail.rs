//! Transaction detail: record 16, one line.
//!
//! Source: BAI2 2005, record 16.

use super::funds;
use super::header::Group;
use super::record::Record;
use super::type_code::{Class, TypeCode};
use crate::{CodeKind, Fault, Line, ReferenceKind, References, Standing};

/// Origin of the booking day of every line.
const BOOKING_FROM: &str = "as-of date of the group: the format has no day of a line";

/// Record 16.
pub(super) struct Detail {
    /// The amount as it stands in the file, for the control totals.
    pub(super) total: i128,
    /// Nothing if the record states no money.
    pub(super) line: Option<Line>,
}

impl Detail {
    /// Reads record 16.
    pub(super) fn read(mut record: Record<'_, '_>, group: &Group) -> Result<Self, Fault> {
        let code = TypeCode::of_detail(&record.required("type code")?)?;
        let amount = record.optional("amount")?.map(|field| field.amount(false)).transpose()?;
        let value = funds::read(&mut record)?;
        let bank = record.optional("bank reference")?.map(|field| field.text());
        let customer = record.optional("customer reference")?.map(|field| field.text());
        let (text, bytes) = record.text()?;
        let total = i128::from(amount.unwrap_or(0));
        let signed = amount.and_then(|amount| match code.class {
            Class::Credit => Some(amount),
            Class::Debit => Some(-amount),
            Class::Status | Class::Total | Class::Message => None,
        });
        let Some(amount) = signed else { return Ok(Self { total, line: None }) };
        let line = Line {
            booking: Some(group.as_of),
            booking_from: Some(BOOKING_FROM),
            // Source: BAI2 2005, "Funds Type": an earlier value date counts as the as-of date.
            value: value.map(|day| day.max(group.as_of)),
            amount,
            booked: matches!(group.standing(), Standing::Booked | Standing::Restated),
            reversal: false,
            codes: vec![(CodeKind::Bai, code.code.to_owned())],
            references: references(bank, customer),
            return_reason: None,
            text,
            parts: vec![],
            bytes,
        };
        Ok(Self { total, line: Some(line) })
    }
}

fn references(bank: Option<String>, customer: Option<String>) -> References {
    let bank = bank.map(|text| (ReferenceKind::Bank, text));
    let customer = customer.map(|text| (ReferenceKind::Customer, text));
    bank.into_iter().chain(customer).collect()
}
