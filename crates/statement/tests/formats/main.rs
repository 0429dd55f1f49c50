//! Tests of all formats: samples, rules, round trips, changed bytes and hostile input.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::result_large_err, reason = "a fault ends the reading of a file, so its size costs nothing")]

mod bai2;
mod bai2_properties;
mod bai2_rules;
mod camt;
mod camt_message;
mod camt_pages;
mod camt_properties;
mod camt_rules;
mod camt_totals;
mod camt_xml;
mod csv;
mod csv_properties;
mod csv_rules;
mod mt940;
mod mt940_damage;
mod mt940_lines;
mod mt940_made;
mod mt940_messages;
mod mt940_round_trip;
mod samples;
mod three_formats;
