//! Fuzz target of the property in `tests/properties/src/bank_csv.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| daybook_properties::bank_csv::holds(data));
