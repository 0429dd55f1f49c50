//! Rendering of outgoing ACH files.

use std::collections::HashMap;

use daybook_domain::FileId;
use daybook_domain::posting::Rail;

use super::record::{Batches, Header, Totals, enclose, id, mandatory, number};
use crate::rails::destination::{AccountClass, Destination};
use crate::rails::file::{
    EntryDirection, Originator, OutgoingEntry, OutgoingFile, Unfit, is_routing_num, write_entries,
};
use crate::rails::text::{column, plain, written};

/// Renders an outgoing file as text.
///
/// The receiver's identification number is the end of the transaction's id, and the reference code is the end of the
/// file's id. Both help people to search. A return refers to the trace.
///
/// # Errors
///
/// [`Unfit`] for another rail, no entries, sequence numbers that do not rise, an amount above ten digits, a destination
/// without an account, a pull from a loan, an empty name, or an entry that makes a total too long.
pub fn render(file: &OutgoingFile, originator: &Originator) -> Result<String, Unfit> {
    let mut batches = Batches::default();
    write_entries(file, Rail::Ach, |entry, amount| {
        let note = entry.addendum.as_deref().filter(|note| !plain(note).is_empty());
        let account = Account::of(entry)?;
        let trace = originator.trace(entry.sequence)?;
        let code = account.code(entry.direction)?;
        let detail = detail(code, account.routing_num, account.number, entry, note.is_some(), &trace)?;
        let records = 1 + u64::from(note.is_some());
        let counted = count(account.routing_num, entry.direction, amount, records);
        let addenda = note.map(|note| format!("705{}0001{:07}", column(note, 80), entry.sequence));
        batches.add(entry, [detail].into_iter().chain(addenda), counted)
    })?;
    let header = Header {
        from: company(originator)?,
        to: bank(originator)?,
        made_at: file.cut_at,
        of_day: file.of_day,
        reference: reference_code(file.id),
        effective: file.effective,
    };
    enclose(&header, originator, &batches)
}

/// Account of the receiver.
pub(super) struct Account<'a> {
    pub(super) routing_num: &'a str,
    pub(super) number: &'a str,
    class: AccountClass,
}

impl<'a> Account<'a> {
    pub(super) fn of(entry: &'a OutgoingEntry) -> Result<Self, Unfit> {
        let Destination::Account { routing_num, account_num, class, .. } = &entry.destination else {
            return Err(Unfit::file("destination"));
        };
        if !is_routing_num(routing_num) {
            return Err(Unfit::file("routing_num"));
        }
        Ok(Self { routing_num, number: id(account_num, 17, "account_num")?, class: *class })
    }

    /// Returns the transaction code of a live entry. A loan accepts credits only.
    pub(super) fn code(&self, direction: EntryDirection) -> Result<u8, Unfit> {
        match (self.class, direction) {
            (AccountClass::Checking, EntryDirection::Push) => Ok(22),
            (AccountClass::Checking, EntryDirection::Pull) => Ok(27),
            (AccountClass::Savings, EntryDirection::Push) => Ok(32),
            (AccountClass::Savings, EntryDirection::Pull) => Ok(37),
            (AccountClass::GeneralLedger, EntryDirection::Push) => Ok(42),
            (AccountClass::GeneralLedger, EntryDirection::Pull) => Ok(47),
            (AccountClass::Loan, EntryDirection::Push) => Ok(52),
            (AccountClass::Loan, EntryDirection::Pull) => Err(Unfit::file("class")),
        }
    }
}

/// Formats the record of an entry.
pub(super) fn detail(
    code: u8,
    routing_num: &str,
    account_num: &str,
    entry: &OutgoingEntry,
    has_addenda: bool,
    trace: &str,
) -> Result<String, Unfit> {
    let amount = u64::try_from(entry.amount_minor).map_err(|_| Unfit::file("amount"))?;
    Ok(format!(
        "6{code:02}{routing_num}{account_num:<17}{}{}{}{}{}{trace}",
        number(amount, 10, "amount")?,
        end(&entry.transaction.to_string(), 15),
        receiver(&entry.name)?,
        entry.class.payment_type(),
        u8::from(has_addenda),
    ))
}

/// Formats the name of the receiver. Only letters beyond the width of the columns are dropped.
fn receiver(name: &str) -> Result<String, Unfit> {
    let written = written(name).map_err(|_| Unfit::file("name"))?;
    mandatory(&written, 22, "name")
}

/// Returns the totals of an entry with this number of records.
pub(super) fn count(routing_num: &str, direction: EntryDirection, amount: u64, records: u64) -> Totals {
    let hash = routing_num.get(..8).and_then(|digits| digits.parse().ok()).unwrap_or_default();
    let (debit, credit) = match direction {
        EntryDirection::Pull => (amount, 0),
        EntryDirection::Push => (0, amount),
    };
    Totals { records, hash, debit, credit }
}

pub(super) fn company(originator: &Originator) -> Result<(String, &str), Unfit> {
    let id = id(&originator.company_id, 10, "originator.company_id")?;
    Ok((format!("{id:>10}"), &originator.company_name))
}

pub(super) fn bank(originator: &Originator) -> Result<(String, &str), Unfit> {
    originator.bank()?;
    Ok((format!("{:>10}", originator.routing_num), &originator.bank_name))
}

/// Returns the reference code in the header of a file: eight letters, by which its bank names the file.
#[must_use]
pub fn reference_code(file: FileId) -> String {
    end(&file.to_string(), 8).to_owned()
}

/// Returns the number of each entry's batch in an outgoing file, by the trace of the entry.
pub(crate) fn batches(text: &str) -> HashMap<String, u32> {
    let mut batch = None;
    let mut batches = HashMap::new();
    for record in text.lines() {
        match record.get(..1) {
            Some("5") => batch = record.get(87..94).and_then(|number| number.parse().ok()),
            Some("6") => batches.extend(record.get(79..94).map(str::to_owned).zip(batch)),
            _ => {}
        }
    }
    batches
}

/// Returns the last `length` characters of an id.
fn end(id: &str, length: usize) -> &str {
    id.get(id.len().saturating_sub(length)..).unwrap_or_default()
}
