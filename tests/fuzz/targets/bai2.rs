//! Fuzz target of the property in `tests/properties/src/bai2.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| daybook_properties::bai2::holds(data));
