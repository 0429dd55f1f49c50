//! Fuzz target of the property in `tests/properties/src/webhook_url.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| daybook_properties::webhook_url::holds(data));
