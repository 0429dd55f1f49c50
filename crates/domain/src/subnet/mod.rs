//! Subnet: a bank account number of a node, by which others pay into it. What the number is, the domain does not know:
//! it follows from where in the log the subnet was made.

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

/// A subnet as its events tell it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subnet {
    /// The platform of its node.
    pub platform: PlatformId,
    /// The owner of its node.
    pub user: UserId,
    /// Its node.
    pub node: NodeId,
    /// What sort of account others take it for.
    pub class: AccountClass,
    /// Which way money may go by its number.
    pub allowed: Allowed,
    /// Box, class profile of the owner: its nickname.
    pub details: Option<Sealed>,
    /// When it was made.
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
            // Only ever the first event of its stream.
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
