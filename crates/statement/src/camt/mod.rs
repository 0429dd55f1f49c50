//! CAMT.053 statements, CAMT.052 reports and CAMT.054 notifications of ISO 20022, versions .001.02 to .001.13.
//!
//! A statement books its entries with the status `BOOK`. Reports and notifications announce or explain what a statement
//! books, so their lines are pending. The reader does not know the schemas: it reads the elements that have a meaning for a
//! ledger, wherever the schema of any version allows them, and skips the others.

mod balances;
mod batch;
mod codes;
mod details;
mod encoding;
mod entry;
mod kind;
mod message;
mod pages;
mod places;
mod recognize;
mod render;
mod summary;
mod texts;
mod totals;
mod unit;
mod values;
mod xml;

use memchr::memmem;
use message::Sizes;
pub use recognize::is_format;
pub use render::render;
use values::fault;

use crate::place::line_of;
use crate::statement::find;
use crate::{BankFile, Fault, Statement};

/// Beginning of an XML declaration, and end of a message.
const DECLARATION: &[u8] = b"<?xml";
const END: &[u8] = b"Document>";

/// Place of a page among those of its statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Number of the page, from 1.
    pub number: u64,
    /// True for the last page.
    pub last: bool,
    /// Name of the statement at the bank (`Stmt/Id`), the same on all its pages.
    pub of: String,
}

/// Returns the place of a statement that waits for the other pages of it, or nothing for a complete one. Its lines are
/// pending: [`read_pages`] books them when all pages are there.
#[must_use]
pub fn page(statement: &Statement) -> Option<Page> {
    let [number, last, of] = pages::MARKS.map(|name| find(&statement.marks, name));
    Some(Page { number: number?.parse().ok()?, last: last? == "true", of: of?.to_owned() })
}

/// Reads a file. It may have several messages one behind another, each with an XML declaration: the pages of statements.
pub fn read(bytes: &[u8]) -> Result<BankFile, Fault> {
    read_pages(&messages(bytes))
}

/// Messages that stand one behind another: each begins with an XML declaration behind the end of the one before.
fn messages(bytes: &[u8]) -> Vec<&[u8]> {
    let is_behind_end = |at: &usize| bytes[..*at].trim_ascii_end().ends_with(END);
    let begins = memmem::find_iter(bytes, DECLARATION).filter(is_behind_end);
    let ends: Vec<usize> = begins.chain([bytes.len()]).collect();
    let mut begin = 0;
    let message = |end| bytes.get(std::mem::replace(&mut begin, end)..end).unwrap_or_default();
    ends.into_iter().map(message).collect()
}

/// Reads several files as one: the pages of statements, in any order. Bytes of lines, and byte and line of a fault, are
/// counted as if the files stood one behind another.
pub fn read_pages(files: &[&[u8]]) -> Result<BankFile, Fault> {
    read_all(files).map_err(|fault| Fault { line: line_among(files, fault.byte), ..fault })
}

fn read_all(files: &[&[u8]]) -> Result<BankFile, Fault> {
    let mut base = 0_usize;
    let (mut format, mut units) = (None, Vec::new());
    let mut sizes = Sizes::default();
    for bytes in files {
        let mut message = message::read(bytes, base, &mut sizes)?;
        let expected: &String = format.get_or_insert_with(|| message.format.clone());
        if *expected != message.format {
            let why = "the pages of a statement have one format";
            return Err(fault(base, "Document", "xmlns", why).expected(expected).found(message.format));
        }
        units.append(&mut message.units);
        base = base.saturating_add(bytes.len());
    }
    Ok(BankFile { format: format.unwrap_or_default(), statements: pages::statements(units)? })
}

/// Number of the line of a byte in files that stand one behind another.
fn line_among(files: &[&[u8]], byte: usize) -> usize {
    let mut rest = byte;
    let mut line = 1;
    for bytes in files {
        line += line_of(bytes, rest) - 1;
        if rest <= bytes.len() {
            break;
        }
        rest -= bytes.len();
    }
    line
}
