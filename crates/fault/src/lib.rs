//! Failpoints for crash tests: named places in the code at which a torture test aborts the process.
//!
//! A call to [`point`] marks such a place. It compiles to an empty function unless the feature `failpoints` is on, and
//! no release turns it on. With the feature, `arm("NAME:TIMES:MICROSECONDS")` chooses one point, and the process aborts
//! at its n-th hit, without any cleanup, as with `kill -9`. The constant `POINTS` lists all names.
//!
//! This crate reads no environment variable: `daybook_cli` reads `DAYBOOK_FAILPOINT` and arms the point once.
//!
//! # Example
//!
//! ```
//! use daybook_fault::point;
//!
//! fn commit() {
//!     point("log.before_commit");
//!     // … the commit itself …
//!     point("log.after_commit");
//! }
//!
//! // No failpoint is armed, so both points do nothing.
//! commit();
//! ```

#[cfg(feature = "failpoints")]
mod failpoint;

#[cfg(feature = "failpoints")]
pub use failpoint::{POINTS, arm, point};

/// Marks a failpoint. Without the feature `failpoints` it does nothing; with it, the process aborts here if the point
/// is armed.
#[cfg(not(feature = "failpoints"))]
#[inline]
pub const fn point(_name: &str) {}
