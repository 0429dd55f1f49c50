//! Platform: a customer of Daybook. Its users, nodes and transactions live in one shard.

pub mod clock;
pub mod event;
pub mod open;
pub mod policy;
pub mod refusal;

pub use event::{ClockAdvanced, Event, Opened, PolicySet};
pub use policy::{Limits, Policy};
pub use refusal::Refusal;
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::bank::Bank;
use crate::id::{NodeId, UserId};
use crate::time::Timestamp;

/// State of a platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Platform {
    /// The company's name, as the API shows it in `client.name`.
    pub name: String,
    /// True if banks and identity checks are simulated.
    pub sandbox: bool,
    /// The platform's own user.
    pub user: UserId,
    /// The designated RESERVE-US node of this user.
    pub reserve: NodeId,
    /// The bank that keeps the money of the platform's customers.
    pub bank: Bank,
    /// Demands on the platform's transactions beyond the rules.
    pub policy: Policy,
    /// Milliseconds by which the platform's clock is ahead of the wall clock; 0 outside of sandboxes.
    pub clock_ms: i64,
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
                bank: opened.bank,
                policy: Policy::default(),
                clock_ms: 0,
            }),
            Event::PolicySet(_) | Event::ClockAdvanced(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Always the first event of its stream.
            Event::Opened(_) => {}
            Event::PolicySet(set) => self.policy = set.policy.clone(),
            Event::ClockAdvanced(advanced) => self.clock_ms = self.clock_ms.saturating_add(advanced.ms),
        }
    }
}
