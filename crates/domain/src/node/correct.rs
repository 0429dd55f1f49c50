//! Correct a node: a bank answers an entry with a notification of change, which has the right data of the account. The
//! data is in the sealed box, so the command brings a whole new box and names the box that it was made from.
//!
//! Each notification makes one event, also if the node has this data already. The caller compares a notification with
//! the earlier events of the node, because the domain cannot open boxes; no concurrent notification is missed, because
//! each of them replaces the box.

use super::create::find;
use super::event::Corrected;
use super::{ChangeCode, Refusal};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{BoxId, NodeId, PlatformId, TransactionId};
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;
use crate::transaction::{self, Direction};
use crate::user::erase::check_sealable;

/// Command to correct the account data of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correct {
    /// The node.
    pub node: NodeId,
    /// Platform whose bank sent the notification.
    pub platform: PlatformId,
    /// Transaction whose entry the notification answers.
    pub transaction: TransactionId,
    /// Leg of the transaction that the entry was.
    pub leg: Direction,
    /// Code of the notification.
    pub code: ChangeCode,
    /// Id of the box from which the new one was made.
    pub from: Option<BoxId>,
    /// Sealed box, class profile: all details of the node, corrected.
    pub details: Sealed,
    /// Origin of the correction.
    pub origin: Origin,
}

impl Decide for Correct {
    fn subject(&self) -> Key {
        self.node.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let owner = states.node(self.node).map(|node| node.user.into());
        [self.node.into(), self.transaction.into()].into_iter().chain(owner).collect()
    }

    /// Decides. Refuses a box that was made from an older one, and a transaction of which no file has an entry to or
    /// from the node. A node that its owner deleted is corrected as well, because its transactions continue.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let node = find(states, self.platform, self.node)?;
        check_sealable(states, node.user)?;
        let sent = states.transaction(self.transaction).filter(|transaction| {
            transaction.platform == self.platform
                && transaction.submitted.contains(&self.leg)
                && transaction.party(self.leg).node() == Some(self.node)
        });
        sent.ok_or(transaction::Refusal::Unknown)?;
        if node.details.as_ref().map(|details| details.id) != self.from {
            return Err(Refusal::Stale.into());
        }
        let Self { transaction, leg, code, origin, .. } = *self;
        let corrected = Corrected { transaction, leg, code, origin, details: Some(self.details.clone()) };
        Ok(vec![NewEvent::new(self.node, corrected)])
    }

    fn weight(&self) -> usize {
        self.details.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Currency;
    use crate::node::deactivate::Deactivate;
    use crate::node::relabel::Relabel;
    use crate::testing::fixture::{
        ANNS, BOB, BOBS, BOBS_BANK, PLATFORM, PULLED, between, bounce, correct, erase, fund, lower, owner,
        retain, sealed, statement, transaction, way,
    };
    use crate::testing::{World, given};
    use crate::user::erase::Erase;
    use crate::user::{self, Permission};

    /// A world in which 60 went from Ann's bank account to Bob's, with an entry for each of them.
    fn sent() -> World {
        given(way(&between(1, PULLED, BOBS_BANK, 60)))
    }

    fn pushed() -> Correct {
        Correct { leg: Direction::Push, ..correct(1, BOBS_BANK, 7) }
    }

    fn details(world: &World, node: NodeId) -> Option<Sealed> {
        world.node(node).and_then(|node| node.details.clone())
    }

    #[test]
    fn notification_replaces_the_box_once() {
        let Correct { transaction, leg, code, origin, .. } = correct(1, PULLED, 7);
        let corrected = Corrected { transaction, leg, code, origin, details: Some(sealed(7)) };
        let world = sent().when(correct(1, PULLED, 7)).then([NewEvent::new(PULLED, corrected)]);
        assert_eq!(details(&world, PULLED), Some(sealed(7)));
        let world = world.when(correct(1, PULLED, 7)).refused(Refusal::Stale);
        let world = world.when(correct(1, PULLED, 8)).refused(Refusal::Stale);
        let from = Some(BoxId::from_u128(7));
        let world = world.when(Correct { from, ..correct(1, PULLED, 8) }).accepted();
        assert_eq!(details(&world, PULLED), Some(sealed(8)));
    }

    #[test]
    fn each_leg_corrects_its_own_node() {
        let world = sent().when(pushed()).accepted();
        assert_eq!(details(&world, BOBS_BANK), Some(sealed(7)));
        assert_eq!(details(&world, PULLED), details(&sent(), PULLED));
    }

    #[test]
    fn relabel_and_correction_lose_nothing() {
        let relabel = |from, to| {
            let from = Some(BoxId::from_u128(from));
            let (by, details) = (owner(PULLED), sealed(to));
            Relabel { node: PULLED, platform: PLATFORM, by, from, changes_supp_id: false, details }
        };
        let world = sent().when(correct(1, PULLED, 7)).accepted();
        let world = world.when(relabel(PULLED.as_u128(), 8)).refused(Refusal::Stale);
        let world = world.when(relabel(7, 8)).accepted();
        world.when(correct(1, PULLED, 9)).refused(Refusal::Stale);
    }

    #[test]
    fn notification_must_answer_an_entry() {
        let refused = |command: Correct, refusal: crate::Refusal| {
            sent().when(command).refused(refusal);
        };
        let pulled = || correct(1, PULLED, 7);
        let other = PlatformId::from_u128(2);
        let not_sent = crate::Refusal::from(transaction::Refusal::Unknown);
        refused(Correct { node: NodeId::from_u128(404), ..pulled() }, Refusal::Unknown.into());
        refused(Correct { platform: other, ..pulled() }, Refusal::Unknown.into());
        refused(Correct { transaction: transaction(404), ..pulled() }, not_sent);
        refused(Correct { node: BOBS_BANK, ..pulled() }, not_sent);
        refused(Correct { leg: Direction::Push, ..pulled() }, not_sent);
        refused(Correct { leg: Direction::Refund, ..pulled() }, not_sent);
        refused(Correct { node: ANNS, ..pulled() }, not_sent);
        let mut unsent = way(&between(1, PULLED, BOBS_BANK, 60));
        unsent.truncate(2);
        given(unsent).when(pulled()).refused(not_sent);
    }

    #[test]
    fn returned_entries_and_deleted_nodes_are_corrected() {
        sent().when(bounce(1, "R03")).accepted().when(correct(1, PULLED, 7)).accepted();
        let gone = Deactivate { node: PULLED, platform: PLATFORM, by: owner(PULLED) };
        let world = sent().when(gone).accepted().when(correct(1, PULLED, 7)).accepted();
        assert_eq!(details(&world, PULLED), Some(sealed(7)));
        assert!(world.node(PULLED).is_some_and(|node| !node.is_active));
    }

    #[test]
    fn erased_owner_gets_no_new_box() {
        let paid = [fund(BOBS, 60)].into_iter().chain(way(&between(1, BOBS, BOBS_BANK, 60)));
        let ended =
            [statement(0, 0, &[(-60, 1)]), lower(BOB, Permission::Closed).into(), retain(BOB, 0).into()];
        let (accounts, transactions) = (vec![(BOBS, Currency::USD)], vec![transaction(1)]);
        let world = given(paid.chain(ended)).when(Erase { accounts, transactions, ..erase(BOB) }).accepted();
        world.when(pushed()).refused(user::Refusal::Erased);
    }
}
