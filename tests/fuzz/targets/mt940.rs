//! Fuzz target of the property in `tests/properties/src/mt940.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| daybook_properties::mt940::holds(data));
