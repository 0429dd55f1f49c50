//! Resend the micro-deposits with the same amounts: the owner finds the right ones on any statement, and a guess has no
//! better chance. If none were sent before, this is the first time.

use super::Refusal;
use super::create::{check_owner, find_own};
use super::event::MicroDepositsResent;
use super::micro_deposits::{MicroDeposits, Receiver};
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{NodeId, PlatformId, UserId};
use crate::state::States;
use crate::time::Timestamp;

/// Maximum number of resends. Source: API 3.1, Limits.
pub const MAX_RESENT: u8 = 3;

/// Command to send the micro-deposits again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResendMicroDeposits {
    /// The node.
    pub node: NodeId,
    /// Platform of the caller.
    pub platform: PlatformId,
    /// The calling user, which must own the node.
    pub by: UserId,
    /// The new transactions, and the amounts if none were sent before.
    pub micro_deposits: MicroDeposits,
}

impl Decide for ResendMicroDeposits {
    fn subject(&self) -> Key {
        self.node.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let mut keys = self.micro_deposits.needs(states, self.platform);
        keys.extend([Key::from(self.node), self.by.into()]);
        keys
    }

    /// Decides. The same command again changes nothing.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let node = find_own(states, self.platform, self.node, self.by)?;
        if self.micro_deposits.transactions.iter().any(|id| states.transaction(*id).is_some()) {
            return Ok(vec![]);
        }
        check_owner(states, self.by)?;
        if let Some(answer) = node.no_question(self.node) {
            return Ok(answer?);
        }
        if node.is_locked {
            return Err(Refusal::Locked.into());
        }
        if node.resent >= MAX_RESENT {
            return Err(Refusal::ResentTooOften.into());
        }
        let amounts = node.micro_deposits.unwrap_or(self.micro_deposits.amounts);
        let again = MicroDeposits { amounts, ..self.micro_deposits };
        let to = Receiver { platform: self.platform, node: self.node, owner: self.by, kind: node.kind };
        let mut facts = again.paid(to, states, at)?;
        let count = node.resent.saturating_add(1);
        facts.push(NewEvent::new(
            self.node,
            MicroDepositsResent { transactions: again.transactions, amounts, count },
        ));
        Ok(facts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Currency;
    use crate::node::verify::VerifyMicroDeposits;
    use crate::node::{self, Allowed, NodeKind};
    use crate::operation::Act;
    use crate::testing::fixture::{
        ANN, BOB, PLATFORM, RESERVE, fund, node, operate, transaction, withdrawal, withheld,
    };
    use crate::testing::{World, given};
    use crate::transaction::{Direction, Status};

    const NEW: NodeId = NodeId::from_u128(99);

    fn micro(first: u128, amounts: [i64; 2]) -> MicroDeposits {
        MicroDeposits { amounts, transactions: [first, first + 1].map(transaction) }
    }

    /// A world with a new ACH node of Ann's, to which 7 and 12 cents were sent unless the reserve was empty.
    fn attached(reserve: crate::Command) -> World {
        let micro_deposits = Some(micro(1, [7, 12]));
        let attach = node::create::Create { micro_deposits, ..node(NEW, ANN, NodeKind::AchUs) };
        given([reserve, attach.into()])
    }

    fn again(first: u128) -> ResendMicroDeposits {
        ResendMicroDeposits { node: NEW, platform: PLATFORM, by: ANN, micro_deposits: micro(first, [50, 60]) }
    }

    fn tell(amounts: [i64; 2]) -> VerifyMicroDeposits {
        VerifyMicroDeposits { node: NEW, platform: PLATFORM, by: ANN, amounts }
    }

    #[test]
    fn same_amounts_go_out_again() {
        let world = attached(fund(RESERVE, 100)).when(again(3)).accepted();
        assert_eq!(world.account(RESERVE, Currency::USD).posted, 100 - 2 * (7 + 12));
        for (id, minor) in [(3, 7), (4, 12)].map(|(id, minor)| (transaction(id), minor)) {
            let it = world.transaction(id).expect("made");
            assert_eq!((it.status, it.amount.minor, it.is_micro_deposit), (Status::Settled, minor, true));
            assert_eq!(it.to_submit().map(|(leg, to, _)| (leg, to)), Some((Direction::Push, NEW)));
        }
        world.clone().when(tell([50, 60])).accepted();
        let world = world.when(tell([7, 12])).accepted();
        assert_eq!(world.node(NEW).map(node::Node::allowed), Some(Allowed::CreditAndDebit));
    }

    #[test]
    fn fourth_resend_is_refused() {
        let mut world = attached(fund(RESERVE, 1_000));
        for count in 1..=3 {
            let ids = u128::from(count) * 10;
            let facts = world.submit(&again(ids).into()).expect("accepted");
            let resent = MicroDepositsResent {
                transactions: [ids, ids + 1].map(transaction),
                amounts: [7, 12],
                count,
            };
            assert_eq!(facts.last(), Some(&NewEvent::new(NEW, resent)));
        }
        let world = world.when(again(40)).refused(Refusal::ResentTooOften);
        world.when(again(10)).then([]);
    }

    #[test]
    fn resend_covers_a_failed_first_sending() {
        let world = attached(withdrawal(RESERVE, 99_990).into());
        assert_eq!(world.node(NEW).and_then(|node| node.micro_deposits), None);
        // One of the two amounts would fit.
        let world = world.when(again(3)).refused(Refusal::ReserveAtFloor);
        let mut world = world;
        world.submit(&fund(RESERVE, 1_000)).expect("funded");
        let world = world.when(again(3)).accepted().when(tell([60, 50])).accepted();
        assert_eq!(world.node(NEW).map(node::Node::allowed), Some(Allowed::CreditAndDebit));
    }

    #[test]
    fn closed_or_locked_user_gets_no_resend() {
        for (withheld, refusal) in withheld(ANN) {
            let world = attached(fund(RESERVE, 100)).when(withheld).accepted();
            let world = world.when(again(3)).refused(refusal);
            // The repetition of an earlier command still changes nothing.
            world.when(again(1)).then([]);
        }
    }

    #[test]
    fn locked_or_foreign_node_gets_no_resend() {
        let world = attached(fund(RESERVE, 100));
        let world = world.when(ResendMicroDeposits { by: BOB, ..again(3) }).refused(Refusal::Unknown);
        let locked = world.when(operate(80, Act::LockNode { node: NEW })).accepted();
        locked.when(again(3)).refused(Refusal::Locked);
    }
}
