//! Recipients: the one list of nodes to which money of a transaction goes, with the amount of each. Creation,
//! screening, announcement and settlement use it; nothing else determines the recipients.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Fee, Party, Transaction};
use crate::aggregate::Key;
use crate::id::{AccountId, NodeId, UserId};
use crate::money::{Currency, Money};
use crate::node::Node;
use crate::state::States;
use crate::user::User;

/// A node that gets money: the receiver's, or that of a fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipient {
    /// The node.
    pub node: NodeId,
    /// Minor units that the node gets; 0 if fees take the whole amount.
    pub minor: i64,
    /// True if the money stays here, on the node's account.
    pub is_held: bool,
}

impl Recipient {
    /// The owner of the node, if the states of both are available.
    pub(super) fn owner<'a>(&self, states: &'a impl States) -> Option<&'a User> {
        states.node(self.node).and_then(|node| states.user(node.user))
    }
}

/// All recipients of a transaction: the receiver first, then the nodes of the fees in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipients(Vec<Recipient>);

impl Recipients {
    /// Recipients of `amount` that is paid to `to`, less `fees`. A receiver outside that is not a node is left out.
    #[must_use]
    pub fn of(to: &Party, amount: Money, fees: &[Fee]) -> Self {
        let is_held = to.held().is_some();
        let rest = Fee::rest(amount, fees);
        let receiver = to.node().map(|node| Recipient { node, minor: rest, is_held });
        let fees = fees.iter().map(|fee| Recipient { node: fee.to, minor: fee.minor, is_held: true });
        Self(receiver.into_iter().chain(fees).collect())
    }

    /// The recipients in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Recipient> {
        self.0.iter()
    }

    /// Sum for each held node; one node may get several fees.
    #[must_use]
    pub fn totals(&self) -> BTreeMap<NodeId, i64> {
        let mut totals = BTreeMap::new();
        for Recipient { node, minor, .. } in self.0.iter().filter(|it| it.is_held) {
            let total: &mut i64 = totals.entry(*node).or_default();
            *total = total.saturating_add(*minor);
        }
        totals
    }

    /// Keys that tell whether the recipients can be credited: nodes, owners, and accounts in `currency`.
    pub(super) fn needs(&self, states: &impl States, currency: Currency) -> Vec<Key> {
        let mut keys = Vec::with_capacity(3 * self.0.len());
        for Recipient { node, is_held, .. } in &self.0 {
            keys.push(Key::from(*node));
            keys.extend(states.node(*node).map(|node| Key::from(node.user)));
            keys.extend(is_held.then(|| Key::from(AccountId::of(*node, currency))));
        }
        keys
    }

    /// Returns true if all recipients are nodes of `user`.
    pub(super) fn are_of(&self, user: UserId, states: &impl States) -> bool {
        self.0.iter().all(|it| states.node(it.node).is_some_and(|node| node.user == user))
    }
}

/// Reason for which a node cannot be credited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Obstacle {
    /// The owner deleted the node.
    NotActive,
    /// The node is locked.
    Locked,
    /// The owner may not receive: it is not verified, locked, or closed.
    Owner,
}

impl Obstacle {
    /// The reason for which `node` cannot be credited at present, if there is one.
    pub(super) fn of(node: NodeId, states: &impl States) -> Option<Self> {
        let node = states.node(node);
        let owner = node.and_then(|node| states.user(node.user));
        let may_receive = owner.map(User::permission).is_some_and(crate::user::Permission::may_receive);
        match node {
            Some(Node { is_active: true, is_locked: false, .. }) if may_receive => None,
            Some(Node { is_active: true, is_locked: true, .. }) => Some(Self::Locked),
            Some(Node { is_active: true, .. }) => Some(Self::Owner),
            Some(_) | None => Some(Self::NotActive),
        }
    }
}

/// An amount that was announced to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announcement {
    /// The node.
    pub node: NodeId,
    /// Minor units, above zero.
    pub minor: i64,
}

/// A fee that its own node could not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirect {
    /// Index of the fee among the transaction's fees, from 0.
    pub fee: usize,
    /// Amount of the fee, in minor units.
    pub minor: i64,
    /// Node of the fee.
    pub from: NodeId,
    /// Reason for which that node cannot be credited.
    pub obstacle: Obstacle,
    /// The node that is credited instead.
    pub to: NodeId,
}

impl Transaction {
    /// Nodes to which the money goes, redirects included.
    #[must_use]
    pub fn recipients(&self) -> Recipients {
        let mut recipients = Recipients::of(&self.to, self.amount, &self.fees);
        // The receiver comes before the fees, unless it is not a node.
        let receivers = recipients.0.len().saturating_sub(self.fees.len());
        for redirect in &self.redirected {
            if let Some(recipient) = recipients.0.get_mut(receivers + redirect.fee) {
                recipient.node = redirect.to;
            }
        }
        recipients
    }

    /// Minor units that the transaction has announced to `node`.
    #[must_use]
    pub fn announced_to(&self, node: NodeId) -> i64 {
        let early = self.announced.iter().filter(|it| it.node == node).map(|it| it.minor).sum();
        let late = if self.to.held() == Some(node) { self.pending_in } else { 0 };
        i64::saturating_add(early, late)
    }
}

#[cfg(test)]
mod tests;
