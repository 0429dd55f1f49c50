//! Outcomes of to-dos: the resulting log position, or a failure.

use daybook_domain::Command;
use daybook_log::Shard;

use crate::access::AccessError;
use crate::batch::Call;
use crate::engine::Engine;
use crate::rails::Unfit;
use crate::rails::bank::BankError;
use crate::rails::identity::IdentityError;
use crate::sealer::SealError;

/// Id of a to-do, with its log position or its failure.
pub(super) type ToDoResult = (u128, Result<u64, ToDoError>);

/// Failure of a to-do. It is retried later.
#[derive(Debug, thiserror::Error)]
pub(super) enum ToDoError {
    #[error(transparent)]
    Submit(#[from] crate::SubmitError),
    #[error(transparent)]
    Reads(#[from] daybook_projector::Error),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Identity(#[from] IdentityError),
    #[error(transparent)]
    Delivery(#[from] DeliveryError),
    #[error(transparent)]
    Bank(#[from] BankError),
    #[error(transparent)]
    Ops(#[from] crate::ops::OpsError),
    #[error(transparent)]
    Stores(#[from] crate::error::StoresError),
    #[error("the aggregate of the to-do does not exist")]
    MissingAggregate,
    #[error("the precondition of the to-do is not met yet")]
    NotReady,
}

/// Failure to render a file.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryError {
    /// The file does not exist.
    #[error("the file does not exist")]
    Unknown,
    /// The read models or the log are unavailable.
    #[error(transparent)]
    Reads(#[from] daybook_projector::Error),
    /// The access tables are unavailable.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The vault is unavailable.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
    /// A box cannot be opened.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// A field of the file itself does not fit its format.
    #[error(transparent)]
    Unfit(#[from] Unfit),
}

/// Submits `command` to `shard` and returns the resulting log position.
pub(super) async fn submit(
    engine: &Engine,
    shard: Shard,
    command: impl Into<Command>,
) -> Result<u64, ToDoError> {
    Ok(engine.submit(Call::of(shard), command).await?.position)
}
