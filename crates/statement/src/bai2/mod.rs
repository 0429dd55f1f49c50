//! BAI2: the format of Cash Management Balance Reporting, of banks in the United States.
//!
//! A file consists of groups (one bank, one day), accounts and lines, each with a trailer that counts and adds what is in
//! it. Source of all rules: Cash Management Balance Reporting Specifications, version 2 (BAI, 2005), "BAI2 2005" below.
//!
//! | File | Content |
//! |---|---|
//! | `physical` | physical records: lines, or pieces of a fixed length |
//! | `records`, `record` | the records in their order, and a logical record: fields, over continuations |
//! | `field` | values of fields |
//! | `funds`, `type_code` | funds types and type codes |
//! | `header`, `account`, `summary`, `detail`, `trailer` | records 01 and 02, 03 to 49, 03, 16, and 49, 98, 99 |
//! | `render`, `group` | the writer: the file, and statements as groups |
//!
//! The reader goes over the bytes once and keeps nothing but statements. A text that is not UTF-8 is read as
//! Windows-1252, since no rule depends on it.

mod account;
mod detail;
mod field;
mod funds;
mod group;
mod header;
mod physical;
mod record;
mod records;
mod render;
mod summary;
mod trailer;
mod type_code;

pub use render::render;

use account::{Account, Read};
use header::Group;
use records::Records;

use crate::beginning::content;
use crate::{BankFile, Fault};

/// Name of the format.
const FORMAT: &str = "bai2";

/// True if the bytes begin like a BAI2 file: with record 01.
#[must_use]
pub fn is_format(bytes: &[u8]) -> bool {
    content(bytes).1.starts_with(b"01,")
}

/// Reads a file, or returns its first fault.
pub fn read(bytes: &[u8]) -> Result<BankFile, Fault> {
    let mut records = Records::open(bytes);
    header::file(records.logical(&["01"], "01, 98 and 99 are missing")?)?;
    let mut read = Read::default();
    let (mut groups, mut total) = (0, 0);
    loop {
        let record = records.logical(&["02", "99"], "99 is missing")?;
        if record.code() == "99" {
            trailer::check(record, &trailer::FILE, [total, groups], 0)?;
            break;
        }
        total += group(record, &mut read)?;
        groups += 1;
    }
    records.ended()?;
    Ok(BankFile { format: FORMAT.to_owned(), statements: read.statements })
}

/// Reads a group up to its trailer, and returns its control total.
fn group(record: record::Record<'_, '_>, read: &mut Read) -> Result<i128, Fault> {
    let before = record.before();
    let (group, records) = Group::read(record)?;
    let (mut accounts, mut total) = (0, 0);
    loop {
        let record = records.logical(&["03", "98"], "98 and 99 are missing")?;
        if record.code() == "98" {
            trailer::check(record, &trailer::GROUP, [total, accounts], before)?;
            return Ok(total);
        }
        total += Account::read(record, &group, read)?;
        accounts += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_is_recognized_by_first_record() {
        for (bytes, expected) in [
            (&b"01,A,B"[..], true),
            (b"\xef\xbb\xbf01,", true),
            (b" \r\n\t01,", true),
            (b"", false),
            (b"01", false),
            (b"02,", false),
            (b":20:01,", false),
            (b"0\xef\xbb\xbf1,", false),
        ] {
            assert_eq!(is_format(bytes), expected, "{bytes:?}");
        }
    }
}
