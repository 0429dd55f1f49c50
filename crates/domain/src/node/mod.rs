//! Node: an account object of the API, owned by a user; money held here, or a place outside.

pub mod create;
pub mod event;
pub mod kind;
pub mod refusal;

pub use event::{Created, Event};
pub use kind::NodeKind;
pub use refusal::Refusal;
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::id::{PlatformId, UserId};
use crate::sealed::Sealed;
use crate::time::Timestamp;

/// Which way money may go at a node, as the API spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Allowed {
    /// In only.
    #[serde(rename = "CREDIT")]
    Credit,
    /// In and out.
    #[serde(rename = "CREDIT-AND-DEBIT")]
    CreditAndDebit,
}

impl Allowed {
    /// As the API spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Credit => "CREDIT",
            Self::CreditAndDebit => "CREDIT-AND-DEBIT",
        }
    }

    /// Whether money may go out.
    #[must_use]
    pub const fn debit(self) -> bool {
        match self {
            Self::CreditAndDebit => true,
            Self::Credit => false,
        }
    }

    /// Whether money may come in.
    #[must_use]
    pub const fn credit(self) -> bool {
        match self {
            Self::Credit | Self::CreditAndDebit => true,
        }
    }
}

/// A node as its events tell it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The platform of its owner.
    pub platform: PlatformId,
    /// Its owner.
    pub user: UserId,
    /// Its type.
    pub kind: NodeKind,
    /// Which way money may go.
    pub allowed: Allowed,
    /// In the lists, or only to be fetched by its id.
    pub is_active: bool,
    /// Debited only by calls that also carry the platform's own credentials.
    pub gateway_restricted: bool,
    /// Box, class profile: nickname, numbers, names and addresses.
    pub details: Option<Sealed>,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Aggregate for Node {
    type Event = Event;
    const KIND: Kind = Kind::Node;

    fn begin(event: &Event, at: Timestamp) -> Option<Self> {
        match event {
            Event::Created(created) => Some(Self {
                platform: created.platform,
                user: created.user,
                kind: created.kind,
                allowed: created.allowed,
                is_active: created.is_active,
                gateway_restricted: created.gateway_restricted,
                details: created.details.clone(),
                created_at: at,
            }),
        }
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Only ever the first event of its stream.
            Event::Created(_) => {}
        }
    }
}
