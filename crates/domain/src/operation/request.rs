//! Request an act: an operator performs it, or asks for another operator's approval.

use super::Act;
use super::act::ActContext;
use super::event::Requested;
use crate::actor::{Actor, Origin};
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{OperationId, OperatorId, PlatformId};
use crate::platform;
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;

/// Command to request an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Id of the new operation.
    pub id: OperationId,
    /// Platform of the operation.
    pub platform: PlatformId,
    /// The operator that requests it.
    pub by: OperatorId,
    /// The requested act.
    pub act: Act,
    /// Sealed box, class profile, of the platform's own user: the reason.
    pub reason: Sealed,
}

impl Decide for Request {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let mut keys = self.act.needs(states, self.platform);
        keys.push(self.id.into());
        keys
    }

    /// Decides. An act that waits for approval is decided as if it were carried out at once, so that no operator is
    /// asked to approve an act that the rules refuse. The same command again changes nothing.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        if states.operation(self.id).is_some() {
            return Ok(vec![]);
        }
        let platform = states.platform(self.platform).ok_or(platform::Refusal::Unknown)?;
        let waits = platform.policy.asks_for_approval(&self.act);
        let origin = Origin::of(Actor::Operator(self.by));
        let doing = ActContext { operation: self.id, platform: self.platform, origin, at };
        let done = self.act.facts(states, doing)?;
        let requested = Requested {
            platform: self.platform,
            act: self.act.clone(),
            by: self.by,
            waits,
            reason: Some(self.reason.clone()),
        };
        let done = if waits { vec![] } else { done };
        Ok(std::iter::once(NewEvent::new(self.id, requested)).chain(done).collect())
    }

    fn platform_of_new(&self) -> Option<PlatformId> {
        Some(self.platform)
    }

    fn weight(&self) -> usize {
        self.reason.bytes.len()
    }
}

#[cfg(test)]
mod tests;
