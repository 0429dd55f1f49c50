//! Destroy the keys of evidence whose retention has ended.

use super::event::Destroyed;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::EvidenceId;
use crate::state::States;
use crate::time::Timestamp;

/// Command to destroy the keys of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DestroyEvidence {
    /// The evidence.
    pub id: EvidenceId,
}

impl Decide for DestroyEvidence {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.id.into()]
    }

    /// Decides. Changes nothing before the day, or if the keys are destroyed already.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let kept = states.evidence(self.id).filter(|evidence| !evidence.is_destroyed);
        let is_over = kept.is_some_and(|evidence| at >= evidence.kept_until.start());
        Ok(is_over.then(|| NewEvent::new(self.id, Destroyed {})).into_iter().collect())
    }
}
