//! External transfer: money crosses the border of the ledger and settles at once. It comes from outside to a held node,
//! or goes out from one.

use super::event::{Created, Settled};
use super::{Party, Refusal};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{AccountId, NodeId, PlatformId, TransactionId, UserId};
use crate::money::Money;
use crate::movement::{self, PostingContext};
use crate::node::{self, NodeKind};
use crate::posting::{LedgerAccount, Rail};
use crate::sealed::Sealed;
use crate::state::States;
use crate::time::Timestamp;
use crate::{Refusal as No, platform, user};

/// Direction of an external transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferDirection {
    /// From outside to the node.
    In,
    /// From the node to the outside.
    Out,
}

/// Command to record an external transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalTransfer {
    /// Id of the new transaction.
    pub id: TransactionId,
    /// Platform of the node.
    pub platform: PlatformId,
    /// The held node.
    pub node: NodeId,
    /// Direction of the transfer.
    pub direction: TransferDirection,
    /// Amount of the transfer.
    pub amount: Money,
    /// The rail.
    pub rail: Rail,
    /// True if the call also carried the platform's own credentials.
    pub by_gateway: bool,
    /// Origin of the transfer.
    pub origin: Origin,
    /// Sealed box, class profile, of the node's owner: the note.
    pub details: Sealed,
}

impl Decide for ExternalTransfer {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let account = AccountId::of(self.node, self.amount.currency);
        let owner = states.node(self.node).map(|node| node.user.into());
        [self.id.into(), self.platform.into(), self.node.into(), account.into()]
            .into_iter()
            .chain(owner)
            .collect()
    }

    /// Decides. The same command again changes nothing.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, No> {
        if states.transaction(self.id).is_some() {
            return Ok(vec![]);
        }
        let node = node::create::find_active(states, self.platform, self.node)?;
        if !node.kind.is_held() {
            return Err(node::Refusal::NotHeld.into());
        }
        if states.user(node.user).is_none_or(|owner| owner.permitted.is_closed()) {
            return Err(user::Refusal::Closed.into());
        }
        if node.gateway_restricted && !self.by_gateway && self.direction == TransferDirection::Out {
            return Err(Refusal::GatewayOnly.into());
        }
        if node.is_locked && self.direction == TransferDirection::Out {
            return Err(node::Refusal::Locked.into());
        }
        let platform = states.platform(self.platform).ok_or(platform::Refusal::Unknown)?;
        if !platform.policy.enables(self.amount.currency) {
            return Err(platform::Refusal::CurrencyDisabled.into());
        }
        self.facts(node.user, node.kind, states, at)
    }

    fn platform_of_new(&self) -> Option<PlatformId> {
        Some(self.platform)
    }

    fn weight(&self) -> usize {
        self.details.bytes.len()
    }
}

