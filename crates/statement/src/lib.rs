//! Statements of banks in the formats that banks write: strict readers, and writers for the sandbox's bank and for tests.
//!
//! A reader checks every count, total and balance of a file before it returns anything, and names the place of the first
//! fault. It does no input or output, and its memory is a small multiple of the file's size, which the caller bounds by
//! [`MAX_BYTES`].

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
