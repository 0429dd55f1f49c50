//! Fence: a check of each new database connection before its first use, for a process that remembers something about
//! the database. After a fail-over the address leads to another server, which may lack commits that this process knows.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use deadpool_postgres::{Hook, HookError};
use tokio_postgres::Client;

use crate::{Error, config};

/// Text of the error for a connection that is refused.
const REPLACED_MESSAGE: &str = "the database is not the one that this process knew";

/// Check that the database is the one that this process knows, and not a replacement.
#[async_trait]
pub trait Fence: Send + Sync + 'static {
    /// Returns true if the database behind `client` has everything that this process knows.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be queried.
    async fn admits(&self, client: &Client) -> Result<bool, tokio_postgres::Error>;
}

/// Slot for the fence of one database, empty until the fence is set.
#[derive(Clone, Default)]
pub(crate) struct FenceSlot(Arc<OnceLock<Arc<dyn Fence>>>);

impl FenceSlot {
    /// Sets the fence. The first one stays.
    pub(crate) fn set(&self, fence: Arc<dyn Fence>) {
        let _ = self.0.set(fence);
    }

    /// Checks a new connection.
    pub(crate) async fn check(&self, client: &Client) -> Result<(), Error> {
        let Some(fence) = self.0.get() else { return Ok(()) };
        let asked = tokio::time::timeout(config::CONNECT_TIMEOUT, fence.admits(client)).await;
        match asked.map_err(|elapsed| Error::Unavailable(elapsed.to_string()))? {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::Replaced(REPLACED_MESSAGE)),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the same check as a hook of a pool.
    pub(crate) fn hook(&self) -> Hook {
        let place = self.clone();
        Hook::async_fn(move |client, _| {
            let place = place.clone();
            Box::pin(async move {
                let checked = place.check(client).await;
                checked.map_err(|error| match error {
                    Error::Replaced(text) => HookError::message(text),
                    Error::Statement(source) => HookError::Backend(source),
                    other => HookError::message(other.to_string()),
                })
            })
        })
    }

    /// Converts the refusal by the hook into an error.
    pub(crate) fn meaning(refused: HookError) -> Error {
        match refused {
            HookError::Message(text) if text == REPLACED_MESSAGE => Error::Replaced(REPLACED_MESSAGE),
            HookError::Message(text) => Error::Unavailable(text.into_owned()),
            HookError::Backend(source) => source.into(),
        }
    }
}

impl std::fmt::Debug for FenceSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Place").field(&self.0.get().is_some()).finish()
    }
}
