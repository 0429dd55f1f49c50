//! Outcomes of to-dos: the position that one led to, or its failure.

use daybook_domain::Command;

use crate::access::AccessError;
use crate::batch::Call;
use crate::engine::Engine;
use crate::rails::Unfit;
use crate::rails::bank::BankError;
use crate::rails::identity::IdentityError;
use crate::sealer::SealError;

/// The id of a to-do, with the position that it led to or its failure.
pub(super) type Done = (u128, Result<u64, Problem>);

/// A failure of one to-do, which is tried again later.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
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
    #[error("the to-do is about nothing that exists")]
    Pointless,
    #[error("what it waits for has not come")]
    NotYet,
}

/// A failure to render a file.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryError {
    /// There is no such file.
    #[error("the file does not exist")]
    Unknown,
    /// Read models or log are away.
    #[error(transparent)]
    Reads(#[from] daybook_projector::Error),
    /// Access tables are away.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The vault is away.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
    /// A box cannot be opened.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// All of the file has no place in its format.
    #[error(transparent)]
    Unfit(#[from] Unfit),
}

/// Submits `command`; answers the position that it led to.
pub(super) async fn submit(engine: &Engine, command: impl Into<Command>) -> Result<u64, Problem> {
    Ok(engine.submit(Call::default(), command).await?.position)
}
