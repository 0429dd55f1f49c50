//! The state of any aggregate, and what a decision may look at.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::account::Account;
use crate::aggregate::{Aggregate, Fact, Key};
use crate::attachment::Attachment;
use crate::attestation::Attestation;
use crate::custody::Custody;
use crate::event::Event;
use crate::id::{
    AccountId, AttestationId, CustodyId, NodeId, OperationId, PlatformId, SubnetId, SubscriptionId,
    TransactionId, UserId,
};
use crate::money::Currency;
use crate::node::Node;
use crate::operation::Operation;
use crate::platform::Platform;
use crate::subnet::Subnet;
use crate::subscription::Subscription;
use crate::time::Timestamp;
use crate::transaction::Transaction;
use crate::user::User;

/// The state of one aggregate; clones share it, and it takes no more room than its kind needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum State {
    /// A platform.
    Platform(Arc<Platform>),
    /// A user.
    User(Arc<User>),
    /// A node.
    Node(Arc<Node>),
    /// An account.
    Account(Arc<Account>),
    /// A transaction.
    Transaction(Arc<Transaction>),
    /// An account at a bank.
    Custody(Arc<Custody>),
    /// What an operator asked for.
    Operation(Arc<Operation>),
    /// An account number of a node.
    Subnet(Arc<Subnet>),
    /// An address that a platform wants to be called at.
    Subscription(Arc<Subscription>),
    /// A file that was handed in.
    Attachment(Arc<Attachment>),
    /// What is said of a platform's accounts.
    Attestation(Arc<Attestation>),
}

/// Two things that should be of one kind are not: a stream holds a foreign event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event of another aggregate, or a stream that begins in the middle")]
pub struct Misplaced;

impl State {
    /// The state after the first event of a stream.
    ///
    /// # Errors
    ///
    /// [`Misplaced`] if no stream begins with this event.
    pub fn begin(event: &Event, at: Timestamp) -> Result<Self, Misplaced> {
        match event {
            Event::Platform(event) => Platform::begin(event, at).map(Arc::new).map(Self::Platform),
            Event::User(event) => User::begin(event, at).map(Arc::new).map(Self::User),
            Event::Node(event) => Node::begin(event, at).map(Arc::new).map(Self::Node),
            Event::Account(event) => Account::begin(event, at).map(Arc::new).map(Self::Account),
            Event::Transaction(event) => Transaction::begin(event, at).map(Arc::new).map(Self::Transaction),
            Event::Custody(event) => Custody::begin(event, at).map(Arc::new).map(Self::Custody),
            Event::Operation(event) => Operation::begin(event, at).map(Arc::new).map(Self::Operation),
            Event::Subnet(event) => Subnet::begin(event, at).map(Arc::new).map(Self::Subnet),
            Event::Subscription(event) => {
                Subscription::begin(event, at).map(Arc::new).map(Self::Subscription)
            }
            Event::Attachment(event) => Attachment::begin(event, at).map(Arc::new).map(Self::Attachment),
            Event::Attestation(event) => Attestation::begin(event, at).map(Arc::new).map(Self::Attestation),
        }
        .ok_or(Misplaced)
    }

    /// Folds a later event.
    ///
    /// # Errors
    ///
    /// [`Misplaced`] if the event is of another aggregate.
    pub fn evolve(&mut self, event: &Event, at: Timestamp) -> Result<(), Misplaced> {
        match (self, event) {
            (Self::Platform(state), Event::Platform(event)) => Arc::make_mut(state).evolve(event, at),
            (Self::User(state), Event::User(event)) => Arc::make_mut(state).evolve(event, at),
            (Self::Node(state), Event::Node(event)) => Arc::make_mut(state).evolve(event, at),
            (Self::Account(state), Event::Account(event)) => Arc::make_mut(state).evolve(event, at),
            (Self::Transaction(state), Event::Transaction(event)) => Arc::make_mut(state).evolve(event, at),
            (Self::Custody(state), Event::Custody(event)) => Arc::make_mut(state).evolve(event, at),
            (Self::Operation(state), Event::Operation(event)) => Arc::make_mut(state).evolve(event, at),
            (Self::Subnet(state), Event::Subnet(event)) => Arc::make_mut(state).evolve(event, at),
            (Self::Subscription(state), Event::Subscription(event)) => Arc::make_mut(state).evolve(event, at),
            (Self::Attachment(state), Event::Attachment(event)) => Arc::make_mut(state).evolve(event, at),
            (Self::Attestation(state), Event::Attestation(event)) => Arc::make_mut(state).evolve(event, at),
            (
                Self::Platform(_)
                | Self::User(_)
                | Self::Node(_)
                | Self::Account(_)
                | Self::Transaction(_)
                | Self::Custody(_)
                | Self::Operation(_)
                | Self::Subnet(_)
                | Self::Subscription(_)
                | Self::Attachment(_)
                | Self::Attestation(_),
                Event::Platform(_)
                | Event::User(_)
                | Event::Node(_)
                | Event::Account(_)
                | Event::Transaction(_)
                | Event::Custody(_)
                | Event::Operation(_)
                | Event::Subnet(_)
                | Event::Subscription(_)
                | Event::Attachment(_)
                | Event::Attestation(_),
            ) => return Err(Misplaced),
        }
        Ok(())
    }

