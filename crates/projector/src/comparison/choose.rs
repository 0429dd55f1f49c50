//! Switches the version of a read model that queries read, and rolls back to the former one.

use daybook_log::Shard;
use daybook_pg::Transaction;

use super::Comparisons;
use crate::projection::rebuild::{NotChosen, RebuildError};
use crate::store::Model;
use crate::store::cursor;
use crate::store::version::{self, Stage, Version};

/// Differences that the caller of a switch accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Accepts any difference, and a version that was not compared.
    pub differences: bool,
    /// Columns, as `table.column`, that may remain without a comparison.
    pub not_compared: Vec<String>,
}

impl Comparisons {
    /// Switches queries to the new version of `model`. The new version must have been compared and must be equal in
    /// every column, except for the differences that are `allowed`. The old version is still fed, so a rollback loses
    /// nothing.
    ///
    /// # Errors
    ///
    /// [`RebuildError::NotChosen`], [`RebuildError::Failed`].
    pub async fn switch(
        &self,
        shard: Shard,
        model: Model,
        allowed: &Allowed,
    ) -> Result<Version, RebuildError> {
        let (described, mut left_out) = self.left_out(shard, model).await?;
        left_out.retain(|column| !allowed.not_compared.contains(column));
        self.choose(shard, model, |versions| {
            let new = versions.iter().find(|version| version.stage == Stage::Verify && !version.is_scratch);
            let new = *new.ok_or(NotChosen::None(model))?;
            match new.compared {
                _ if allowed.differences => Ok(new),
                Some((_, 0)) if new.number != described.number => Err(NotChosen::NotCompared(new)),
                Some((_, 0)) if left_out.is_empty() => Ok(new),
                Some((_, 0)) => Err(NotChosen::NotNamed(new, left_out.clone())),
                Some((_, rows)) => Err(NotChosen::Differs(new, rows)),
                None => Err(NotChosen::NotCompared(new)),
            }
        })
        .await
    }

    /// Switches queries back to the version of `model` that was active before.
    ///
    /// # Errors
    ///
    /// [`RebuildError::NotChosen`], [`RebuildError::Failed`].
    pub async fn roll_back(&self, shard: Shard, model: Model) -> Result<Version, RebuildError> {
        self.choose(shard, model, |versions| {
            let retired = versions.iter().filter(|version| version.stage == Stage::Retired);
            retired.max_by_key(|version| version.generation).copied().ok_or(NotChosen::None(model))
        })
        .await
    }

    /// Makes the version active that `find` selects among those of `model`, and retires the active one.
    async fn choose(
        &self,
        shard: Shard,
        model: Model,
        find: impl Fn(&[Version]) -> Result<Version, NotChosen>,
    ) -> Result<Version, RebuildError> {
        let work = async |tx: &Transaction<'_>| {
            cursor::lock(tx, shard).await?;
            let mut versions = version::all_in(tx, shard).await?;
            versions.retain(|version| version.model == model);
            let chosen = Version { stage: Stage::Active, ..find(&versions)? };
            for old in versions.iter().filter(|version| version.stage == Stage::Active) {
                version::save(tx, shard, &Version { stage: Stage::Retired, ..*old }).await?;
            }
            version::save(tx, shard, &chosen).await?;
            Ok::<_, RebuildError>(chosen)
        };
        let chosen = self.store.feeding().of(shard).tx("projector.choose", work).await?;
        self.store.reload_versions(shard).await?;
        Ok(chosen)
    }
}
