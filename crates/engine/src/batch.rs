//! What the writer is asked, and what it answers.

mod decide;

use std::sync::Arc;

use daybook_domain::{Actor, Command, Key, PlatformId, State, States};
use daybook_log::SignedRoot;
use daybook_projector::Happened;
use daybook_proof::Receipt;
pub(crate) use decide::{Decided, Decider};
use tokio::sync::oneshot;
use tracing::Span;

use crate::error::SubmitError;
use crate::room::Place;

/// An idempotency key, and the fingerprint of the body that came with it.
pub type BoundKey = (daybook_log::Key, [u8; 32]);

/// Who submits a command, and under which idempotency key.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// Who asks.
    pub actor: Actor,
    /// The platform on whose account they wait for their turn; none for what is due by itself.
    pub platform: Option<PlatformId>,
    /// The request's idempotency key.
    pub key: Option<BoundKey>,
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
    pub states: Vec<(Key, State)>,
    /// The signed root of its commit; none if there was nothing to record, or the log signs nothing.
    pub signed: Option<Arc<SignedRoot>>,
}

impl Submitted {
    /// What the log promises: the receipt of its last event.
    #[must_use]
    pub fn receipt(&self) -> Option<Receipt> {
        self.signed.as_ref()?.receipt(self.position)
    }

    /// Whether something of it was recorded in a commit of its own time, rather than before or not at all.
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        !self.events.is_empty() && !self.dry_run
    }

    /// Says that nothing of it was recorded, as of this position.
    fn is_only_decided(&mut self, position: u64) {
        self.position = position;
        for happened in &mut self.events {
            happened.position = 0;
        }
    }
}

impl States for Submitted {
    fn state(&self, key: Key) -> Option<&State> {
        // A handful: looking through them costs less than hashing.
        self.states.iter().find(|(found, _)| *found == key).map(|(_, state)| state)
    }
}

/// Commands that wait for their answers: decided one after the other and committed together.
pub(crate) struct Pending {
    /// In the order in which they are decided; at least one.
    pub asked: Vec<(Call, Command)>,
    /// The idempotency key of all of them together.
    pub key: Option<BoundKey>,
    pub reply: oneshot::Sender<Outcomes>,
    /// In which whoever asked waits.
    pub span: Span,
    /// Their share of what may wait; given back with them.
    pub place: Place,
}

impl Pending {
    /// The commands, in the order in which they are decided.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &Command> {
        self.asked.iter().map(|(_, command)| command)
    }

    /// The platform on whose account they wait.
    pub(crate) fn platform(&self) -> Option<PlatformId> {
        self.asked.first()?.0.platform
    }

    /// Every idempotency key that has to be looked up.
    pub(crate) fn keys(&self) -> impl Iterator<Item = daybook_log::Key> {
        let own = self.asked.iter().filter_map(|(call, _)| call.key);
        own.chain(self.key).map(|(key, _)| key)
    }
}

/// The answer of one command, not given before the commit.
pub(crate) type Outcome = Result<Submitted, SubmitError>;

/// The answers of commands that came together, in their order; or why none of them was decided.
pub(crate) type Outcomes = Result<Vec<Outcome>, SubmitError>;

/// The answer of a command that came alone.
pub(crate) fn only(outcomes: Outcomes) -> Outcome {
    outcomes?.pop().unwrap_or(Err(SubmitError::Failed))
}
