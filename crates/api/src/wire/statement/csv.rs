//! Account statement as CSV. Source: RFC 4180; UTF-8, with a header.
//!
//! Every field is an id, a number, a time or a constant, so no field needs quotes. No field contains a user's text,
//! which a spreadsheet might interpret as a formula. Only numbers begin with a minus.

use csv::{Terminator, WriterBuilder};
use daybook_domain::account::{Cause, Event};
use daybook_domain::id::BoxId;
use daybook_domain::{Event as AnyEvent, Money, Timestamp};
use daybook_projector::{RecordedEvent, Statement};
use serde::Serialize;

use super::kind;

/// One line. The column names are the field names.
#[derive(Default, Serialize)]
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
    number: Option<u32>,
    recorded_at: String,
}

/// Returns the lines before the entries: the header, and the opening balance.
#[must_use]
pub fn head(statement: &Statement) -> Vec<u8> {
    lines(true, [end(statement, "OPENING", statement.begins, statement.opening)])
}

/// Returns one line per entry.
#[must_use]
pub fn rows(entries: &[RecordedEvent]) -> Vec<u8> {
    lines(false, entries.iter().filter_map(row))
}

/// Returns the line after the entries: the ending balance.
#[must_use]
pub fn tail(statement: &Statement) -> Vec<u8> {
    lines(false, [end(statement, "ENDING", statement.ends, statement.ending)])
}

/// Serializes `rows`, with the column names above them if `has_header` is true.
#[expect(clippy::expect_used, reason = "memory takes every byte, and every row has the same fields")]
fn lines(has_header: bool, rows: impl IntoIterator<Item = Row>) -> Vec<u8> {
    let mut options = WriterBuilder::new();
    options.has_headers(has_header).terminator(Terminator::CRLF);
    let mut writer = options.from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).expect("a row");
    }
    writer.into_inner().expect("a buffer in memory")
}

/// Makes the line of the balance at the beginning or the end of the month.
fn end(statement: &Statement, kind: &'static str, at: Timestamp, minor: i64) -> Row {
    Row {
        date: at.to_string(),
        kind,
        balance: Money::new(minor, statement.currency).to_string(),
        currency: statement.currency.code().to_owned(),
        ..Row::default()
    }
}

/// Makes the line of an entry; returns `None` if the event is not an entry.
fn row(happened: &RecordedEvent) -> Option<Row> {
    let AnyEvent::Account(Event::Entry(entry)) = &happened.event else { return None };
    let decimal = |minor: i64| Money::new(minor, entry.currency).to_string();
    let positive = |minor: i64| if minor > 0 { decimal(minor) } else { String::new() };
    let (trans_id, operation_id) = match entry.cause {
        Cause::Transaction(id) => (id.to_string(), String::new()),
        Cause::Operation(id) => (String::new(), id.to_string()),
        // A fee or interest that the bank stated.
        Cause::Break(_) => (String::new(), String::new()),
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
        // All ids have the same spelling, whatever they name.
        entry_id: BoxId::from_u128(happened.event_id).to_string(),
        number: Some(happened.version),
        recorded_at: happened.recorded_at.to_string(),
    })
}
