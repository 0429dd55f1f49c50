//! Outbound: calls that leave, by one HTTP client. Connections are kept for a while and used again; what a peer may say, and
//! how long it may take, is bounded for each exchange. No call knows what it is about.
//!
//! Whoever chose the address decides by whom it is called: [`guarded`] calls what somebody else chose, and the public's
//! addresses alone; [`inside`] calls what our operator chose, wherever it is.
#![forbid(unsafe_code)]

mod answer;
mod connector;
mod failure;
pub mod guarded;
pub mod inside;
mod meter;
mod pool;
mod stream;
#[cfg(test)]
mod tests;
mod tls;

use std::time::Duration;

pub use answer::{Answer, KEPT, MAX_BODY, MAX_HEAD, MAX_SENT};
pub use failure::Failure;

/// Time that a call takes at most, whatever the peer does.
pub const DEADLINE: Duration = Duration::from_secs(15);
