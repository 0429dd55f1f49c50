//! See `tests/properties/src/statement.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| daybook_properties::statement::holds(data));
