//! The projection: writes pages of the log into the tables of the read models, and builds new versions of read models
//! beside the active ones.
//!
//! It does not depend on the queries.

mod install;
pub(crate) mod page;
pub(crate) mod rebuild;
pub(crate) mod replay;
pub(crate) mod runner;
mod tail;
pub(crate) mod targets;

use daybook_log::Shard;

use crate::error::Error;
use crate::store::version::{Stage, Version};
use crate::store::{Model, Store};
use rebuild::{NotChosen, RebuildError};

/// Handle for the versions of read models: creates, estimates and drops their tables. Cheap to clone.
#[derive(Clone)]
pub struct Versions {
    store: Store,
}

impl Versions {
    pub(crate) fn new(store: Store) -> Self {
        Self { store }
    }

    /// Returns every version of every read model, including dropped ones.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn all(&self, shard: Shard) -> Result<Vec<Version>, Error> {
        self.store.versions(shard).await
    }

    /// Returns the active version of `model`.
    ///
    /// # Errors
    ///
    /// [`NotChosen::None`] if no version is active. [`Error::Database`].
    pub async fn active(&self, shard: Shard, model: Model) -> Result<Version, RebuildError> {
        let versions = self.all(shard).await?;
        let mut active = versions.iter().filter(|one| one.model == model && one.stage == Stage::Active);
        Ok(*active.next().ok_or(NotChosen::None(model))?)
    }
}