    /// The platform that the aggregate `key` in this state belongs to; an account says only its node.
    #[must_use]
    pub fn platform(&self, key: Key) -> Option<PlatformId> {
        match self {
            Self::Platform(_) => Some(PlatformId::from_u128(key.id)),
            Self::User(user) => Some(user.platform),
            Self::Node(node) => Some(node.platform),
            Self::Transaction(transaction) => Some(transaction.platform),
            Self::Custody(custody) => Some(custody.platform),
            Self::Operation(operation) => Some(operation.platform),
            Self::Subnet(subnet) => Some(subnet.platform),
            Self::Subscription(subscription) => Some(subscription.platform),
            Self::Attachment(attachment) => Some(attachment.platform),
            Self::Attestation(_) => Some(AttestationId::from_u128(key.id).platform()),
            Self::Account(_) => None,
        }
    }
}

/// Looks up states by key: the writer's overlay, a page of a read model, a table in a test.
pub trait States {
    /// The state, if there is such an aggregate.
    fn state(&self, key: Key) -> Option<&State>;

    /// The platform with this id.
    fn platform(&self, id: PlatformId) -> Option<&Platform> {
        match self.state(id.into()) {
            Some(State::Platform(platform)) => Some(platform),
            _ => None,
        }
    }

    /// The user with this id.
    fn user(&self, id: UserId) -> Option<&User> {
        match self.state(id.into()) {
            Some(State::User(user)) => Some(user),
            _ => None,
        }
    }

    /// The node with this id.
    fn node(&self, id: NodeId) -> Option<&Node> {
        match self.state(id.into()) {
            Some(State::Node(node)) => Some(node),
            _ => None,
        }
    }

    /// The account of a held node; a fresh one if nothing was ever posted to it.
    fn account(&self, node: NodeId, currency: Currency) -> Account {
        match self.state(AccountId::of(node, currency).into()) {
            Some(State::Account(account)) => Account::clone(account),
            _ => Account::new(node, currency),
        }
    }

    /// The transaction with this id.
    fn transaction(&self, id: TransactionId) -> Option<&Transaction> {
        match self.state(id.into()) {
            Some(State::Transaction(transaction)) => Some(transaction),
            _ => None,
        }
    }

    /// The account at a bank with this id.
    fn custody(&self, id: CustodyId) -> Option<&Custody> {
        match self.state(id.into()) {
            Some(State::Custody(custody)) => Some(custody),
            _ => None,
        }
    }

    /// The operation with this id.
    fn operation(&self, id: OperationId) -> Option<&Operation> {
        match self.state(id.into()) {
            Some(State::Operation(operation)) => Some(operation),
            _ => None,
        }
    }

    /// The subnet with this id.
    fn subnet(&self, id: SubnetId) -> Option<&Subnet> {
        match self.state(id.into()) {
            Some(State::Subnet(subnet)) => Some(subnet),
            _ => None,
        }
    }

    /// The subscription with this id.
    fn subscription(&self, id: SubscriptionId) -> Option<&Subscription> {
        match self.state(id.into()) {
            Some(State::Subscription(subscription)) => Some(subscription),
            _ => None,
        }
    }

    /// What time it is for `platform` when it is `wall` for everybody else: a sandbox may be ahead.
    fn now_of(&self, platform: Option<PlatformId>, wall: Timestamp) -> Timestamp {
        let ahead = platform.and_then(|id| self.platform(id)).map_or(0, |platform| platform.clock_ms);
        wall.plus_ms(ahead)
    }
}

/// States as some facts leave them: for a decision that builds on its own first half.
pub struct After<'a, S> {
    before: &'a S,
    changed: HashMap<Key, State>,
}

impl<'a, S: States> After<'a, S> {
    /// Nothing has happened yet.
    pub fn new(before: &'a S) -> Self {
        Self { before, changed: HashMap::new() }
    }

    /// Folds facts that this decision made; whoever records them finds out if one is misplaced.
    pub fn take(&mut self, facts: &[Fact], at: Timestamp) {
        for Fact { key, event, .. } in facts {
            let known = self.changed.remove(key).or_else(|| self.before.state(*key).cloned());
            let state = match known {
                Some(mut state) => state.evolve(event, at).map(|()| state),
                None => State::begin(event, at),
            };
            self.changed.extend(state.ok().map(|state| (*key, state)));
        }
    }
}

impl<S: States> States for After<'_, S> {
    fn state(&self, key: Key) -> Option<&State> {
        self.changed.get(&key).or_else(|| self.before.state(key))
    }
}
