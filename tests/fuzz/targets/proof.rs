//! Fuzz target of the property in `tests/properties/src/proof.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| daybook_properties::proof::holds(data));
