//! Common parts of every aggregate: a kind, an id, a first event, and the fold `evolve`.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::aggregates::aggregates;
use crate::event::Event;
use crate::id::{
    AccountId, AttachmentId, AttestationId, BreakId, CustodyId, EvidenceId, NodeId, OperationId, PlatformId,
    RolesId, StatementId, SubnetId, SubscriptionId, TransactionId, UserId,
};
use crate::time::Timestamp;

/// Generates from the table of aggregates the enum [`Kind`], the list of all kinds, and a conversion of every id into a
/// [`Key`]. The line `Platform = 1 by PlatformId` declares the kind with the stored number 1, whose streams have ids of
/// that type.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $code:literal by $id:ident in $module:ident,)*) => {
        /// Kind of the aggregate that a stream belongs to. The numbers are stored and never reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(i16)]
        pub enum Kind {
            $($(#[$doc])* $kind = $code,)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: [Self; [$($code),*].len()] = [$(Self::$kind),*];
        }

        $(impl From<$id> for Key {
            fn from(id: $id) -> Self {
                Self { kind: Kind::$kind, id: id.as_u128() }
            }
        })*
    };
}

aggregates!(kinds);

impl Kind {
    /// Kinds whose sealed boxes can be megabytes. A reader of the whole log reads their events without the boxes.
    pub const LARGE_PAYLOADS: [Self; 1] = [Self::Attachment];

    /// Returns true if the last event of a stream holds the whole state, so that a reader does not need the rest of the
    /// stream.
    #[must_use]
    pub const fn last_event_is_state(self) -> bool {
        matches!(self, Self::Account | Self::Attestation)
    }

    /// Stored numbers of all kinds but these.
    #[must_use]
    pub fn codes_except(kinds: &[Self]) -> Vec<i16> {
        Self::ALL.into_iter().filter(|kind| !kinds.contains(kind)).map(Self::code).collect()
    }

    /// The stored number.
    #[must_use]
    pub const fn code(self) -> i16 {
        self as i16
    }

    /// The kind with the stored number `code`.
    #[must_use]
    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// Key of an aggregate: the name of its event stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Kind of the aggregate.
    pub kind: Kind,
    /// The 128 bits of the aggregate's id.
    pub id: u128,
}

/// A decided event that is not recorded yet, and the stream that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// Key of the stream.
    pub key: Key,
    /// The event.
    pub event: Event,
    /// Time at which the event takes effect, if that is not the time of the decision: set by corrections of the past.
    pub effective_at: Option<Timestamp>,
}

impl NewEvent {
    /// The event `event` of the aggregate `key`. It takes effect at the time of the decision.
    pub fn new(key: impl Into<Key>, event: impl Into<Event>) -> Self {
        Self { key: key.into(), event: event.into(), effective_at: None }
    }
}

/// An aggregate: a state that is the fold of its events and of nothing else.
pub trait Aggregate: Clone + PartialEq + Serialize + DeserializeOwned {
    /// Events of this aggregate.
    type Event;
    /// Kind of the aggregate's streams.
    const KIND: Kind;

    /// Returns the state after the first event; `None` if a stream cannot begin with `event`.
    fn begin(event: &Self::Event, at: Timestamp) -> Option<Self>;

    /// Folds a later event into the state. It cannot refuse: a recorded event has happened.
    fn evolve(&mut self, event: &Self::Event, at: Timestamp);
}
