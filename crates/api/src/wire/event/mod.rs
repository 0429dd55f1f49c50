//! What happened, for whoever asks instead of being called.

mod asked;
mod cursor;
mod list;

pub use asked::{After, AskedEvents};
pub use cursor::Cursor;
pub use list::EventList;
