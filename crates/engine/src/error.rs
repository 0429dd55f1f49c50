//! What a submitted command can be answered with instead of facts.

use daybook_domain::{Key, Refusal};
use daybook_log::KeyUse;

use crate::access::AccessError;
use crate::sealer::SealError;

/// Why a command was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The rules say no; the customer's business.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The idempotency key was used in the last 24 hours.
    #[error("the idempotency key was already used once")]
    KeyUsed {
        /// What the first request made.
        original: Option<u128>,
        /// Whether this request says the same as the first.
        same_payload: bool,
    },
    /// Too many commands wait; come back in a second.
    #[error("too many commands are waiting")]
    Busy,
    /// The log is away, or nobody knows yet whether the command was carried out: its key will tell.
    #[error("the log is unavailable")]
    Unavailable,
    /// Ours; logged where it happened.
    #[error("the command failed")]
    Failed,
}

/// Failure of a task that writes to several stores one after the other: making a platform, erasing a person. Every step is
/// idempotent, so the caller may repeat the task.
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
}

impl SubmitError {
    /// The answer to a request whose body has this fingerprint, when its key was used.
    pub(crate) fn key_used(used: &KeyUse, fingerprint: &[u8; 32]) -> Self {
        Self::KeyUsed {
            original: used.object.map(|object| object.as_u128()),
            same_payload: used.fingerprint == *fingerprint,
        }
    }
}

/// What must not happen while deciding; it costs the command, or stops the writer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("an event does not belong to its stream")]
    Misplaced(#[from] daybook_domain::state::Misplaced),
    #[error("a decision wrote to {0:?} without reading it")]
    Unread(Key),
    #[error(transparent)]
    Unwritable(#[from] daybook_domain::event::EncodeError),
    #[error(transparent)]
    Read(#[from] daybook_projector::Error),
    #[error(transparent)]
    Log(#[from] daybook_log::Error),
}
