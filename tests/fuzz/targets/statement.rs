//! Fuzz target of the property in `tests/properties/src/statement.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| daybook_properties::statement::holds(data));
