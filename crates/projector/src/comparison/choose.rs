//! Choosing the version that is read: switch to a new one, or go back.

use daybook_log::Shard;
use daybook_pg::Transaction;

use super::Comparisons;
use crate::projection::rebuild::{NotChosen, RebuildError};
use crate::store::Model;
use crate::store::cursor;
use crate::store::version::{self, Stage, Version};

/// What may be otherwise in a version that is read from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Anything: it may differ, and need not have been compared.
    pub differences: bool,
    /// These columns, as `table.column`, may be such as no comparison looks at.
    pub not_compared: Vec<String>,
}

impl Comparisons {
    /// Reads the new version of `model` from now on, which must have been compared and found the same in every column, but
    /// for what is `allowed`. The old one is fed on.
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

    /// Reads the version of `model` again that was read before.
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

    /// Makes the version active that `find` finds among those of `model`, and retires the one that was.
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
        let chosen = self.store.feeding().tx("projector.choose", work).await?;
        self.store.look_at_versions(shard).await?;
        Ok(chosen)
    }
}
