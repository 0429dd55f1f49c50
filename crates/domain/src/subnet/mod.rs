//! Subnet: a bank account number of a node, by which others pay into it. The domain does not know the number: it
//! follows from the position in the log at which the subnet was created.

pub mod allowed;
pub mod create;
pub mod event;
pub mod refusal;
pub mod update;

pub use allowed::{AccountClass, Allowed};
pub use event::{Created, Event, Updated};
pub use refusal::Refusal;
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::id::{NodeId, PlatformId, UserId};
use crate::sealed::Sealed;
use crate::time::Timestamp;

/// State of a subnet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subnet {
    /// Platform of the node.
    pub platform: PlatformId,
    /// Owner of the node.
    pub user: UserId,
    /// Node of the subnet.
    pub node: NodeId,
    /// Class of account as which others see the subnet.
    pub class: AccountClass,
    /// Directions in which money may move by the number.
    pub allowed: Allowed,
    /// Sealed box, class profile, of the owner: the nickname.
    pub details: Option<Sealed>,
    /// Time of creation.
    pub created_at: Timestamp,
}

impl Aggregate for Subnet {
    type Event = Event;
    const KIND: Kind = Kind::Subnet;

    fn begin(event: &Event, at: Timestamp) -> Option<Self> {
        match event {
            Event::Created(created) => Some(Self {
                platform: created.platform,
                user: created.user,
                node: created.node,
                class: created.class,
                allowed: Allowed::CreditAndDebit,
                details: created.details.clone(),
                created_at: at,
            }),
            Event::Updated(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Always the first event of its stream.
            Event::Created(_) => {}
            Event::Updated(updated) => {
                self.allowed = updated.allowed.unwrap_or(self.allowed);
                if updated.details.is_some() {
                    self.details.clone_from(&updated.details);
                }
            }
        }
    }
}
