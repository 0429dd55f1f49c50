//! Outgoing HTTP calls. One HTTP/1.1 client keeps idle connections and reuses them. Time and size of every exchange are
//! limited, so a slow or malicious peer costs little. The crate does not know the purpose of a call.
//!
//! There are two clients. The choice depends on the party that chose the address:
//!
//! - [`guarded`] calls addresses that a platform chose, such as the address of a webhook subscription. It connects to
//!   public addresses only, which prevents server-side request forgery (SSRF).
//! - [`inside`] calls addresses that our operator chose, such as an anchor or a trace collector, at any address.
//!
//! Each call has a timeout of [`CALL_TIMEOUT`].
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use daybook_outbound::guarded::{Call, Client, SystemResolver};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new(Arc::new(SystemResolver), false, &[])?;
//! let call = Call {
//!     url: "https://example.com/hook".to_owned(),
//!     in_the_clear: false,
//!     headers: Default::default(),
//!     body: r#"{"event":"test"}"#.into(),
//! };
//! let attempt = client.call(&call).await;
//! println!("accepted: {}, after {:?}", attempt.is_taken(), attempt.took);
//! # Ok(())
//! # }
//! ```
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

pub use answer::{Answer, KEPT_BODY_BYTES, MAX_BODY_BYTES, MAX_HEAD_BYTES, MAX_RESPONSE_BYTES};
pub use failure::Failure;

/// Maximum duration of a call, from resolving the name to the end of the response.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(15);
