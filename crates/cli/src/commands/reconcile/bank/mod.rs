//! `daybook reconcile bank`: reconciliation of a platform with its bank, folded from the log as of the position at which the
//! statements of the period were completed. A period that the bank has stated to its end is reported with the same bytes at
//! any later time, unless the bank states one of its days, or an earlier one, anew.

mod completions;
mod fold;
mod pack;
mod replay;

use std::path::Path;

use daybook_engine::reconciliation::Period;
use pack::Pack;

use crate::commands::ledger::Books;
use crate::config::{BankReconciliation, PackFormat};
use crate::database::unless_stopped;
use crate::error::Error;

/// Formats of a folder's files, if no format is named.
const FILED: [PackFormat; 3] = [PackFormat::Html, PackFormat::Json, PackFormat::Csv];

/// Runs the command.
///
/// # Errors
///
/// [`Error::Unbalanced`] if the account does not tie out, has old breaks or overdue items, or the bank has not stated all of
/// the period; [`Error::NotReconciled`] if that cannot be told.
pub(super) async fn bank(options: &BankReconciliation) -> Result<(), Error> {
    // A reconciliation that could not be done says nothing about the account.
    reconcile(options).await.map_err(|error| match error {
        Error::Unbalanced(_) | Error::Stopped => error,
        error if error.is_unread() => error,
        other => Error::NotReconciled(crate::with_causes(&other)),
    })
}

async fn reconcile(options: &BankReconciliation) -> Result<(), Error> {
    let period = Period { from: options.from, to: options.to };
    if period.from > period.to {
        return Err(Error::Usage("--from must not be after --to".to_owned()));
    }
    if let Some(rules) = options.rules.as_deref().filter(|_| options.replay) {
        return replay::replay(options, period, rules).await;
    }
    let named = if options.json { Some(PackFormat::Json) } else { options.format };
    if options.output.is_none() && named == Some(PackFormat::Csv) {
        return Err(Error::Usage(
            "--format csv writes a file for each list: name a folder with -o".to_owned(),
        ));
    }
    options.output.as_deref().map_or(Ok(()), create_empty)?;
    let pack = Books::during(&options.database, async |books| {
        let (platform, shard) = books.platform(&options.platform).await?;
        unless_stopped(fold::pack(&books.log, (platform, shard), period)).await
    })
    .await?;
    match &options.output {
        Some(folder) => file(&pack, folder, named)?,
        None => print(&pack, named.unwrap_or(PackFormat::Table))?,
    }
    if !pack.report.is_tied_out() {
        return Err(Error::Unbalanced("the account at the bank does not tie out"));
    }
    let findings = [
        (pack.report.old_breaks() > 0, "there are breaks that are older than two banking days"),
        (
            pack.report.overdue_items() > 0,
            "there are open items that are older than the bank takes to state them",
        ),
        (pack.report.is_provisional(), "the bank has not stated all days of the period"),
    ];
    match findings.iter().find(|(is_found, _)| *is_found) {
        Some((_, finding)) => Err(Error::Unbalanced(finding)),
        None => Ok(()),
    }
}

/// Creates a folder, unless it exists and is empty: files of two reports in it could not be told apart.
fn create_empty(folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder)?;
    match std::fs::read_dir(folder)?.next() {
        None => Ok(()),
        Some(_) => {
            Err(Error::Usage(format!("{} is not empty: -o names a folder of one report", folder.display())))
        }
    }
}

fn print(pack: &Pack, format: PackFormat) -> Result<(), Error> {
    for (_, text) in pack.files(format)? {
        // Each text ends with a line break, which the output adds.
        crate::say!("{}", text.trim_end())?;
    }
    Ok(())
}

fn file(pack: &Pack, folder: &Path, named: Option<PackFormat>) -> Result<(), Error> {
    let formats = named.as_ref().map_or(&FILED[..], std::slice::from_ref);
    let mut count = 0;
    for format in formats {
        for (name, text) in pack.files(*format)? {
            pack::write(&folder.join(name), &text)?;
            count += 1;
        }
    }
    Ok(crate::say!("{}\n{count} files are in {}.", pack.summary(), folder.display())?)
}
