//! Fuzz target of the property in `tests/properties/src/camt.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| daybook_properties::camt::holds(data));
