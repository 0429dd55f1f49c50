//! The projection: pages of the log become rows, and a version of a read model is made beside the one that is read.
//!
//! Nothing here knows what callers ask.

pub(crate) mod fed;
mod install;
pub(crate) mod page;
pub(crate) mod rebuild;
pub(crate) mod replay;
pub(crate) mod runner;
mod tail;

use daybook_log::Shard;

use crate::error::Error;
use crate::store::version::{Stage, Version};
use crate::store::{Model, Store};
use rebuild::{NotChosen, RebuildError};

/// The versions of read models: their tables are made, estimated and dropped here. Cheap to clone.
#[derive(Clone)]
pub struct Versions {
    store: Store,
}

impl Versions {
    pub(crate) fn new(store: Store) -> Self {
        Self { store }
    }

    /// Every version of every read model that there ever was.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn all(&self, shard: Shard) -> Result<Vec<Version>, Error> {
        self.store.versions(shard).await
    }

    /// The version of `model` that is read.
    ///
    /// # Errors
    ///
    /// [`NotChosen::None`] if none is. [`Error::Database`].
    pub async fn active(&self, shard: Shard, model: Model) -> Result<Version, RebuildError> {
        let versions = self.all(shard).await?;
        let mut active = versions.iter().filter(|one| one.model == model && one.stage == Stage::Active);
        Ok(*active.next().ok_or(NotChosen::None(model))?)
    }
}
