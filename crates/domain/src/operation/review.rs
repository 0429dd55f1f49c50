//! Review: another operator approves an operation, which is done then, or declines it.

use super::act::Doing;
use super::event::{Approved, Declined};
use super::{Refusal, Status};
use crate::actor::{Actor, Origin};
use crate::aggregate::{Fact, Key};
use crate::id::{OperationId, OperatorId};
use crate::state::States;
use crate::time::Timestamp;

/// Approves or declines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Review {
    /// The operation.
    pub id: OperationId,
    /// Who reviews; must be another one than who asked.
    pub by: OperatorId,
    /// Whether it shall be done.
    pub approves: bool,
}

impl Review {
    /// The states that the decision looks at, as far as they can be told from those at hand.
    #[must_use]
    pub fn needs(&self, states: &impl States) -> Vec<Key> {
        let operation = states.operation(self.id);
        let act = operation.into_iter().flat_map(|operation| operation.act.needs(states, operation.platform));
        act.chain([self.id.into()]).collect()
    }

    /// Decides. What was possible when it was asked for may be refused by now; it waits on then.
    pub fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<Fact>, crate::Refusal> {
        let operation = states.operation(self.id).ok_or(Refusal::Unknown)?;
        if operation.status != Status::Waiting {
            return Err(Refusal::NotWaiting.into());
        }
        if operation.by == self.by {
            return Err(Refusal::SamePerson.into());
        }
        if !self.approves {
            return Ok(vec![Fact::new(self.id, Declined { by: self.by })]);
        }
        // Who asked is who does it; the approval stands beside it.
        let origin = Origin::of(Actor::Operator(operation.by));
        let doing = Doing { operation: self.id, platform: operation.platform, origin, at };
        let done = operation.act.facts(states, doing)?;
        Ok(std::iter::once(Fact::new(self.id, Approved { by: self.by })).chain(done).collect())
    }
}
