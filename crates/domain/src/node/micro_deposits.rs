//! Micro-deposits: two small amounts that the platform's reserve pays to a new bank account, for its owner to tell.

use super::event::{MicroDepositsFailed, MicroDepositsSent};
use crate::actor::Origin;
use crate::aggregate::{Fact, Key};
use crate::id::{AccountId, NodeId, PlatformId, TransactionId, UserId};
use crate::money::{Currency, Money};
use crate::movement::{self, Cast};
use crate::node::NodeKind;
use crate::posting::{LedgerAccount, Rail};
use crate::state::{After, States};
use crate::time::Timestamp;
use crate::transaction::{Created, Party, Settled};

/// The largest micro-deposit, in minor units. Source: API 3.1, Limits.
pub const MAX_MINOR: i64 = 100;

/// What is sent: an amount and the id of its transaction, twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MicroDeposits {
    /// Minor units of USD, 1 to [`MAX_MINOR`].
    pub amounts: [i64; 2],
    /// The ids that the transactions shall have.
    pub transactions: [TransactionId; 2],
}

/// Where they go.
#[derive(Clone, Copy)]
pub(crate) struct Receiver {
    pub platform: PlatformId,
    pub node: NodeId,
    pub owner: UserId,
    pub kind: NodeKind,
}

impl MicroDeposits {
    /// The states that the decision looks at, as far as they can be told from those at hand.
    pub(crate) fn needs(&self, states: &impl States, platform: PlatformId) -> Vec<Key> {
        let reserve = states.platform(platform).map(|platform| platform.reserve);
        let reserve = reserve.into_iter().flat_map(|id| [id.into(), AccountId::of(id, Currency::USD).into()]);
        reserve.chain(self.transactions.map(Key::from)).chain([platform.into()]).collect()
    }

    /// Both amounts leave the reserve in this decision, or none: at its floor the node says so, and a resend tries again.
    pub(crate) fn facts(&self, to: Receiver, states: &impl States, at: Timestamp) -> Vec<Fact> {
        let sent = self.amounts.iter().zip(self.transactions);
        let mut facts = vec![];
        // The second is decided on what the first left.
        let mut after = After::new(states);
        for (amount, id) in sent {
            let Some(step) = pay(id, Money::new(*amount, Currency::USD), to, &after, at) else {
                return vec![Fact::new(to.node, MicroDepositsFailed {})];
            };
            after.take(&step, at);
            facts.extend(step);
        }
        let Self { amounts, transactions } = *self;
        facts.push(Fact::new(to.node, MicroDepositsSent { transactions, amounts }));
        facts
    }
}

/// One of the two; none if the reserve does not cover it.
fn pay(
    id: TransactionId,
    amount: Money,
    to: Receiver,
    states: &impl States,
    at: Timestamp,
) -> Option<Vec<Fact>> {
    let platform = states.platform(to.platform)?;
    let reserve = LedgerAccount::Node(platform.reserve);
    let movement = movement::at_once(reserve, LedgerAccount::RailOut(Rail::Ach), amount);
    let cast = Cast::forward(to.platform, id, at);
    let entries = movement.entries(states, amount.currency, cast).ok()?;
    let created = Created {
        platform: to.platform,
        from: Party::Node { id: platform.reserve, user: platform.user, kind: NodeKind::ReserveUs },
        to: Party::Node { id: to.node, user: to.owner, kind: to.kind },
        subject: platform.user,
        amount,
        fees: vec![],
        hold: 0,
        process_on: at,
        pace_ms: 0,
        is_micro_deposit: true,
        origin: Origin::PROCESS,
        details: None,
    };
    let settled = Settled { postings: movement.postings, origin: Origin::PROCESS };
    let facts = [Fact::new(id, created), Fact::new(id, settled)];
    Some(facts.into_iter().chain(entries).collect())
}
