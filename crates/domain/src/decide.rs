//! The questions that every command answers: its subject, the states that its decision looks at, and what follows.

use crate::aggregate::{Fact, Key};
use crate::attachment::NewAttachment;
use crate::id::PlatformId;
use crate::refusal::Refusal;
use crate::state::States;
use crate::time::Timestamp;

/// A command that is decided on states, at a time.
pub trait Decide {
    /// The aggregate that the command is about; what it makes, if it makes one.
    fn subject(&self) -> Key;

    /// The states that the decision looks at, as far as they can be told from those at hand. Asked again after those are
    /// there, until it names none that is missing; at most three times.
    fn needs(&self, states: &impl States) -> Vec<Key>;

    /// Decides at `at` on the clock of the command's platform: facts to record, none if it is so already, or a refusal.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the rules say no.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<Fact>, Refusal>;

    /// The platform for which the command makes something under an id of its own; none if it makes nothing.
    fn makes_for(&self) -> Option<PlatformId> {
        None
    }

    /// The aggregate that the command makes under an id that was chosen for it just now. The writer does not look whether it exists
    /// already; if it did, recording its first event once more would fail.
    fn makes(&self) -> Option<Key> {
        self.makes_for().map(|_| self.subject())
    }

    /// About how many bytes the command holds in boxes and lists, without its files: what it adds to a batch.
    fn weight(&self) -> usize {
        0
    }

    /// The files that come with the command, under ids that were chosen for them just now.
    fn attachments(&self) -> &[NewAttachment] {
        &[]
    }
}
