//! MT940 statements and MT942 reports of SWIFT.
//!
//! A file is one message or several, with or without the blocks of SWIFT (`{1:` … `-}`). Pages of one statement become one
//! [`Statement`](crate::Statement). A file is read as UTF-8 if all of it is valid UTF-8, and as ISO-8859-1 otherwise: then
//! each byte is one letter.
//!
//! Choices where SWIFT leaves them open:
//!
//! - The days of a statement are the booking days of its lines, and the day of its closing balance.
//! - A line without entry date is booked on its value date. If that date is not after the opening balance, or is after the
//!   closing balance, the line is booked on the day of the closing balance: an earlier day is closed already.
//! - Line breaks in a structured text, and after a full line of a free text, are not part of the text.
//! - Available balances (`:64:`, `:65:`) must be well-formed and are not kept. Nothing in the file proves them.
//! - The lengths of references and texts are not checked, since banks exceed them.
//!
//! Source: SWIFT Standards MT, category 9, MT 940 and MT 942.

mod balance;
mod cursor;
mod details;
mod line;
mod message;
mod pages;
mod render;
mod report;
mod scan;
mod stage;
mod text;

use self::message::{Draft, Message};
use self::pages::Pages;
use self::scan::Scanner;
use self::text::Letters;
use crate::beginning::content;
use crate::place::line_of;
use crate::{BankFile, Fault, Standing};

pub use self::render::render;

/// True if the file begins as MT940 or MT942: with `:20:`, or with the first block of SWIFT.
#[must_use]
pub fn is_format(bytes: &[u8]) -> bool {
    let (_, content) = content(bytes);
    content.starts_with(b":20:") || content.starts_with(b"{1:")
}

/// Reads a file. Lines of MT942 are pending.
///
/// The format is `mt942` if no message is an MT940.
pub fn read(bytes: &[u8]) -> Result<BankFile, Fault> {
    // The number of a line is counted for the one fault, not for each field.
    messages(bytes).map_err(|fault| Fault { line: line_of(bytes, fault.byte), ..fault })
}

fn messages(bytes: &[u8]) -> Result<BankFile, Fault> {
    let (letters, mut scanner, mut pages) = (Letters::of(bytes), Scanner::new(bytes), Pages::default());
    while let Some(start) = scanner.start()? {
        let room = pages.room();
        match Draft::read(&mut scanner, start, letters, room)? {
            Message::Page(page) => pages.add(*page)?,
            Message::Report(report) => pages.add_report(report)?,
        }
    }
    let statements = pages.finish()?;
    if statements.is_empty() {
        return Err(Fault::new((0, bytes.len()), ("end of file", ":20:"), "the file has no statement"));
    }
    let is_report = statements.iter().all(|statement| statement.standing == Standing::Pending);
    let format = if is_report { "mt942" } else { "mt940" }.to_owned();
    Ok(BankFile { format, statements })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_is_recognized_by_its_beginning() {
        for (bytes, is) in [
            (&b":20:X"[..], true),
            (b"{1:F01", true),
            (b"\xef\xbb\xbf\r\n :20:X", true),
            (b"\n\n{1:", true),
            (b"", false),
            (b":25:", false),
            (b"20:", false),
            (b"{\"a\":1}", false),
            (b"01,BANK", false),
            (b"<?xml", false),
        ] {
            assert_eq!(is_format(bytes), is, "{bytes:?}");
        }
    }
}
