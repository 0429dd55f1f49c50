//! `daybook ops statement`: files with the bank's statements.

use std::io;
use std::path::Path;

use daybook_api::wire::ops::statement;
use daybook_engine::statements::{Mapping, StatementFormat, StatementView, TakenFile};
use daybook_intake::file::{self, Pipes};
use serde_json::Value;

use super::listing::{LINES, Listing};
use super::{OperatorSession, as_operator, read_bytes};
use crate::config::{FormatName, OperatorOptions};
use crate::error::Error;
use crate::out;

/// Maximum size of a file with statements, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Maximum size of a mapping, in bytes.
const MAX_MAPPING: u64 = 64 << 10;

/// Returns the format that a name stands for. Reads the mapping of a bank's CSV.
///
/// # Errors
///
/// Fails if the mapping cannot be read, or is not valid.
pub(super) fn format(name: &FormatName) -> Result<StatementFormat, Error> {
    Ok(match name {
        FormatName::Auto => StatementFormat::Auto,
        FormatName::Bai2 => StatementFormat::Bai2,
        FormatName::Camt => StatementFormat::Camt,
        FormatName::Mt940 => StatementFormat::Mt940,
        FormatName::Own => StatementFormat::Own,
        FormatName::Csv(path) => {
            let wrong = |error: &dyn std::fmt::Display| Error::Usage(format!("{}: {error}", path.display()));
            let text = file::read_to_string(path, MAX_MAPPING, Pipes::Read).map_err(|error| wrong(&error))?;
            let mapping: Mapping = toml::from_str(&text).map_err(|error| wrong(&error))?;
            StatementFormat::Csv(Box::new(mapping))
        }
    })
}

/// Prints a file as it is read, as JSON. Nothing is booked.
pub(super) async fn preview(
    desk: &OperatorOptions,
    path: &Path,
    format: StatementFormat,
) -> Result<(), Error> {
    let bytes = read_bytes(path, MAX_FILE)?;
    as_operator(desk, async |OperatorSession { engine, .. }| {
        let shown = engine.preview_statement(bytes, format).await?;
        Ok(crate::say!("{}", serde_json::to_string_pretty(&shown).map_err(io::Error::other)?)?)
    })
    .await
}

/// Imports a file: its statements are accepted, and small ones are booked at once.
pub(super) async fn take(desk: &OperatorOptions, path: &Path, format: StatementFormat) -> Result<(), Error> {
    let bytes = read_bytes(path, MAX_FILE)?;
    as_operator(desk, async |work| {
        let taken = work.engine.take_statement(&work.platform, work.call(), bytes, format).await?;
        if Listing::of(desk, LINES).is_table() {
            return print(desk, &taken);
        }
        let record = serde_json::to_value(statement::file(&taken)).map_err(io::Error::other)?;
        Ok(out::answer(true, &record, "")?)
    })
    .await
}

/// Prints a table of lines for each statement.
fn print(desk: &OperatorOptions, taken: &TakenFile) -> Result<(), Error> {
    if taken.is_repeated {
        crate::say!("The file was accepted before. Nothing happened.")?;
    }
    if let Some(books) = taken.books {
        crate::say!("Nothing is booked: the lines are {books}.")?;
    }
    for view in &taken.statements {
        print_statement(desk, view)?;
    }
    Ok(())
}

fn print_statement(desk: &OperatorOptions, view: &StatementView) -> Result<(), Error> {
    let record: Value = serde_json::to_value(statement::render(view)).map_err(io::Error::other)?;
    let text = |name: &str| record[name].to_string();
    let state = &view.statement;
    crate::say!(
        "Statement of {}: {} {} to {}, {} of {} lines booked, {} in suspense.",
        state.day,
        state.currency,
        text("opening_balance"),
        text("closing_balance"),
        state.booked,
        state.lines,
        text("suspense")
    )?;
    let lines = record["lines"].as_array().cloned().unwrap_or_default();
    if lines.is_empty() && state.lines > 0 {
        return Ok(());
    }
    let mut listing = Listing::of(desk, LINES);
    lines.iter().try_for_each(|line| listing.add(line))?;
    listing.end()
}
