//! End of a batch: answers for its callers, or an error after which the batch is retried.

use std::time::Duration;

use daybook_domain::{Command, Decide};
use daybook_log::Error as LogError;
use daybook_pg::Causes;

use crate::batch::{Outcomes, Pending};
use crate::error::{Failure, SubmitError};

/// Error of an attempt that ended without a commit.
pub(super) enum AttemptError {
    /// Nothing was appended; a retry may succeed.
    Later,
    /// Nothing was appended: the disk of the database is full.
    Full,
    /// Nothing was appended, and the cache may be wrong.
    Stale,
    /// Nothing was appended, because another server has taken the place of the one that was read. The cache may be
    /// wrong; no command is at fault.
    Moved,
    /// The log is corrupt. The writer stops; it never continues on unknown state.
    Corrupt,
    /// The log was replaced by another one: everything that this process caches may be wrong.
    Replaced,
}

impl AttemptError {
    /// Returns the value of the metric's label.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Later => "later",
            Self::Full => "full",
            Self::Stale | Self::Moved => "stale",
            Self::Corrupt => "corrupt",
            Self::Replaced => "replaced",
        }
    }
}

/// Sends all available answers. Returns the commands without one.
pub(super) fn give(batch: Vec<Pending>, outcomes: Vec<Option<Outcomes>>) -> Vec<Pending> {
    let mut deferred = Vec::new();
    for (pending, outcomes) in batch.into_iter().zip(outcomes) {
        match outcomes {
            Some(outcomes) => answer(pending, outcomes),
            None => deferred.push(pending),
        }
    }
    deferred
}

/// Sends the same error to all callers.
pub(super) fn refuse(batch: Vec<Pending>, error: impl Fn() -> SubmitError) {
    for pending in batch {
        answer(pending, Err(error()));
    }
}

pub(super) fn answer(pending: Pending, outcomes: Outcomes) {
    // The caller may have stopped waiting; the commit stands.
    let _ = pending.reply.send(outcomes);
}

pub(super) fn attempt_error(failure: Failure) -> AttemptError {
    match failure {
        Failure::Log(error @ LogError::Unavailable(_)) => {
            tracing::warn!(error = %Causes(&error), "nothing was appended");
            if error.is_full() { AttemptError::Full } else { AttemptError::Later }
        }
        Failure::Log(LogError::Conflict | LogError::Refused(_) | LogError::Unknown(_)) => {
            tracing::warn!(failure = %Causes(&failure), "a batch was not appended");
            AttemptError::Stale
        }
        Failure::Read(_) | Failure::UnexpectedEvent(_) | Failure::Unread(_) => {
            tracing::error!(failure = %Causes(&failure), "a state cannot be read");
            AttemptError::Stale
        }
        Failure::Unwritable(_) => {
            tracing::error!(failure = %Causes(&failure), "an event cannot be written");
            AttemptError::Stale
        }
        Failure::Log(LogError::Moved) => {
            tracing::warn!("the log is on another server now");
            AttemptError::Moved
        }
        Failure::Log(LogError::Replaced { .. }) => {
            tracing::error!(failure = %Causes(&failure), "the log was replaced, so this process must end");
            AttemptError::Replaced
        }
        Failure::Log(LogError::Corrupt { .. }) => {
            tracing::error!(failure = %Causes(&failure), "the log cannot be trusted");
            AttemptError::Corrupt
        }
    }
}

/// Returns the approximate bytes that a command adds to a batch: its boxes, and those of its attachments.
pub(crate) fn weight(command: &Command) -> usize {
    let files = command.attachments().iter().map(|attachment| attachment.contents.bytes.len());
    command.weight() + files.sum::<usize>()
}

/// Exponential backoff, from 20 ms to 1 s.
#[derive(Default)]
pub(super) struct Backoff(u32);

impl Backoff {
    pub(super) async fn pause(&mut self) {
        tokio::time::sleep(Duration::from_millis(20 << self.0.min(6)).min(Duration::from_secs(1))).await;
        self.0 += 1;
    }
}
