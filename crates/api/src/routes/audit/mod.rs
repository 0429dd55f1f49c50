//! Handlers of proofs of the log. Hashes are public; data of an event is for its platform only.

pub mod balance;
pub mod checkpoint;
pub mod consistency;
pub mod event;
pub mod receipt;
pub mod tile;

use daybook_engine::{Shard, ShardAudit};

use crate::app::App;
use crate::error::ApiError;

/// Returns the proofs of a shard.
///
/// # Errors
///
/// [`ApiError::NotFound`] if this process does not know the shard.
fn of_shard(app: &App, shard: Shard) -> Result<ShardAudit, ApiError> {
    if !app.engine.served().contains_key(&shard) {
        return Err(ApiError::NotFound);
    }
    app.audit.of(shard).map_err(failed)
}

/// Makes the error of an unreadable log.
fn failed(error: impl std::error::Error + 'static) -> ApiError {
    ApiError::unavailable(&error)
}
