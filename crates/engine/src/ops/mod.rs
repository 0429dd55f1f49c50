//! Work of operators: operations with a reason, and files from a bank.
//!
//! A file is parsed, its entries are matched with transactions, and commands follow. The origin of these commands is
//! the bank; the log names the operator who uploaded the file as the actor.

mod contests;
mod corrections;
mod matches;
mod operations;
mod returns;
mod roles;
pub(crate) mod trace;

use daybook_domain::{CustodyId, PlatformId, States, custody, platform};
use daybook_log::Shard;
use daybook_vault::SubjectKeys;
pub use returns::{ProcessedReturn, ReturnOutcome};
pub use roles::{Rights, right_of};
use uuid::Uuid;

use crate::access::{AccessError, PlatformRecord};
use crate::engine::Engine;
use crate::error::SubmitError;
use crate::rails::FileError;
use crate::sealer::{SealError, Sealer};

/// Reason why nothing was done, or only a part of a file. The same file may be uploaded again.
#[derive(Debug, thiserror::Error)]
pub enum OpsError {
    /// The file is invalid.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file with statements is refused.
    #[error(transparent)]
    Statement(#[from] crate::statements::Refused),
    /// The read models or the log are unavailable.
    #[error(transparent)]
    Reads(#[from] daybook_projector::Error),
    /// The access tables are unavailable.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The vault is unavailable.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
    /// Data cannot be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The rules refused the command, or the log is unavailable.
    #[error(transparent)]
    Submit(#[from] SubmitError),
}

impl Engine {
    /// Returns the bank account that holds a platform's money.
    ///
    /// # Errors
    ///
    /// Fails if the read models are unavailable.
    pub async fn custody_of(
        &self,
        shard: Shard,
        platform: PlatformId,
    ) -> Result<Option<CustodyId>, daybook_projector::Error> {
        let found = self.reads().aggregates().records(shard, &[platform.into()]).await?;
        Ok(found.platform(platform).map(|state| CustodyId::of(platform, state.bank)))
    }

    pub(crate) async fn custody(&self, shard: Shard, platform: PlatformId) -> Result<CustodyId, OpsError> {
        let unknown = || OpsError::Submit(SubmitError::Refused(custody::Refusal::Unknown.into()));
        self.custody_of(shard, platform).await?.ok_or_else(unknown)
    }

    /// Returns the sealer for data about a platform, which belongs to the platform's own user.
    pub(crate) async fn own_sealer(&self, platform: &PlatformRecord) -> Result<Sealer, OpsError> {
        let unknown = SubmitError::Refused(platform::Refusal::Unknown.into());
        let keys = self.own_keys(platform).await?.ok_or(unknown)?;
        Ok(Sealer::new(keys, self.clock().now(), self.entropy()))
    }

    pub(crate) async fn own_keys(&self, platform: &PlatformRecord) -> Result<Option<SubjectKeys>, OpsError> {
        Ok(self.vault().keys(platform.shard, Uuid::from(platform.user)).await?)
    }
}
