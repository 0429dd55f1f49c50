//! Intake: files and segments of a bundle, which others made. Each has a bound of bytes that is held
//! before anything of it is believed, and none can keep its reader waiting for ever.

pub mod file;
#[cfg(feature = "segment")]
pub mod segment;
