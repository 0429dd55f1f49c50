//! What proves the log. Hashes are for everybody; what tells of an event is for its platform.

pub mod balance;
pub mod checkpoint;
pub mod consistency;
pub mod event;
pub mod receipt;
pub mod tile;

use crate::error::ApiError;

/// The log cannot be read.
fn failed(error: impl std::error::Error + 'static) -> ApiError {
    ApiError::unavailable(&error)
}
