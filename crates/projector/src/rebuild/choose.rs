//! Choosing the version that is read: switch to a new one, or go back.

use daybook_log::Shard;
use daybook_pg::Transaction;

use crate::error::Error;
use crate::read::Model;
use crate::version::{self, Stage, Version};
use crate::{Reads, cursor};

/// Why another version is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotChosen {
    /// No version stands beside the one that is read.
    #[error("there is no version of {0} to go to")]
    None(Model),
    /// Its tables tell of now alone.
    #[error("the tables of {0} tell of now alone")]
    NoPast(Model),
    /// Somebody has dropped it.
    #[error("{0} was dropped meanwhile")]
    Gone(Version),
    /// It was not compared with what is read.
    #[error("{0} was not compared with what is read")]
    NotCompared(Version),
    /// It was compared, and is not the same.
    #[error("{0} differs from what is read in {1} rows")]
    Differs(Version, u64),
    /// It has columns that no comparison looks at, and these were not named.
    #[error("these columns of {0} were not compared with what is read, and not named as such: {columns}", columns = .1.join(", "))]
    NotNamed(Version, Vec<String>),
}

/// What may be otherwise in a version that is read from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Anything: it may differ, and need not have been compared.
    pub differences: bool,
    /// These columns, as `table.column`, may be such as no comparison looks at.
    pub not_compared: Vec<String>,
}

impl Reads {
    /// Every version of every read model that there ever was.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn versions(&self, shard: Shard) -> Result<Vec<Version>, Error> {
        version::all(&self.pg.client().await?, shard).await
    }

    /// Reads the new version of `model` from now on, which must have been compared and found the same in every column, but
    /// for what is `allowed`. The old one is fed on.
    ///
    /// # Errors
    ///
    /// [`Error::NotChosen`], [`Error::Database`].
    pub async fn switch(&self, shard: Shard, model: Model, allowed: &Allowed) -> Result<Version, Error> {
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
    /// [`Error::NotChosen`], [`Error::Database`].
    pub async fn roll_back(&self, shard: Shard, model: Model) -> Result<Version, Error> {
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
    ) -> Result<Version, Error> {
        let work = async |tx: &Transaction<'_>| {
            cursor::lock(tx, shard).await?;
            let mut versions = version::all_in(tx, shard).await?;
            versions.retain(|version| version.model == model);
            let chosen = Version { stage: Stage::Active, ..find(&versions)? };
            for old in versions.iter().filter(|version| version.stage == Stage::Active) {
                version::save(tx, shard, &Version { stage: Stage::Retired, ..*old }).await?;
            }
            version::save(tx, shard, &chosen).await?;
            Ok::<_, Error>(chosen)
        };
        let chosen = self.feeding().tx("projector.choose", work).await?;
        self.look_at_versions(shard).await?;
        Ok(chosen)
    }
}
