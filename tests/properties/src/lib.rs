//! Properties of the parsers of external input, one function for each parser. Each function takes any bytes and panics
//! if the property is violated. `tests/fuzz` runs them in a fuzzer; `tests/properties/tests` runs them on the corpus
//! and on random changes of it.
#![allow(clippy::expect_used, clippy::panic, reason = "a property that does not hold panics")]

pub mod amount;
pub mod bai2;
pub mod bank_csv;
mod bank_file;
pub mod body;
pub mod bundle;
pub mod camt;
pub mod event;
pub mod header;
pub mod mt940;
pub mod path;
pub mod proof;
pub mod returns;
pub mod spelling;
pub mod statement;
pub mod webhook_url;

/// Function that the fuzzer calls repeatedly.
pub type Target = fn(&[u8]);

/// All targets, by the names of their folders in `tests/fuzz/corpus`.
pub const TARGETS: [(&str, Target); 14] = [
    ("amount", amount::holds),
    ("bai2", bai2::holds),
    ("bank_csv", bank_csv::holds),
    ("body", body::holds),
    ("bundle", bundle::holds),
    ("camt", camt::holds),
    ("event", event::holds),
    ("header", header::holds),
    ("mt940", mt940::holds),
    ("path", path::holds),
    ("proof", proof::holds),
    ("returns", returns::holds),
    ("statement", statement::holds),
    ("webhook_url", webhook_url::holds),
];

/// Splits the input into its first line, which selects one of several parsers, and the rest.
fn chosen(data: &[u8]) -> Option<(&str, &[u8])> {
    let end = data.iter().position(|byte| *byte == b'\n')?;
    Some((std::str::from_utf8(&data[..end]).ok()?, &data[end + 1..]))
}
