//! Batches: the requests and answers of the writer.

mod decide;

use std::sync::Arc;

use daybook_domain::{Actor, Command, Key, OperatorId, PlatformId, State, States};
use daybook_log::{Shard, SignedRoot};
use daybook_projector::RecordedEvent;
use daybook_proof::Receipt;
pub(crate) use decide::{Decided, Decider};
use tokio::sync::oneshot;
use tracing::Span;

use crate::error::SubmitError;
use crate::queue_limiter::QueuePermit;

/// An idempotency key with the fingerprint of the body that came with it.
pub type BoundKey = (daybook_log::Key, [u8; 32]);

/// Metadata of a command: its shard, its caller and its idempotency key.
#[derive(Clone, Debug)]
pub struct Call {
    /// Shard of the platform that the command concerns. Its writer decides the command.
    pub shard: Shard,
    /// The caller.
    pub actor: Actor,
    /// Platform in whose queue the command waits; none for commands of background processes.
    pub platform: Option<PlatformId>,
    /// Idempotency key of the request.
    pub key: Option<BoundKey>,
    /// Simulation: the command is decided but nothing is recorded. Its key is checked but not used up.
    pub dry_run: bool,
}

impl Call {
    /// Returns the call of a background process of `shard`.
    #[must_use]
    pub fn of(shard: Shard) -> Self {
        Self { shard, actor: Actor::Process, platform: None, key: None, dry_run: false }
    }

    /// Returns the call of an operator in the shard of a platform. It has no part of the platform's queue.
    #[must_use]
    pub fn by_operator(operator: OperatorId, shard: Shard) -> Self {
        Self { actor: Actor::Operator(operator), ..Self::of(shard) }
    }
}

/// Effects of a command, at exactly the version that it made.
#[derive(Clone, Debug)]
pub struct Submitted {
    /// Last position of the commit, or the position of the head if nothing was recorded.
    pub position: u64,
    /// True if nothing was recorded because the call was a dry run. Its events have the position 0.
    pub dry_run: bool,
    /// Events of the command itself; none if the command changed nothing.
    pub events: Vec<RecordedEvent>,
    /// States of the subject and of every aggregate that the decision read.
    pub states: Vec<(Key, State)>,
    /// Signed root of the commit; none if nothing was recorded or the log is not signed.
    pub signed: Option<Arc<SignedRoot>>,
}

impl Submitted {
    /// Returns the receipt of the command's last event.
    #[must_use]
    pub fn receipt(&self) -> Option<Receipt> {
        self.signed.as_ref()?.receipt(self.position)
    }

    /// Returns true if this call recorded events: it was no dry run, and it changed something.
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        !self.events.is_empty() && !self.dry_run
    }

    /// Marks the result as a dry run at this position.
    fn is_only_decided(&mut self, position: u64) {
        self.position = position;
        for happened in &mut self.events {
            happened.position = 0;
        }
    }
}

impl States for Submitted {
    fn state(&self, key: Key) -> Option<&State> {
        // A handful of states: a linear search is faster than hashing.
        self.states.iter().find(|(found, _)| *found == key).map(|(_, state)| state)
    }
}

/// Commands that wait for their answers. They are decided one after the other and committed together.
pub(crate) struct Pending {
    /// Commands in the order of their decision; at least one.
    pub asked: Vec<(Call, Command)>,
    /// Idempotency key of all commands together.
    pub key: Option<BoundKey>,
    pub reply: oneshot::Sender<Outcomes>,
    /// Tracing span in which the caller waits.
    pub span: Span,
    /// Permit for the queue, released when this value is dropped.
    pub place: QueuePermit,
}

impl Pending {
    /// Returns the commands in the order of their decision.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &Command> {
        self.asked.iter().map(|(_, command)| command)
    }

    /// Returns the platform in whose queue the commands wait.
    pub(crate) fn platform(&self) -> Option<PlatformId> {
        self.asked.first()?.0.platform
    }

    /// Returns every idempotency key that has to be looked up.
    pub(crate) fn keys(&self) -> impl Iterator<Item = daybook_log::Key> {
        let own = self.asked.iter().filter_map(|(call, _)| call.key);
        own.chain(self.key).map(|(key, _)| key)
    }
}

/// Returns the shard of calls that are submitted together.
///
/// # Errors
///
/// [`SubmitError::Failed`] if they name several shards: one commit belongs to one shard.
pub(crate) fn shard_of(asked: &[(Call, Command)]) -> Result<Shard, SubmitError> {
    let mut shards = asked.iter().map(|(call, _)| call.shard);
    let first = shards.next().ok_or(SubmitError::Failed)?;
    if shards.all(|shard| shard == first) { Ok(first) } else { Err(SubmitError::Failed) }
}

/// Result of one command. The caller receives it only after the commit.
pub(crate) type Outcome = Result<Submitted, SubmitError>;

/// Results of commands that were submitted together, in order; or the reason why none of them was decided.
pub(crate) type Outcomes = Result<Vec<Outcome>, SubmitError>;

/// Returns the result of a command that was submitted alone.
pub(crate) fn only(outcomes: Outcomes) -> Outcome {
    outcomes?.pop().unwrap_or(Err(SubmitError::Failed))
}
