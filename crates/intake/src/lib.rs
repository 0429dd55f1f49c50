//! Intake: files, segments of a bundle and answers of peers, which others made. Each has a bound of bytes that is held
//! before anything of it is believed, and none can keep its reader waiting for ever.

pub mod file;
#[cfg(feature = "metered")]
mod metered;
#[cfg(feature = "segment")]
pub mod segment;

#[cfg(feature = "metered")]
pub use metered::{Metered, TooMuch};
