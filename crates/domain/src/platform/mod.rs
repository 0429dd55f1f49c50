//! Platform: a customer of Daybook. Its users, nodes and transactions live in one shard.

pub mod event;
pub mod open;

pub use event::{Event, Opened};
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::id::{NodeId, UserId};
use crate::time::Timestamp;

/// A platform as its events tell it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Platform {
    /// The company's name, as the API shows it in `client.name`.
    pub name: String,
    /// Whether banks and identity checks are simulated.
    pub sandbox: bool,
    /// The platform's own user.
    pub user: UserId,
    /// That user's designated RESERVE-US node.
    pub reserve: NodeId,
}

impl Aggregate for Platform {
    type Event = Event;
    const KIND: Kind = Kind::Platform;

    fn begin(event: &Event, _at: Timestamp) -> Option<Self> {
        match event {
            Event::Opened(opened) => Some(Self {
                name: opened.name.clone(),
                sandbox: opened.sandbox,
                user: opened.user,
                reserve: opened.reserve,
            }),
        }
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Only ever the first event of its stream.
            Event::Opened(_) => {}
        }
    }
}
