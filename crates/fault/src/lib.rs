//! Points at which a torture ends the process. Without the feature `failpoints`, which no release has, they are nothing.
//!
//! This crate reads no environment: `daybook_cli` arms a point, once.

#[cfg(feature = "failpoints")]
mod failpoint;

#[cfg(feature = "failpoints")]
pub use failpoint::{POINTS, arm, point};

/// Ends the process here if that was asked for: as `kill -9` would, without any farewell.
#[cfg(not(feature = "failpoints"))]
#[inline]
pub const fn point(_name: &str) {}
