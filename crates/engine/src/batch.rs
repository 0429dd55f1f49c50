//! What the writer is asked, and what it answers.

mod decide;

use std::sync::Arc;

use daybook_domain::{Actor, Command, Key, State, States};
use daybook_log::SignedRoot;
use daybook_projector::Happened;
use daybook_proof::Receipt;
pub(crate) use decide::{Decided, Decider};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::error::SubmitError;

/// Who submits a command, and under which idempotency key.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// Who asks.
    pub actor: Actor,
    /// The request's idempotency key and the fingerprint of its body.
    pub key: Option<(daybook_log::Key, [u8; 32])>,
    /// Only to be decided: nothing is recorded, and the key is looked at but not used up.
    pub dry_run: bool,
}

/// What a command did, at exactly the version that it made.
#[derive(Clone, Debug)]
pub struct Submitted {
    /// Last position of the commit; that of the head if there was nothing to record, or nothing was to be recorded.
    pub position: u64,
    /// Nothing of it was recorded. The events have no place in the log then: position 0.
    pub dry_run: bool,
    /// The command's own events; none if it was so already.
    pub events: Vec<Happened>,
    /// The subject and everything that the decision looked at.
    pub states: Vec<(Key, Arc<State>)>,
    /// The signed root of its commit; none if there was nothing to record, or the log signs nothing.
    pub signed: Option<Arc<SignedRoot>>,
}

impl Submitted {
    /// What the log promises: the receipt of its last event.
    #[must_use]
    pub fn receipt(&self) -> Option<Receipt> {
        self.signed.as_ref()?.receipt(self.position)
    }
}

impl States for Submitted {
    fn state(&self, key: Key) -> Option<&State> {
        // A handful: looking through them costs less than hashing.
        self.states.iter().find(|(found, _)| *found == key).map(|(_, state)| &**state)
    }
}

/// A command that waits for its answer.
pub(crate) struct Pending {
    pub call: Call,
    pub command: Command,
    pub reply: oneshot::Sender<Result<Submitted, SubmitError>>,
    /// Its share of what may wait; given back with it.
    pub _room: OwnedSemaphorePermit,
}

/// The answer of one command, not given before the commit.
pub(crate) type Outcome = Result<Submitted, SubmitError>;
