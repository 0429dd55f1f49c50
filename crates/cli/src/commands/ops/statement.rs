//! `daybook ops statement`: files with the bank's statements.

use std::io;
use std::path::PathBuf;

use daybook_api::wire::ops::statement;
use daybook_domain::OperationId;
use daybook_domain::roles::Right;
use daybook_engine::statements::{OtherAccounts, StatementFormat, StatementView, TakenFile};
use serde_json::Value;

use super::listing::{LINES, Listing};
use super::{OperatorSession, as_operator, read_bytes};
use crate::bank_inbox::mapping;
use crate::config::{FormatName, OperatorOptions, Others};
use crate::error::Error;
use crate::out;

/// Maximum size of a file with statements, in bytes.
const MAX_FILE: u64 = 64 << 20;

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
        FormatName::Csv(path) => StatementFormat::Csv(Box::new(mapping::read(path)?)),
    })
}

/// Reads the files of a statement, one behind another.
fn read_whole(paths: &[PathBuf]) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![];
    for path in paths {
        bytes.append(&mut read_bytes(path, MAX_FILE)?);
    }
    Ok(bytes)
}

/// Prints a file as it is read, as JSON. Nothing is booked.
pub(super) async fn preview(
    desk: &OperatorOptions,
    paths: &[PathBuf],
    format: StatementFormat,
) -> Result<(), Error> {
    let bytes = read_whole(paths)?;
    as_operator(desk, Right::Read, async |OperatorSession { engine, .. }| {
        let shown = engine.preview_statement(bytes, format).await?;
        Ok(crate::say!("{}", serde_json::to_string_pretty(&shown).map_err(io::Error::other)?)?)
    })
    .await
}

/// Imports a file: its statements are accepted, and small ones are booked at once. With a reason to `restate`, the file may
/// state days anew.
pub(super) async fn take(
    desk: &OperatorOptions,
    paths: &[PathBuf],
    (format, others): (StatementFormat, Others),
    restate: Option<String>,
) -> Result<(), Error> {
    let others = match others {
        Others::Refuse => OtherAccounts::Refuse,
        Others::Skip => OtherAccounts::Skip,
    };
    let file = (read_whole(paths)?, format, others);
    as_operator(desk, Right::Act, async |work| {
        let (engine, platform) = (&work.engine, &work.platform);
        let (taken, operation) = match restate {
            None => (engine.take_statement(platform, work.call(), file).await?, None),
            Some(reason) => {
                let restated =
                    engine.restate(platform, (work.call(), work.operator.id), file, reason).await?;
                (restated.file, restated.operation)
            }
        };
        if Listing::of(desk, LINES).is_table() {
            return print(desk, &taken, operation);
        }
        let record = serde_json::to_value(statement::file(&taken, operation)).map_err(io::Error::other)?;
        Ok(out::answer(true, &record, "")?)
    })
    .await
}

/// Prints a table of lines for each statement.
fn print(desk: &OperatorOptions, taken: &TakenFile, operation: Option<OperationId>) -> Result<(), Error> {
    if taken.is_repeated {
        crate::say!("The file was accepted before. Nothing happened.")?;
    }
    if let Some(books) = taken.books {
        crate::say!("Nothing is booked: the lines are {books}.")?;
    }
    if !taken.skipped_accounts.is_empty() {
        crate::say!("Left out are the statements of {}.", taken.skipped_accounts.join(", "))?;
    }
    if let Some(operation) = operation {
        crate::say!("Days are stated anew by the operation {operation}.")?;
        if taken.statements.is_empty() {
            crate::say!("It waits for the approval of another operator.")?;
        }
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
