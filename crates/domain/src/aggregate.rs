//! What every aggregate has in common: a kind, an id, a first event, and `evolve`.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::aggregates::aggregates;
use crate::event::Event;
use crate::id::{
    AccountId, AttachmentId, AttestationId, CustodyId, NodeId, OperationId, PlatformId, SubnetId,
    SubscriptionId, TransactionId, UserId,
};
use crate::time::Timestamp;

/// Makes of the table of aggregates the enum [`Kind`], the list of all, and a [`Key`] of every id: `Platform = 1 by PlatformId`
/// is the kind with the stored number 1, whose streams have ids of that type.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $code:literal by $id:ident in $module:ident,)*) => {
        /// The kind of aggregate that a stream is. The numbers are stored and never reused.
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
    /// Those whose boxes can be megabytes: who reads everything does so without them.
    pub const BULKY: [Self; 1] = [Self::Attachment];

    /// Whether the last event tells the whole state, so that nobody reads the stream.
    #[must_use]
    pub const fn is_told_by_last(self) -> bool {
        matches!(self, Self::Account | Self::Attestation)
    }

    /// The stored number.
    #[must_use]
    pub const fn code(self) -> i16 {
        self as i16
    }

    /// The kind with this stored number.
    #[must_use]
    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// Which aggregate: the name of its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Its kind.
    pub kind: Kind,
    /// The 128 bits of its id.
    pub id: u128,
}

/// A decided event and the stream that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The stream.
    pub key: Key,
    /// What happened.
    pub event: Event,
    /// When it counts, if not when it was decided: a correction of the past.
    pub effective_at: Option<Timestamp>,
}

impl Fact {
    /// `event` of the aggregate `key`.
    pub fn new(key: impl Into<Key>, event: impl Into<Event>) -> Self {
        Self { key: key.into(), event: event.into(), effective_at: None }
    }
}

/// A state that is the fold of its events, and nothing else.
pub trait Aggregate: Clone + PartialEq + Serialize + DeserializeOwned {
    /// What happens to it.
    type Event;
    /// The kind of its streams.
    const KIND: Kind;

    /// The state after the first event; none if a stream cannot begin with this one.
    fn begin(event: &Self::Event, at: Timestamp) -> Option<Self>;

    /// Folds a later event. May not say no: what is recorded has happened.
    fn evolve(&mut self, event: &Self::Event, at: Timestamp);
}
