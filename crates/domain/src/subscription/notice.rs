//! Notices: the events about which subscriptions are called, with their scopes and actors. One event makes one call,
//! even if a commit holds several events of a record: each call shows the record right after its event. An event makes
//! no call if the record does not show its effect.

use super::Scope;
use crate::actor::Actor;
use crate::aggregate::Kind;
use crate::event::Event;
use crate::subnet::Event as Subnet;
use crate::{node, transaction, user};

/// An event as subscriptions see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Scopes of the event. A subscriber to several of them is called once, under the first.
    scopes: &'static [Scope],
    /// Actor that caused the event.
    pub by: Actor,
}

impl Notice {
    /// Kinds of aggregates that notices are about.
    pub const KINDS: [Kind; 4] = [Kind::User, Kind::Node, Kind::Transaction, Kind::Subnet];

    /// The notice of `event`; `None` if no subscription is called about it.
    #[must_use]
    pub fn of(event: &Event) -> Option<Self> {
        match event {
            Event::User(event) => of_user(event),
            Event::Node(event) => of_node(event),
            Event::Transaction(event) => of_transaction(event),
            Event::Subnet(Subnet::Created(_)) => {
                Some(Self { scopes: &[Scope::SubnetsPost], by: Actor::Platform })
            }
            Event::Subnet(Subnet::Updated(_)) => {
                Some(Self { scopes: &[Scope::SubnetPatch], by: Actor::Platform })
            }
            // An entry is reported by its transaction, an attachment by the record that it came with.
            Event::Account(_) | Event::Attachment(_) => None,
            // These events concern operators and the platform's own settings only.
            Event::Platform(_)
            | Event::Custody(_)
            | Event::Operation(_)
            | Event::Subscription(_)
            | Event::Attestation(_)
            | Event::Statement(_)
            | Event::Evidence(_)
            | Event::Break(_)
            | Event::Roles(_) => None,
        }
    }

    /// The scope under which a subscriber to `subscribed` is called; `None` if it subscribed to none of the event's
    /// scopes.
    #[must_use]
    pub fn scope(&self, subscribed: &[Scope]) -> Option<Scope> {
        self.scopes.iter().copied().find(|scope| subscribed.contains(scope))
    }
}

fn of_user(event: &user::Event) -> Option<Notice> {
    use user::Event as User;
    let patched = |by| Some(Notice { scopes: &[Scope::UserPatch], by });
    match event {
        User::Created(_) => Some(Notice { scopes: &[Scope::UsersPost], by: Actor::Platform }),
        User::DocumentAdded(_) | User::DocumentChanged(_) | User::DocumentRemoved(_) => {
            patched(Actor::Platform)
        }
        User::Verified(_) => patched(Actor::Process),
        User::PermissionSet(set) => patched(set.origin.by),
        User::Locked(locked) => patched(locked.origin.by),
        User::Unlocked(unlocked) => patched(unlocked.origin.by),
        User::ProfileSet(set) => patched(set.origin.by),
        User::Erased(erased) => patched(erased.origin.by),
        User::RetentionSet(_) | User::MicroDepositsCounted(_) => None,
    }
}

fn of_node(event: &node::Event) -> Option<Notice> {
    use node::Event as Node;
    let patched = |by| Some(Notice { scopes: &[Scope::NodePatch], by });
    match event {
        Node::Created(_) => Some(Notice { scopes: &[Scope::NodesPost], by: Actor::Platform }),
        Node::Deactivated(deactivated) => {
            Some(Notice { scopes: &[Scope::NodeDelete], by: deactivated.origin.by })
        }
        Node::Locked(locked) => patched(locked.origin.by),
        Node::Unlocked(unlocked) => patched(unlocked.origin.by),
        Node::AuthorizationEnded(ended) => patched(ended.origin.by),
        Node::Corrected(corrected) => patched(corrected.origin.by),
        Node::MicroDepositsSent(_) | Node::MicroDepositsFailed(_) => patched(Actor::Process),
        Node::MicroDepositsVerified(_)
        | Node::MicroDepositsMissed(_)
        | Node::MicroDepositsResent(_)
        | Node::MicroDepositsInapplicable(_)
        | Node::Relabeled(_) => patched(Actor::Platform),
        Node::LimitsSet(_) => None,
    }
}

fn of_transaction(event: &transaction::Event) -> Option<Notice> {
    use transaction::Event as Transaction;
    let patched = |by| Some(Notice { scopes: &[Scope::TranPatch], by });
    match event {
        Transaction::Created(created) => Some(Notice { scopes: &[Scope::TransPost], by: created.origin.by }),
        Transaction::DebitStarted(step) => patched(step.origin.by),
        Transaction::CreditStarted(step) => patched(step.origin.by),
        Transaction::Settled(step) => patched(step.origin.by),
        Transaction::Canceled(step) => {
            Some(Notice { scopes: &[Scope::TranPatch, Scope::TranDelete], by: step.origin.by })
        }
        Transaction::Commented(commented) => patched(Actor::User(commented.by)),
        Transaction::Queued(step) => patched(step.origin.by),
        Transaction::Released(step) => patched(step.origin.by),
        Transaction::Returned(step) => patched(step.origin.by),
        // Exchanges between the ledger and its bank: the status of the transaction does not change.
        Transaction::Submitted(_)
        | Transaction::Cleared(_)
        | Transaction::Reopened(_)
        | Transaction::WrittenOff(_)
        | Transaction::ReturnContested(_)
        | Transaction::Withdrawn(_) => None,
        // The step that contains the event is reported instead: the debit, or the settlement with its note.
        Transaction::Announced(_) | Transaction::FeesRedirected(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Origin;
    use crate::id::OperatorId;
    use crate::transaction::{CancelReason, Canceled, Withdrawn};

    #[test]
    fn event_with_two_scopes_makes_one_call() {
        let by = Actor::Operator(OperatorId::from_u128(1));
        let reason = CancelReason::Requested;
        let notice = Notice::of(&Canceled { reason, postings: None, origin: Origin::of(by) }.into());
        let notice = notice.expect("is one");
        let table = [
            (vec![Scope::TranDelete, Scope::TranPatch], Some(Scope::TranPatch)),
            (vec![Scope::TranPatch], Some(Scope::TranPatch)),
            (vec![Scope::TranDelete], Some(Scope::TranDelete)),
            (vec![Scope::TransPost, Scope::TranGet], None),
            (vec![], None),
        ];
        for (subscribed, expected) in table {
            assert_eq!(notice.scope(&subscribed), expected, "{subscribed:?}");
        }
        assert_eq!(notice.by, by);
    }

    #[test]
    fn invisible_event_makes_no_call() {
        let direction = crate::transaction::Direction::Push;
        assert_eq!(Notice::of(&Withdrawn { direction }.into()), None);
    }
}
