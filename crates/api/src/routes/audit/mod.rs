//! Handlers of proofs of the log. Hashes are public; data of an event is for its platform only.

pub mod balance;
pub mod checkpoint;
pub mod consistency;
pub mod event;
pub mod receipt;
pub mod tile;

use crate::error::ApiError;

/// Makes the error of an unreadable log.
fn failed(error: impl std::error::Error + 'static) -> ApiError {
    ApiError::unavailable(&error)
}
