//! Errors of a submitted command.

use daybook_domain::{Key, Refusal};
use daybook_log::KeyUse;

use crate::access::AccessError;
use crate::sealer::SealError;

/// Reason why a command was not executed.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The rules refused the command. The reason is for the customer.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The idempotency key was used within the last 24 hours.
    #[error("the idempotency key was already used once")]
    KeyUsed {
        /// Id of the object that the first request made.
        original: Option<u128>,
        /// True if this request has the same body as the first.
        same_payload: bool,
    },
    /// The queue is full. Retry after a second.
    #[error("too many commands are waiting")]
    Busy,
    /// The log is unavailable, or the outcome of the commit is unknown. The idempotency key tells if the command was
    /// executed.
    #[error("the log is unavailable")]
    Unavailable,
    /// Internal error, logged at its place of origin.
    #[error("the command failed")]
    Failed,
}

/// Failure of a task that writes to several stores one after the other: making a platform, erasing a person. Every step
/// is idempotent, so the caller may repeat the task.
#[derive(Debug, thiserror::Error)]
pub enum StoresError {
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] daybook_log::Error),
    /// The read models are unavailable.
    #[error(transparent)]
    Reads(#[from] daybook_projector::Error),
    /// The vault is unavailable.
    #[error(transparent)]
    Vault(#[from] daybook_vault::Error),
    /// A secret could not be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The access tables are unavailable, or refuse a credential.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The domain refused the command, or the log is unavailable.
    #[error(transparent)]
    Submit(#[from] SubmitError),
    /// No shard takes the new platform.
    #[error("{0}")]
    NoShard(String),
}

impl SubmitError {
    /// Returns the error for a request with a used key and the given fingerprint of its body.
    pub(crate) fn key_used(used: &KeyUse, fingerprint: &[u8; 32]) -> Self {
        Self::KeyUsed {
            original: used.object.map(|object| object.as_u128()),
            same_payload: used.fingerprint == *fingerprint,
        }
    }
}

/// Internal error while deciding or loading. It fails the command, or stops the writer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("an event does not belong to its stream")]
    UnexpectedEvent(#[from] daybook_domain::state::UnexpectedEvent),
    #[error("a decision wrote to {0:?} without reading it")]
    Unread(Key),
    #[error(transparent)]
    Unwritable(#[from] daybook_domain::event::EncodeError),
    #[error(transparent)]
    Read(#[from] daybook_projector::Error),
    #[error(transparent)]
    Log(#[from] daybook_log::Error),
}
