//! Event feed, for platforms that poll instead of receiving webhooks.

mod asked;
mod cursor;
mod list;

pub use asked::{After, AskedEvents};
pub use cursor::Cursor;
pub use list::EventList;
