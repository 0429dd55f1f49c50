//! Interface of every command: its subject, the aggregates that it reads, and its decision.

use crate::aggregate::{Key, NewEvent};
use crate::attachment::NewAttachment;
use crate::id::PlatformId;
use crate::refusal::Refusal;
use crate::state::States;
use crate::time::Timestamp;

/// A command. Its decision depends on states and a time, and on nothing else.
pub trait Decide {
    /// Key of the aggregate that the command concerns. A command that creates an aggregate names the new one.
    fn subject(&self) -> Key;

    /// Keys of the aggregates that the decision reads, as far as `states` reveal them.
    ///
    /// The caller loads the named states and calls this method again, until no named state is missing; at most three
    /// times. A key whose aggregate does not exist counts as loaded.
    fn needs(&self, states: &impl States) -> Vec<Key>;

    /// Decides the command at the time `at` of its platform's clock. Returns the events to record, no event if nothing
    /// changes, or a refusal.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if a rule forbids the command.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, Refusal>;

    /// The platform for which the command creates an aggregate under a new id; `None` if it creates nothing.
    fn platform_of_new(&self) -> Option<PlatformId> {
        None
    }

    /// Key of the aggregate that the command creates under an id chosen for it just now. The writer does not check
    /// whether the aggregate exists: recording its first event a second time would fail.
    fn creates(&self) -> Option<Key> {
        self.platform_of_new().map(|_| self.subject())
    }

    /// Approximate size in bytes of the command's sealed boxes and lists, without its attachments. It counts towards
    /// the size of a batch.
    fn weight(&self) -> usize {
        0
    }

    /// Attachments that the command uploads, under ids chosen for them just now.
    fn attachments(&self) -> &[NewAttachment] {
        &[]
    }
}
