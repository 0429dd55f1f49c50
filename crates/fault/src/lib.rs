//! Points at which a torture ends the process, and defects that it asks for, so that it is known that its checks see
//! them. Without the features `failpoints` and `mutants`, which no release has, both questions are constants.
//!
//! This crate reads no environment: whoever composes the process arms it, once.

#[cfg(feature = "failpoints")]
mod failpoint;
#[cfg(feature = "mutants")]
mod mutant;

#[cfg(feature = "failpoints")]
pub use failpoint::{POINTS, arm, point};
#[cfg(feature = "mutants")]
pub use mutant::{MUTANTS, choose, mutant};

/// Ends the process here if that was asked for: as `kill -9` would, without any farewell.
#[cfg(not(feature = "failpoints"))]
#[inline]
pub const fn point(_name: &str) {}

/// Whether this defect was asked for.
#[cfg(not(feature = "mutants"))]
#[inline]
#[must_use]
pub const fn mutant(_name: &str) -> bool {
    false
}
