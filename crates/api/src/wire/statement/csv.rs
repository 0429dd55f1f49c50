//! A statement as CSV. Source: RFC 4180; UTF-8, with a header.
//!
//! A field is an id, a number, a time or a word of ours: none needs quotes, and none is anybody's text, which a
//! spreadsheet might take for a formula. Only a number begins with a minus.

use daybook_domain::account::{Cause, Event};
use daybook_domain::id::BoxId;
use daybook_domain::{Event as AnyEvent, Money, Timestamp};
use daybook_projector::{Happened, Statement};

use super::kind;

/// The names of the columns.
const COLUMNS: [&str; 14] = [
    "date",
    "kind",
    "amount",
    "debit",
    "credit",
    "balance",
    "held_delta",
    "pending_delta",
    "currency",
    "trans_id",
    "operation_id",
    "entry_id",
    "number",
    "recorded_at",
];

/// One line.
#[derive(Default)]
struct Row {
    date: String,
    kind: &'static str,
    amount: String,
    debit: String,
    credit: String,
    balance: String,
    held_delta: String,
    pending_delta: String,
    currency: String,
    trans_id: String,
    operation_id: String,
    entry_id: String,
    number: String,
    recorded_at: String,
}

impl Row {
    fn write(self, into: &mut String) {
        let fields: [&str; COLUMNS.len()] = [
            &self.date,
            self.kind,
            &self.amount,
            &self.debit,
            &self.credit,
            &self.balance,
            &self.held_delta,
            &self.pending_delta,
            &self.currency,
            &self.trans_id,
            &self.operation_id,
            &self.entry_id,
            &self.number,
            &self.recorded_at,
        ];
        line(&fields, into);
    }
}

/// What comes before the entries: the header, and the opening balance.
#[must_use]
pub fn head(statement: &Statement) -> String {
    let mut text = String::new();
    line(&COLUMNS, &mut text);
    end(statement, "OPENING", statement.begins, statement.opening).write(&mut text);
    text
}

/// A line for each of `entries`.
#[must_use]
pub fn rows(entries: &[Happened]) -> String {
    let mut text = String::new();
    entries.iter().filter_map(row).for_each(|row| row.write(&mut text));
    text
}

/// What comes after the entries: the ending balance.
#[must_use]
pub fn tail(statement: &Statement) -> String {
    let mut text = String::new();
    end(statement, "ENDING", statement.ends, statement.ending).write(&mut text);
    text
}

fn line(fields: &[&str], into: &mut String) {
    into.push_str(&fields.join(","));
    into.push_str("\r\n");
}

/// The line of a balance at one end of the month.
fn end(statement: &Statement, kind: &'static str, at: Timestamp, minor: i64) -> Row {
    Row {
        date: at.to_string(),
        kind,
        balance: Money::new(minor, statement.currency).to_string(),
        currency: statement.currency.code().to_owned(),
        ..Row::default()
    }
}

/// The line of an entry; none if the event is no entry.
fn row(happened: &Happened) -> Option<Row> {
    let AnyEvent::Account(Event::Entry(entry)) = &happened.event else { return None };
    let decimal = |minor: i64| Money::new(minor, entry.currency).to_string();
    let positive = |minor: i64| if minor > 0 { decimal(minor) } else { String::new() };
    let (trans_id, operation_id) = match entry.cause {
        Cause::Transaction(id) => (id.to_string(), String::new()),
        Cause::Operation(id) => (String::new(), id.to_string()),
    };
    Some(Row {
        date: happened.effective_at.to_string(),
        kind: kind(happened)?,
        amount: decimal(entry.delta),
        debit: positive(entry.delta.saturating_neg()),
        credit: positive(entry.delta),
        balance: decimal(entry.posted),
        held_delta: decimal(entry.hold_delta),
        pending_delta: decimal(entry.pending_delta),
        currency: entry.currency.code().to_owned(),
        trans_id,
        operation_id,
        // An id is written in one way, whatever it names.
        entry_id: BoxId::from_u128(happened.event_id).to_string(),
        number: happened.version.to_string(),
        recorded_at: happened.recorded_at.to_string(),
    })
}
