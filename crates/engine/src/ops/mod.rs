//! What operators do: operations with a reason, and what a bank sends, which they bring.
//!
//! A file is read, what it is about is found, and commands follow. The bank is who acts then; the operator who brought
//! the file stands beside it in the log.

mod operations;
mod returns;
mod statement;
mod trace;

use daybook_domain::{CustodyId, PlatformId, States, custody, platform};
use daybook_log::Shard;
use daybook_vault::SubjectKeys;
pub use returns::{Fate, TakenReturn};
pub use statement::{Explains, TakenStatement};
use uuid::Uuid;

use crate::access::{AccessError, PlatformRecord};
use crate::engine::Engine;
use crate::error::SubmitError;
use crate::rails::FileError;
use crate::sealer::{SealError, Sealer};

/// Why nothing was done, or of a file not all; the same file may be brought again.
#[derive(Debug, thiserror::Error)]
pub enum OpsError {
    /// The file cannot be believed.
    #[error(transparent)]
    File(#[from] FileError),
    /// Read models or log are away.
    #[error(transparent)]
    Reads(#[from] daybook_projector::Error),
    /// Access tables are away.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The vault is away.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
    /// Something cannot be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The rules say no, or the log is away.
    #[error(transparent)]
    Submit(#[from] SubmitError),
}

impl Engine {
    /// The account at a bank that a platform's money is on.
    ///
    /// # Errors
    ///
    /// If the read models are away.
    pub async fn custody_of(
        &self,
        shard: Shard,
        platform: PlatformId,
    ) -> Result<Option<CustodyId>, daybook_projector::Error> {
        let found = self.reads().aggregates().records(shard, &[platform.into()]).await?;
        Ok(found.platform(platform).map(|state| CustodyId::of(platform, state.bank)))
    }

    async fn custody(&self, shard: Shard, platform: PlatformId) -> Result<CustodyId, OpsError> {
        let unknown = || OpsError::Submit(SubmitError::Refused(custody::Refusal::Unknown.into()));
        self.custody_of(shard, platform).await?.ok_or_else(unknown)
    }

    /// Seals what is about a platform under its own user.
    async fn own_sealer(&self, platform: &PlatformRecord) -> Result<Sealer, OpsError> {
        let unknown = SubmitError::Refused(platform::Refusal::Unknown.into());
        let keys = self.own_keys(platform).await?.ok_or(unknown)?;
        Ok(Sealer::new(keys, self.clock().now(), self.entropy()))
    }

    async fn own_keys(&self, platform: &PlatformRecord) -> Result<Option<SubjectKeys>, OpsError> {
        Ok(self.vault().keys(platform.shard, Uuid::from(platform.user)).await?)
    }
}