impl ExternalTransfer {
    /// Events for a node that was checked already, or that is created in the same decision.
    pub(crate) fn facts(
        &self,
        owner: UserId,
        kind: NodeKind,
        states: &impl States,
        at: Timestamp,
    ) -> Result<Vec<NewEvent>, No> {
        if !self.amount.may_move() {
            return Err(Refusal::OutOfRange.into());
        }
        let node = LedgerAccount::Node(self.node);
        let own = Party::Node { id: self.node, user: owner, kind };
        let outside = Party::Outside { rail: self.rail };
        let ((from, to), movement) = match self.direction {
            TransferDirection::In => {
                let source = LedgerAccount::RailIn(self.rail);
                ((outside, own), movement::immediate(source, node, self.amount))
            }
            TransferDirection::Out => {
                let target = LedgerAccount::RailOut(self.rail);
                ((own, outside), movement::immediate(node, target, self.amount))
            }
        };
        let context = PostingContext::forward(self.platform, self.id, at);
        let entries = movement.entries(states, self.amount.currency, context).map_err(|shortfall| {
            let Money { currency, .. } = self.amount;
            match self.direction {
                TransferDirection::In => Refusal::OutOfRange,
                TransferDirection::Out => {
                    Refusal::InsufficientBalance { shortfall, node: self.node, currency }
                }
            }
        })?;
        let created = Created {
            platform: self.platform,
            from,
            to,
            subject: owner,
            amount: self.amount,
            fees: vec![],
            hold: 0,
            process_on: at,
            pace_ms: 0,
            attachments: vec![],
            is_micro_deposit: false,
            again: 0,
            origin: self.origin,
            details: Some(self.details.clone()),
        };
        let settled = Settled { postings: movement.postings, origin: self.origin };
        let facts = [NewEvent::new(self.id, created), NewEvent::new(self.id, settled)];
        Ok(facts.into_iter().chain(entries).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Shortfall;
    use crate::money::{Currency, MAX_MINOR};
    use crate::posting::{LedgerAccount, Posting, Postings};
    use crate::testing::fixture::{
        ANN, ANNS, BOB, BOBS, GATED, OUTSIDE, PLATFORM, counted, entry, fund, income, lower, on_node, party,
        pay, usd, withdrawal,
    };
    use crate::testing::given;
    use crate::transaction::Status;
    use crate::user::Permission;

    #[test]
    fn external_money_settles_at_once() {
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
            attachments: vec![],
            is_micro_deposit: false,
            again: 0,
            origin: Origin::simulated(),
            details: Some(income.details.clone()),
        };
        let pulled = Posting { account: LedgerAccount::RailIn(Rail::Ach), amount: 100 };
        let postings = Postings::new(Currency::USD, vec![pulled, on_node(ANNS, -100)]).expect("balanced");
        let world = given([]).when(income.clone()).then([
            NewEvent::new(income.id, created),
            NewEvent::new(income.id, Settled { postings: Some(postings), origin: Origin::simulated() }),
            counted(entry(ANNS, income.id, (100, 0, 0), (100, 0, 0)), 100, 0),
        ]);
        assert_eq!(world.transaction(income.id).map(|transaction| transaction.status), Some(Status::Settled));
    }

    #[test]
    fn outgoing_transfer_settles_at_once() {
        let out = withdrawal(ANNS, 60);
        let sent = Posting { account: LedgerAccount::RailOut(Rail::Ach), amount: -60 };
        let postings = Postings::new(Currency::USD, vec![on_node(ANNS, 60), sent]).expect("balanced");
        let mut world = given([fund(ANNS, 100)]);
        let facts = world.submit(&out.clone().into()).expect("accepted");
        let settled = Settled { postings: Some(postings), origin: Origin::simulated() };
        assert_eq!(facts.get(1), Some(&NewEvent::new(out.id, settled)));
        let left = counted(entry(ANNS, out.id, (-60, 0, 0), (40, 0, 0)), 100, 60);
        assert_eq!(facts.get(2..), Some([left].as_slice()));
        let it = world.transaction(out.id).expect("created");
        assert_eq!((it.from, it.to), (party(ANNS, ANN), Party::Outside { rail: Rail::Ach }));
        world.when(out).then([]);
    }

    #[test]
    fn outgoing_transfer_needs_available_money() {
        let refusal = |needed, available, held| Refusal::InsufficientBalance {
            shortfall: Shortfall { needed, available, held },
            node: ANNS,
            currency: Currency::USD,
        };
        given([fund(ANNS, 100)]).when(withdrawal(ANNS, 101)).refused(refusal(101, 100, 0));
        given([fund(ANNS, 100), pay(1, 60)]).when(withdrawal(ANNS, 41)).refused(refusal(41, 40, 60));
        given([fund(ANNS, 100), pay(1, 60)]).when(withdrawal(ANNS, 40)).accepted();
    }

    #[test]
    fn repeated_transfer_changes_nothing() {
        given([fund(ANNS, 100)]).when(fund(ANNS, 100)).then([]);
    }

    #[test]
    fn transfers_add_to_the_balance() {
        let more = income(ANNS, 20);
        let world = given([fund(ANNS, 100)]).when(more).accepted();
        assert_eq!(world.account(ANNS, Currency::USD).posted, 120);
    }

    #[test]
    fn unknown_or_external_node_is_refused() {
        given([]).when(income(NodeId::from_u128(404), 1)).refused(node::Refusal::Unknown);
        given([]).when(income(OUTSIDE, 1)).refused(node::Refusal::NotHeld);
        let foreign = ExternalTransfer { platform: PlatformId::from_u128(2), ..income(ANNS, 1) };
        given([]).when(foreign).refused(node::Refusal::Unknown);
    }

    #[test]
    fn gateway_node_needs_platform_to_debit() {
        let world = given([fund(GATED, 100)]);
        let alone = |receive| ExternalTransfer { by_gateway: false, ..receive };
        let world = world.when(alone(withdrawal(GATED, 1))).refused(Refusal::GatewayOnly);
        let world = world.when(alone(income(GATED, 1))).accepted();
        world.when(withdrawal(GATED, 1)).accepted();
        given([fund(BOBS, 100)]).when(alone(withdrawal(BOBS, 1))).accepted();
    }

    #[test]
    fn closed_user_neither_receives_nor_sends() {
        for closed in [Permission::Closed, Permission::MakeItGoAway] {
            let world = given([fund(BOBS, 100), lower(BOB, closed).into()]);
            let world = world.when(income(BOBS, 1)).refused(user::Refusal::Closed);
            world.when(withdrawal(BOBS, 1)).refused(user::Refusal::Closed);
        }
    }

    #[test]
    fn out_of_range_numbers_are_refused() {
        for minor in [0, -1, MAX_MINOR + 1] {
            given([fund(ANNS, 100)]).when(income(ANNS, minor)).refused(Refusal::OutOfRange);
        }
        given([]).when(income(ANNS, MAX_MINOR)).accepted();
        let mut full = given([]);
        full.record(&[entry(ANNS, income(ANNS, 9).id, (i64::MAX, 0, 0), (i64::MAX, 0, 0))]);
        full.when(income(ANNS, 1)).refused(Refusal::OutOfRange);
    }
}
