//! CSV of any bank, read by a mapping.
//!
//! A [`Mapping`] says all that the file does not: marks, signs, columns. The reader guesses nothing. A date or an amount
//! that can be read in two ways is refused, and so is a file whose balances do not come out.
//!
//! The splitter is our own: the crate `csv` accepts a quote that is never closed and letters behind a quote, skips blank
//! rows without counting them, and has no byte ranges of rows. The tests compare it with that crate.
//!
//! # Mapping
//!
//! ```toml
//! separator = ";"                  # default ","
//! quote = "\""                     # default; "" if the bank quotes nothing
//! encoding = "windows-1252"        # default utf-8; utf-16 (by its mark), utf-16le, utf-16be, iso-8859-1
//! date = "%d.%m.%Y"                # %d %m %b %Y %y; left out: only if the file has dates of a single meaning
//! decimal = ","                    # left out: only if the file has amounts of a single meaning
//! thousands = "."                  # default "", none
//! sign = "signed"                  # "two columns", or { words = { credit = ["H"], debit = ["S"] } }
//! negative = "before"              # default; "behind", "parentheses"
//! symbols = ["€"]                  # beside amounts, without a meaning
//! currency = "EUR"                 # and/or columns.currency
//! account = "XX02MADEUP00001234567" # and/or columns.account
//! skip_header = 4                  # rows before the first line, blank ones included; the last names the columns
//! skip_footer = 0                  # rows after the last line, without blank ones
//! order = "oldest first"           # default; "newest first"
//! opening = 0                      # minor units, for a file without a running balance
//! closing = 39690
//!
//! [columns]                        # names, or numbers from 1
//! booking = "Buchungstag"
//! value = "Valuta"
//! amount = "Betrag"                # for two columns: debit and credit; for words: amount and sign
//! balance = "Saldo"                # running balance
//! text = "Buchungstext"
//! end_to_end = 7                   # any kind of reference
//! bai = 8                          # any kind of code
//! ```

mod balances;
mod check;
mod choice;
mod columns;
mod date;
mod encoding;
mod line;
mod mapping;
mod money;
mod rows;
mod table;

pub use encoding::Encoding;
pub use mapping::{Column, Columns, Mapping, Negative, Order, Role, Sign};

use crate::{BankFile, Fault};

/// Reads a file by a mapping.
///
/// Returns one statement for each account and currency, in the order in which they first occur. Lines are in the order of
/// the file.
///
/// # Errors
///
/// The first fault of the mapping, or of the file.
pub fn read(bytes: &[u8], mapping: &Mapping) -> Result<BankFile, Fault> {
    let plan = check::plan(mapping)?;
    let source = encoding::decode(bytes, mapping.encoding)?;
    let header = table::header(&source, mapping)?;
    let columns = columns::resolve(&header, mapping)?;
    let reader = line::reader(mapping, &plan, &header, &columns)?;
    let names = [Role::Booking, Role::Balance].map(|role| reader.name(role));
    let mut accounts = balances::Accounts::new(mapping, names, reader.mark());
    for row in header.rows(mapping) {
        accounts.push(reader.entry(&row?)?)?;
    }
    if accounts.is_empty() {
        return Err(header.no_rows());
    }
    Ok(BankFile { format: "csv".to_owned(), statements: accounts.statements()? })
}
