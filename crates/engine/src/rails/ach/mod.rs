//! ACH files (automated clearing house): records of 94 characters in blocks of ten.
//!
//! An outgoing file has one batch per entry class and description, with credits and debits together. Each entry has at
//! most one addenda record. Source: Nacha Operating Rules, Appendix Three (ACH record format specifications).
//! most one addenda record. Source: Nacha Operating Rules, Appendix Three (ACH record format specifications).

mod class;
mod content;
mod lines;
mod record;
mod render;
mod returns;
#[cfg(test)]
mod tests;

pub use class::{EntryClass, Purpose};
pub use content::{Content, Entry, Notice};
pub use record::{TOTAL_OF_CREDITS, TOTAL_OF_DEBITS};
pub use render::{render, render_returns};
pub use returns::parse_returns;
