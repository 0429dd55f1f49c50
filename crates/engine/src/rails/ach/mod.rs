//! Files of the automated clearing house: records of 94 characters in blocks of ten.
//!
//! What leaves is one batch of consumer entries (PPD), credits and debits together, each with at most one addenda
//! record. Source: Nacha Operating Rules, Appendix Three (ACH record format specifications).

mod content;
mod lines;
mod record;
mod render;
mod returns;
#[cfg(test)]
mod tests;

pub use content::{Content, Entry, Notice};
pub use render::{render, render_returns};
pub use returns::parse_returns;
