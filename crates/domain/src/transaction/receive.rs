//! Receive: money from outside comes onto a held node and is settled at once.

use super::event::{Created, Settled};
use super::{Party, Refusal};
use crate::account::Limit;
use crate::aggregate::{Fact, Key};
use crate::id::{AccountId, NodeId, PlatformId, TransactionId, UserId};
use crate::money::Money;
use crate::node::{self, NodeKind};
use crate::posting::Rail;
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;
use crate::{Refusal as No, movement};

/// Tells that money came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receive {
    /// The id that the transaction shall have.
    pub id: TransactionId,
    /// The platform of the node.
    pub platform: PlatformId,
    /// The receiver.
    pub to: NodeId,
    /// What came.
    pub amount: Money,
    /// The way it came.
    pub rail: Rail,
    /// Made by a call of the sandbox.
    pub simulated: bool,
    /// Box, class profile of the receiver's owner: the note.
    pub details: Sealed,
}

impl Receive {
    /// The states that the decision looks at.
    #[must_use]
    pub fn needs(&self) -> Vec<Key> {
        vec![self.id.into(), self.to.into(), AccountId::of(self.to, self.amount.currency).into()]
    }

    /// Decides. The same command again changes nothing.
    pub fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<Fact>, No> {
        if states.transaction(self.id).is_some() {
            return Ok(vec![]);
        }
        let receiver = node::create::find(states, self.platform, self.to)?;
        if !receiver.kind.is_held() {
            return Err(node::Refusal::NotHeld.into());
        }
        self.onto(receiver.user, receiver.kind, states, at)
    }

    /// The facts for a receiver that was looked up already, or that is made in the same decision.
    pub(crate) fn onto(
        &self,
        owner: UserId,
        kind: NodeKind,
        states: &impl States,
        at: Timestamp,
    ) -> Result<Vec<Fact>, No> {
        if !self.amount.may_move() {
            return Err(Refusal::OutOfRange.into());
        }
        let movement = movement::receive(self.rail, self.to, self.amount);
        let entries = movement.entries(states, self.amount.currency, Limit::Zero, self.id);
        let entries = entries.map_err(|_| Refusal::OutOfRange)?;
        let created = Created {
            platform: self.platform,
            from: Party::Outside { rail: self.rail },
            to: Party::Node { id: self.to, user: owner, kind },
            subject: owner,
            amount: self.amount,
            fees: vec![],
            hold: 0,
            process_on: at,
            pace_ms: 0,
            simulated: self.simulated,
            details: Some(self.details.clone()),
        };
        let settled = movement.postings.map(|postings| Fact::new(self.id, Settled { postings }));
        Ok(std::iter::once(Fact::new(self.id, created)).chain(settled).chain(entries).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::{Currency, MAX_MINOR};
    use crate::posting::{LedgerAccount, Posting, Postings};
    use crate::testing::fixture::{
        ANN, ANNS, OUTSIDE, PLATFORM, entry, fund, income, on_node, party, sealed, usd,
    };
    use crate::testing::given;
    use crate::transaction::Status;

    #[test]
    fn money_from_outside_is_settled_at_once() {
        let income = income(ANNS, 100);
        let created = Created {
            platform: PLATFORM,
            from: Party::Outside { rail: Rail::Ach },
            to: party(ANNS, ANN),
            subject: ANN,
            amount: usd(100),
            fees: vec![],
            hold: 0,
            process_on: Timestamp::default(),
            pace_ms: 0,
            simulated: true,
            details: Some(sealed(7)),
        };
        let pulled = Posting { account: LedgerAccount::RailIn(Rail::Ach), amount: 100 };
        let postings = Postings::new(Currency::USD, vec![pulled, on_node(ANNS, -100)]).expect("balanced");
        let world = given([]).when(income.clone()).then([
            Fact::new(income.id, created),
            Fact::new(income.id, Settled { postings }),
            entry(ANNS, income.id, (100, 0, 0), (100, 0, 0)),
        ]);
        assert_eq!(world.transaction(income.id).map(|transaction| transaction.status), Some(Status::Settled));
    }

    #[test]
    fn the_same_money_comes_once() {
        given([fund(ANNS, 100)]).when(fund(ANNS, 100)).then([]);
    }

    #[test]
    fn it_adds_to_what_is_there() {
        let more = income(ANNS, 20);
        let world = given([fund(ANNS, 100)]).when(more).accepted();
        assert_eq!(world.account(ANNS, Currency::USD).posted, 120);
    }

    #[test]
    fn what_cannot_take_money_in_is_refused() {
        given([]).when(income(NodeId::from_u128(404), 1)).refused(node::Refusal::Unknown);
        given([]).when(income(OUTSIDE, 1)).refused(node::Refusal::NotHeld);
        let foreign = Receive { platform: PlatformId::from_u128(2), ..income(ANNS, 1) };
        given([]).when(foreign).refused(node::Refusal::Unknown);
    }

    #[test]
    fn an_amount_or_a_balance_out_of_range_is_refused() {
        for minor in [0, -1, MAX_MINOR + 1] {
            given([fund(ANNS, 100)]).when(income(ANNS, minor)).refused(Refusal::OutOfRange);
        }
        given([]).when(income(ANNS, MAX_MINOR)).accepted();
        let mut full = given([]);
        full.record(&[entry(ANNS, income(ANNS, 9).id, (i64::MAX, 0, 0), (i64::MAX, 0, 0))]);
        full.when(income(ANNS, 1)).refused(Refusal::OutOfRange);
    }
}
