//! Statements of banks in the formats that banks write: strict readers, and writers for the sandbox's bank and for tests.
//!
//! | Module | Format | Source of the rules | Encoding |
//! |---|---|---|---|
//! | [`bai2`] | BAI2 | Cash Management Balance Reporting Specifications, version 2 (BAI, 2005) | UTF-8, else Windows-1252 |
//! | [`camt`] | CAMT.052, .053 and .054, versions .001.02 to .001.13 | ISO 20022 and its external code lists; XML 1.0 and Namespaces in XML 1.0 | as declared: UTF-8, or one of single bytes |
//! | [`mt940`] | MT940 and MT942 | SWIFT Standards MT, category 9; for structured texts DFÜ-Abkommen, annex 3, chapter 8 | UTF-8, else ISO-8859-1 |
//! | [`csv`] | CSV of any bank, by a mapping | RFC 4180, with any separator and quote; the mapping | as the mapping says |
//!
//! A day has an opening balance, its booked lines and a closing balance. Each format states them in another way, so each
//! module finds the days in its own way. Amounts, dates, places in a file and faults are read and shown alike.
//!
//! A reader checks every count, total and balance of a file before it returns anything, and names the place of the first
//! fault. It does no input or output. The caller bounds the size of a file by [`MAX_BYTES`], and the readers bound
//! the number of its lines by [`MAX_LINES`]. A file with that many lines, each with a few references, needs less than
//! 100 MiB beside its own bytes.

#![allow(clippy::result_large_err, reason = "a fault ends the reading of a file, so its size costs nothing")]

#[cfg(test)]
extern crate proptest as _;
#[cfg(test)]
extern crate serde_json as _;

mod amount;
pub mod bai2;
mod beginning;
pub mod camt;
pub mod csv;
mod fault;
pub mod mt940;
mod place;
pub mod preview;
mod short_date;
mod statement;

pub use fault::Fault;
pub use statement::{
    BankFile, CodeKind, Codes, DayBalances, Line, Part, ReferenceKind, References, Standing, Statement,
};

/// Maximum size of a bank's file: 64 MiB.
pub const MAX_BYTES: usize = 64 << 20;

/// Maximum number of lines in a bank's file.
pub const MAX_LINES: usize = 100_000;
