//! What holds of whatever comes in: one function for each parser. It takes any bytes and panics if something does not
//! hold. `tests/fuzz` gives it to a fuzzer; `tests/properties/tests` gives it what is kept there, and random changes of
//! that.
#![allow(clippy::expect_used, clippy::panic, reason = "a property that does not hold panics")]

pub mod amount;
pub mod body;
pub mod bundle;
pub mod event;
pub mod header;
pub mod path;
pub mod proof;
pub mod returns;
pub mod spelling;
pub mod statement;
pub mod webhook_url;

/// What a fuzzer calls again and again.
pub type Target = fn(&[u8]);

/// Every target, by the name of its folder in `tests/fuzz/corpus`.
pub const TARGETS: [(&str, Target); 10] = [
    ("amount", amount::holds),
    ("body", body::holds),
    ("bundle", bundle::holds),
    ("event", event::holds),
    ("header", header::holds),
    ("path", path::holds),
    ("proof", proof::holds),
    ("returns", returns::holds),
    ("statement", statement::holds),
    ("webhook_url", webhook_url::holds),
];

/// The first line, which chooses one of several parsers, and the rest.
fn chosen(data: &[u8]) -> Option<(&str, &[u8])> {
    let end = data.iter().position(|byte| *byte == b'\n')?;
    Some((std::str::from_utf8(&data[..end]).ok()?, &data[end + 1..]))
}
