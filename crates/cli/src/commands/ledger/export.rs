//! Export of the log as a file for plain-text accounting. Memory grows with the number of accounts and of days with
//! bank statements, not with the number of events.

use std::io::Write;
use std::path::Path;

use daybook_projector::RecordedEvent;
use serde_json::json;

use super::positions::{add_to, describe};
use super::{Books, ReportScope, fold};
use crate::config::{Format, ReportOptions};
use crate::error::Error;
use crate::export::{Beancount, Book, Dialect, Hledger};
use crate::out;
use crate::whole_file::WholeFile;

/// Permissions of the file, reduced by the umask of the process.
const MODE: u32 = 0o666;

/// Writes the export to `output`.
pub(super) async fn export(
    format: Format,
    output: &Path,
    is_json: bool,
    extent: &ReportOptions,
) -> Result<(), Error> {
    Books::during(&extent.database, async |books| {
        let asked = ReportScope::of(books, extent).await?;
        match format {
            Format::Hledger => write(books, &asked, output, is_json, Hledger).await,
            Format::Beancount => write(books, &asked, output, is_json, Beancount).await,
        }
    })
    .await
}

async fn write(
    books: &Books,
    asked: &ReportScope,
    output: &Path,
    is_json: bool,
    dialect: impl Dialect,
) -> Result<(), Error> {
    let mut file = WholeFile::begin(output, MODE, true)?;
    let (mut book, mut text) = (Book::new(dialect), String::new());
    let tell = |happened: &RecordedEvent| {
        text.clear();
        book.add(happened, &mut text);
        Ok(file.write_all(text.as_bytes())?)
    };
    let positions = fold::fold(&books.log, asked, tell).await?;
    text.clear();
    let at = describe(&positions);
    let count = book.end(&at, &mut text);
    file.write_all(text.as_bytes())?;
    file.end()?;
    let shown = output.display();
    let mut record = json!({"transactions": count, "output": shown.to_string()});
    add_to(&mut record, &positions);
    let text = format!("{count} transactions up to {at} are in {shown}.");
    Ok(out::answer(is_json, &record, &text)?)
}
