//! ACH files (automated clearing house): records of 94 characters in blocks of ten.
//!
//! An outgoing file has one batch per entry class and description, with credits and debits together. Each entry has at
//! most one addenda record. Source: Nacha Operating Rules, Appendix Three (ACH record format specifications).
//! most one addenda record. Source: Nacha Operating Rules, Appendix Three (ACH record format specifications).

mod class;
mod codes;
mod content;
mod correction;
mod dispute;
mod lines;
mod record;
mod render;
mod replies;
mod returns;
#[cfg(test)]
mod round_trips;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

pub use class::{EntryClass, Purpose};
pub use codes::Notice;
pub use content::{Content, Entry};
pub(crate) use correction::ACCOUNT_NUM_CHARS;
pub use correction::Correction;
pub use dispute::{Contested, Dishonored, EarlierEntry};
pub use record::{TOTAL_OF_CREDITS, TOTAL_OF_DEBITS};
pub(crate) use render::batches;
pub use render::{reference_code, render};
pub use replies::{Reply, render_replies, render_returns};
pub use returns::{FileTotals, ReturnFile, parse_returns};
