//! The state of any aggregate, and the interface through which a decision reads states.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::account::Account;
use crate::aggregate::{Aggregate, Key, NewEvent};
use crate::aggregates::aggregates;
use crate::attachment::Attachment;
use crate::attestation::Attestation;
use crate::breaks::Break;
use crate::custody::Custody;
use crate::event::Event;
use crate::evidence::Evidence;
use crate::id::{
    AccountId, AttestationId, BreakId, CustodyId, EvidenceId, NodeId, OperationId, PlatformId, RolesId,
    StatementId, SubnetId, SubscriptionId, TransactionId, UserId,
};
use crate::money::Currency;
use crate::node::Node;
use crate::operation::Operation;
use crate::platform::Platform;
use crate::roles::{self, Roles};
use crate::statement::Statement;
use crate::subnet::Subnet;
use crate::subscription::Subscription;
use crate::time::Timestamp;
use crate::transaction::Transaction;
use crate::user::User;

/// Error: the event belongs to another aggregate, or the stream does not begin with a first event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event of another aggregate, or a stream that begins in the middle")]
pub struct UnexpectedEvent;

/// Generates from the table of aggregates the enum [`State`] and its folds. `User` becomes the variant
/// `User(Arc<user::User>)`, which begins and evolves by events of `Event::User`.
macro_rules! states {
    ($($(#[$doc:meta])* $kind:ident = $code:literal by $id:ident in $module:ident,)*) => {
        /// The state of one aggregate. Clones share it, and a value takes only the memory that its kind needs.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum State {
            $($(#[$doc])* $kind(Arc<$kind>),)*
        }

        impl State {
            /// The state after the first event of a stream.
            ///
            /// # Errors
            ///
            /// [`UnexpectedEvent`] if no stream begins with this event.
            pub fn begin(event: &Event, at: Timestamp) -> Result<Self, UnexpectedEvent> {
                match event {
                    $(Event::$kind(event) => $kind::begin(event, at).map(Arc::new).map(Self::$kind),)*
                }
                .ok_or(UnexpectedEvent)
            }

            /// Folds a later event into the state.
            ///
            /// # Errors
            ///
            /// [`UnexpectedEvent`] if the event is of another aggregate.
            pub fn evolve(&mut self, event: &Event, at: Timestamp) -> Result<(), UnexpectedEvent> {
                match (self, event) {
                    $((Self::$kind(state), Event::$kind(event)) => Arc::make_mut(state).evolve(event, at),)*
                    ($(Self::$kind(_))|*, $(Event::$kind(_))|*) => return Err(UnexpectedEvent),
                }
                Ok(())
            }
        }

        $(impl InState for $kind {
            fn of(state: &State) -> Option<&Self> {
                if let State::$kind(it) = state { Some(it) } else { None }
            }

            fn into_state(self) -> State {
                State::$kind(Arc::new(self))
            }
        })*
    };
}

/// An aggregate that a [`State`] can hold.
pub trait InState: Aggregate {
    /// The aggregate in `state`, if it is of this kind.
    fn of(state: &State) -> Option<&Self>;
    /// Puts the aggregate into a state.
    fn into_state(self) -> State;
}

aggregates!(states);

impl State {
    /// The platform of the aggregate `key` with this state; `None` for an account, whose state names only its node.
    #[must_use]
    pub fn platform(&self, key: Key) -> Option<PlatformId> {
        match self {
            Self::Platform(_) => Some(PlatformId::from_u128(key.id)),
            Self::User(user) => Some(user.platform),
            Self::Node(node) => Some(node.platform),
            Self::Transaction(transaction) => Some(transaction.platform),
            Self::Custody(custody) => Some(custody.platform),
            Self::Statement(statement) => Some(statement.platform),
            Self::Evidence(evidence) => Some(evidence.platform),
            Self::Break(of) => Some(of.platform),
            Self::Operation(operation) => Some(operation.platform),
            Self::Subnet(subnet) => Some(subnet.platform),
            Self::Subscription(subscription) => Some(subscription.platform),
            Self::Attachment(attachment) => Some(attachment.platform),
            Self::Attestation(_) => Some(AttestationId::from_u128(key.id).platform()),
            Self::Roles(_) => Some(roles::NO_PLATFORM),
            Self::Account(_) => None,
        }
    }
}

/// Declares lookups by id: `user(UserId) -> User` becomes `fn user(&self, id: UserId) -> Option<&User>`.
macro_rules! lookups {
    ($($(#[$doc:meta])* $name:ident($id:ident) -> $kind:ident;)*) => {$(
        $(#[$doc])*
        fn $name(&self, id: $id) -> Option<&$kind> {
            let Some(State::$kind(state)) = self.state(id.into()) else { return None };
            Some(state)
        }
    )*};
}

/// Lookup of states by key. Implementations are the writer's overlay, a page of a read model, and a table in a test.
pub trait States {
    /// The state of the aggregate `key`; `None` if there is no such aggregate.
    fn state(&self, key: Key) -> Option<&State>;

    lookups! {
        /// The platform with this id.
        platform(PlatformId) -> Platform;
        /// The user with this id.
        user(UserId) -> User;
        /// The node with this id.
        node(NodeId) -> Node;
        /// The transaction with this id.
        transaction(TransactionId) -> Transaction;
        /// The account at a bank with this id.
        custody(CustodyId) -> Custody;
        /// The bank's statement with this id.
        statement(StatementId) -> Statement;
        /// The evidence with this id.
        evidence(EvidenceId) -> Evidence;
        /// The line in suspense with this id.
        line_break(BreakId) -> Break;
        /// The roles of all operators.
        roles(RolesId) -> Roles;
        /// The operation with this id.
        operation(OperationId) -> Operation;
        /// The subnet with this id.
        subnet(SubnetId) -> Subnet;
        /// The subscription with this id.
        subscription(SubscriptionId) -> Subscription;
    }

    /// The account of a held node; a new one with zero balances if it has no entries.
    fn account(&self, node: NodeId, currency: Currency) -> Account {
        match self.state(AccountId::of(node, currency).into()) {
            Some(State::Account(account)) => Account::clone(account),
            _ => Account::new(node, currency),
        }
    }

    /// The time on the clock of `platform` when the wall clock shows `wall`: the clock of a sandbox may be ahead.
    fn now_of(&self, platform: Option<PlatformId>, wall: Timestamp) -> Timestamp {
        let ahead = platform.and_then(|id| self.platform(id)).map_or(0, |platform| platform.clock_ms);
        wall.plus_ms(ahead)
    }
}

/// States after some new events, for a decision whose second half builds on its first half.
pub struct After<'a, S> {
    before: &'a S,
    changed: HashMap<Key, State>,
}

impl<'a, S: States> After<'a, S> {
    /// The states before any new event.
    pub fn new(before: &'a S) -> Self {
        Self { before, changed: HashMap::new() }
    }

    /// Folds new events of this decision. An event that does not fit is skipped here; recording it fails.
    pub fn take(&mut self, facts: &[NewEvent], at: Timestamp) {
        for NewEvent { key, event, .. } in facts {
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
