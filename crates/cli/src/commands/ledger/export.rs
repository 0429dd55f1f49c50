//! Export: the log as a file of plain-text accounting. Memory grows with the accounts and the days of the bank, not with
//! the events.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use daybook_engine::Engine;
use daybook_projector::Happened;

use super::{AT_ONCE, Asked, fold, with_engine};
use crate::config::{Bank, Extent, Format};
use crate::error::Error;
use crate::export::{Beancount, Book, Dialect, Hledger};

/// Writes the export to `output`.
pub(super) async fn export(format: Format, output: &Path, extent: &Extent) -> Result<(), Error> {
    with_engine(&extent.database, AT_ONCE, &Bank::default(), async |engine: Engine| {
        let asked = Asked::of(&engine, extent).await?;
        match format {
            Format::Hledger => write(&engine, &asked, output, Hledger).await,
            Format::Beancount => write(&engine, &asked, output, Beancount).await,
        }
    })
    .await
}

async fn write(engine: &Engine, asked: &Asked, output: &Path, dialect: impl Dialect) -> Result<(), Error> {
    let mut file = BufWriter::new(File::create(output)?);
    let (mut book, mut text) = (Book::new(dialect), String::new());
    let tell = |happened: &Happened| {
        text.clear();
        book.add(happened, &mut text);
        Ok(file.write_all(text.as_bytes())?)
    };
    let position = fold::fold(engine, asked, tell).await?;
    text.clear();
    let count = book.end(position, &mut text);
    file.write_all(text.as_bytes())?;
    file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
    println!("{count} transactions up to position {position} are in {}.", output.display());
    Ok(())
}
