//! Receive: money from outside comes onto a held node and is settled at once.

use super::event::{Created, Settled};
use super::{Party, Refusal};
use crate::account::Limit;
use crate::aggregate::{Fact, Key};
use crate::id::{AccountId, NodeId, PlatformId, TransactionId};
use crate::money::Money;
use crate::node::{self, Node};
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
        self.onto(receiver, states, at)
    }

    /// The facts for a receiver that was looked up already.
    pub(crate) fn onto(&self, receiver: &Node, states: &impl States, at: Timestamp) -> Result<Vec<Fact>, No> {
        let movement = movement::receive(self.rail, self.to, self.amount);
        let entries = movement.entries(states, self.amount.currency, Limit::Zero, self.id);
        let entries = entries.map_err(|_| Refusal::OutOfRange)?;
        let created = Created {
            platform: self.platform,
            from: Party::Outside { rail: self.rail },
            to: Party::Node { id: self.to, user: receiver.user, kind: receiver.kind },
            subject: receiver.user,
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
