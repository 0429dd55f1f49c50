//! Outbound: calls that leave. What a peer may say, and how long it may take, is bounded; no call knows what it is about.
#![forbid(unsafe_code)]

mod answer;
mod failure;
pub mod guarded;
mod meter;
#[cfg(test)]
mod tests;
mod tls;

use std::time::Duration;

pub use answer::{Answer, KEPT, MAX_BODY, MAX_HEAD, MAX_SENT};
pub use failure::Failure;
pub use meter::{Metered, TooMuch};
pub use tls::connector;

/// How long a call takes at most, whatever the peer does.
pub const DEADLINE: Duration = Duration::from_secs(15);
