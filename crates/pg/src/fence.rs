//! A fence: whoever remembers something of a database looks at each new connection before anybody gets it. After a
//! fail-over the server behind an address is another one, and may lack what this process was told.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use deadpool_postgres::{Hook, HookError};
use tokio_postgres::Client;

use crate::{Error, config};

/// What a connection that is refused is refused with.
const REPLACED: &str = "the database is not the one that this process knew";

/// Tells a database that this process knew from one that took its place.
#[async_trait]
pub trait Fence: Send + Sync + 'static {
    /// Whether the database behind `client` has what this process knows.
    ///
    /// # Errors
    ///
    /// If it cannot be asked.
    async fn admits(&self, client: &Client) -> Result<bool, tokio_postgres::Error>;
}

/// The fence of one database, once somebody has put it up.
#[derive(Clone, Default)]
pub(crate) struct Place(Arc<OnceLock<Arc<dyn Fence>>>);

impl Place {
    /// Puts it up; the first one stays.
    pub(crate) fn set(&self, fence: Arc<dyn Fence>) {
        let _ = self.0.set(fence);
    }

    /// Looks at a new connection.
    pub(crate) async fn check(&self, client: &Client) -> Result<(), Error> {
        let Some(fence) = self.0.get() else { return Ok(()) };
        let asked = tokio::time::timeout(config::CONNECT_TIMEOUT, fence.admits(client)).await;
        match asked.map_err(|elapsed| Error::Unavailable(elapsed.to_string()))? {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::Replaced(REPLACED)),
            Err(error) => Err(error.into()),
        }
    }

    /// The same for a pool.
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

    /// What a hook's refusal means.
    pub(crate) fn meaning(refused: HookError) -> Error {
        match refused {
            HookError::Message(text) if text == REPLACED => Error::Replaced(REPLACED),
            HookError::Message(text) => Error::Unavailable(text.into_owned()),
            HookError::Backend(source) => source.into(),
        }
    }
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Place").field(&self.0.get().is_some()).finish()
    }
}
