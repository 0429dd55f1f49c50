//! Verify: the owner reports the micro-deposits, after which money may be pulled from the bank account. A wrong report
//! is not refused: it is recorded and counted, and the fifth one locks the node.

use super::Refusal;
use super::create::{check_owner, find_own};
use super::event::{Locked, MicroDepositsMissed, MicroDepositsVerified};
use crate::actor::{Actor, Origin};
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{NodeId, PlatformId, UserId};
use crate::state::States;
use crate::time::Timestamp;

/// Number of wrong reports that locks the node. Source: API 3.1, Limits.
pub const MAX_MISSED: u8 = 5;

/// Command to report the micro-deposits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyMicroDeposits {
    /// The node.
    pub node: NodeId,
    /// Platform of the caller.
    pub platform: PlatformId,
    /// The calling user, which must own the node.
    pub by: UserId,
    /// The amounts in either order, minor units of USD.
    pub amounts: [i64; 2],
}

impl Decide for VerifyMicroDeposits {
    fn subject(&self) -> Key {
        self.node.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.node.into(), self.by.into()]
    }

    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let node = find_own(states, self.platform, self.node, self.by)?;
        check_owner(states, self.by)?;
        if let Some(answer) = node.no_question(self.node) {
            return Ok(answer?);
        }
        if node.is_locked {
            return Err(Refusal::Locked.into());
        }
        let sent = node.micro_deposits.ok_or(Refusal::NoMicroDeposits)?;
        if sorted(sent) == sorted(self.amounts) {
            return Ok(vec![NewEvent::new(self.node, MicroDepositsVerified {})]);
        }
        let attempts = node.missed.saturating_add(1);
        let missed = NewEvent::new(self.node, MicroDepositsMissed { attempts });
        let locked =
            NewEvent::new(self.node, Locked { code: None, origin: Origin::of(Actor::User(self.by)) });
        Ok(if attempts < MAX_MISSED { vec![missed] } else { vec![missed, locked] })
    }
}

fn sorted(mut amounts: [i64; 2]) -> [i64; 2] {
    amounts.sort_unstable();
    amounts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::TransactionId;
    use crate::node::micro_deposits::MicroDeposits;
    use crate::node::{self, Allowed, NodeKind};
    use crate::testing::fixture::{ANN, BOB, OUTSIDE, PLATFORM, RESERVE, fund, node, withheld};
    use crate::testing::{World, given};

    const NEW: NodeId = NodeId::from_u128(99);

    fn tell(amounts: [i64; 2]) -> VerifyMicroDeposits {
        VerifyMicroDeposits { node: NEW, platform: PLATFORM, by: ANN, amounts }
    }

    /// A world with a new ACH node of Ann's, to which 7 and 12 cents were sent.
    fn attached() -> World {
        let transactions = [1, 2].map(TransactionId::from_u128);
        let micro_deposits = Some(MicroDeposits { amounts: [7, 12], transactions });
        let attach = node::create::Create { micro_deposits, ..node(NEW, ANN, NodeKind::AchUs) };
        given([fund(RESERVE, 1_000), attach.into()])
    }

    fn after_wrong_guesses(count: usize) -> World {
        (0..count).fold(attached(), |world, _| world.when(tell([7, 13])).accepted())
    }

    #[test]
    fn right_amounts_in_either_order_permit_debits() {
        for amounts in [[7, 12], [12, 7]] {
            let world = attached().when(tell(amounts)).then([NewEvent::new(NEW, MicroDepositsVerified {})]);
            assert_eq!(world.node(NEW).map(node::Node::allowed), Some(Allowed::CreditAndDebit));
        }
    }

    #[test]
    fn fifth_wrong_report_locks_the_node() {
        let missed = |attempts| NewEvent::new(NEW, MicroDepositsMissed { attempts });
        for attempts in 1..5 {
            let before = after_wrong_guesses(usize::from(attempts) - 1);
            before.when(tell([7, 7])).then([missed(attempts)]);
        }
        let locked = NewEvent::new(NEW, Locked { code: None, origin: Origin::of(Actor::User(ANN)) });
        let world = after_wrong_guesses(4).when(tell([7, 7])).then([missed(5), locked]);
        world.when(tell([7, 12])).refused(Refusal::Locked);
    }

    #[test]
    fn four_wrong_reports_do_no_harm() {
        after_wrong_guesses(4).when(tell([7, 12])).accepted();
    }

    #[test]
    fn only_the_owner_may_report() {
        attached().when(VerifyMicroDeposits { by: BOB, ..tell([7, 12]) }).refused(Refusal::Unknown);
        let foreign = VerifyMicroDeposits { platform: PlatformId::from_u128(2), ..tell([7, 12]) };
        attached().when(foreign).refused(Refusal::Unknown);
    }

    #[test]
    fn closed_or_locked_user_may_not_report() {
        for (withheld, refusal) in withheld(ANN) {
            attached().when(withheld).accepted().when(tell([7, 12])).refused(refusal);
        }
    }

    #[test]
    fn node_without_micro_deposits_refuses_reports() {
        let other = VerifyMicroDeposits { node: OUTSIDE, ..tell([7, 12]) };
        given([]).when(other).refused(Refusal::NoMicroDeposits);
    }
}
