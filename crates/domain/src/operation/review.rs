//! Review an operation: another operator approves it, which carries it out, or declines it.

use super::act::ActContext;
use super::event::{Approved, Cause, Declined};
use super::{Refusal, Status};
use crate::actor::{Actor, Origin};
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{OperationId, OperatorId};
use crate::state::States;
use crate::time::Timestamp;

/// Command to approve or decline an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Review {
    /// The operation.
    pub id: OperationId,
    /// The operator that reviews; must not be the one that requested it.
    pub by: OperatorId,
    /// True to approve, false to decline.
    pub approves: bool,
    /// True if the operator that requested it was revoked in the meantime, or lost the role. The caller supplies it,
    /// because credentials are kept outside the log, and roles in another shard.
    pub asker_is_revoked: bool,
}

impl Decide for Review {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let operation = states.operation(self.id);
        let act = operation.into_iter().flat_map(|operation| operation.act.needs(states, operation.platform));
        act.chain([self.id.into()]).collect()
    }

    /// Decides. The rules may refuse an act that they allowed at the request; the operation keeps waiting then. The act
    /// of an operator that was revoked in the meantime is declined, even if the reviewer approves.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let operation = states.operation(self.id).ok_or(Refusal::Unknown)?;
        if operation.status != Status::Waiting {
            return Err(Refusal::NotWaiting.into());
        }
        if operation.by == self.by {
            return Err(Refusal::SamePerson.into());
        }
        if !self.approves {
            return Ok(vec![NewEvent::new(self.id, Declined { by: self.by, because: None })]);
        }
        if self.asker_is_revoked {
            let because = Some(Cause::AskerRevoked);
            return Ok(vec![NewEvent::new(self.id, Declined { by: self.by, because })]);
        }
        // The operator that requested the act is its actor; the approval is an event of its own.
        let origin = Origin::of(Actor::Operator(operation.by));
        let doing = ActContext { operation: self.id, platform: operation.platform, origin, at };
        let done = operation.act.facts(states, doing)?;
        Ok(std::iter::once(NewEvent::new(self.id, Approved { by: self.by })).chain(done).collect())
    }
}

impl Review {
    /// A review of an operation whose requesting operator is not revoked.
    #[must_use]
    pub const fn new(id: OperationId, by: OperatorId, approves: bool) -> Self {
        Self { id, by, approves, asker_is_revoked: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{self, Locked};
    use crate::operation::{Act, ActKind};
    use crate::platform::Policy;
    use crate::testing::fixture::{
        ANNS, BOBS, OLGA, OTTO, PLATFORM, debit, fund, on_node, operate, pay, postings, review, set_policy,
        transaction as number,
    };
    use crate::testing::{World, given};
    use crate::transaction;
    use crate::{Command, Currency};

    const ID: OperationId = OperationId::from_u128(80);

    /// A world in which Olga requested an act that needs approval.
    fn waiting(act: Act) -> World {
        let policy = Policy { approvals: [act.kind()].into(), ..Policy::default() };
        given([fund(ANNS, 100), pay(1, 60), set_policy(90, policy), operate(80, act).into()])
    }

    fn locking() -> World {
        waiting(Act::LockNode { node: ANNS })
    }

    #[test]
    fn approved_act_names_the_requesting_operator() {
        let origin = Origin::of(Actor::Operator(OLGA));
        let world = locking().when(review(80, OTTO, true)).then([
            NewEvent::new(ID, Approved { by: OTTO }),
            NewEvent::new(ANNS, Locked { code: None, origin }),
        ]);
        let operation = world.operation(ID).expect("asked for");
        assert_eq!((operation.status, operation.by, operation.reviewer), (Status::Done, OLGA, Some(OTTO)));
        assert_eq!(world.node(ANNS).map(node::Node::allowed), Some(node::Allowed::Locked));
    }

    #[test]
    fn declined_act_is_not_carried_out() {
        let world = locking()
            .when(review(80, OTTO, false))
            .then([NewEvent::new(ID, Declined { by: OTTO, because: None })]);
        assert_eq!(world.operation(ID).map(|operation| operation.status), Some(Status::Declined));
        assert!(world.node(ANNS).is_some_and(|node| !node.is_locked));
    }

    #[test]
    fn act_of_revoked_operator_is_declined() {
        for approves in [true, false] {
            let because = approves.then_some(Cause::AskerRevoked);
            let late = Review { asker_is_revoked: true, ..Review::new(ID, OTTO, approves) };
            let world =
                locking().when(Command::from(late)).then([NewEvent::new(ID, Declined { by: OTTO, because })]);
            assert_eq!(world.operation(ID).map(|operation| operation.status), Some(Status::Declined));
            assert!(world.node(ANNS).is_some_and(|node| !node.is_locked));
            world.when(review(80, OTTO, true)).refused(Refusal::NotWaiting);
        }
    }

    #[test]
    fn operators_cannot_review_their_own_request() {
        locking().when(review(80, OLGA, true)).refused(Refusal::SamePerson);
        locking().when(review(80, OLGA, false)).refused(Refusal::SamePerson);
    }

    #[test]
    fn only_waiting_operations_are_reviewed_once() {
        for approves in [true, false] {
            let reviewed = locking().when(review(80, OTTO, approves)).accepted();
            for again in [true, false] {
                reviewed.clone().when(review(80, OTTO, again)).refused(Refusal::NotWaiting);
            }
        }
        let done = given([operate(80, Act::LockNode { node: ANNS }).into()]);
        done.when(review(80, OTTO, true)).refused(Refusal::NotWaiting);
        given([]).when(review(80, OTTO, true)).refused(Refusal::Unknown);
    }

    #[test]
    fn approval_refused_by_rules_keeps_waiting() {
        let world = waiting(Act::Cancel { transaction: number(1) });
        let gone = world.when(debit(1)).accepted();
        let too_late = transaction::Refusal::CannotCancel(transaction::Status::ProcessingDebit);
        let world = gone.when(review(80, OTTO, true)).refused(too_late);
        assert_eq!(world.operation(ID).map(|operation| operation.status), Some(Status::Waiting));
        world.when(review(80, OTTO, false)).accepted();
    }

    #[test]
    fn money_moves_at_approval_not_at_request() {
        let moved = postings(&[on_node(ANNS, 40), on_node(BOBS, -40)]);
        let world = waiting(Act::Journal { postings: moved, effective_at: None, clears: vec![] });
        assert_eq!(world.account(BOBS, Currency::USD).posted, 0);
        let world = world.when(review(80, OTTO, true)).accepted();
        assert_eq!(world.account(BOBS, Currency::USD).posted, 40);
    }

    #[test]
    fn policy_change_may_need_two_operators() {
        let world = waiting(Act::SetPolicy { policy: Policy::default() });
        let kinds = |world: &World| world.platform(PLATFORM).map(|platform| platform.policy.approvals.len());
        assert_eq!(kinds(&world), Some(1));
        assert_eq!(kinds(&world.when(Command::from(review(80, OTTO, true))).accepted()), Some(0));
        assert_eq!(Act::SetPolicy { policy: Policy::default() }.kind(), ActKind::SetPolicy);
    }
}
