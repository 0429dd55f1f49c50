//! See `tests/properties/src/amount.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| daybook_properties::amount::holds(data));
