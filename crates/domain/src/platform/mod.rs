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
    /// The bank that keeps its customers' money.
    pub bank: Bank,
    /// What it demands beyond the rules.
    pub policy: Policy,
    /// How far its clock is ahead of the wall's, in milliseconds; 0 but in a sandbox.
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
            // Only ever the first event of its stream.
            Event::Opened(_) => {}
            Event::PolicySet(set) => self.policy = set.policy.clone(),
            Event::ClockAdvanced(advanced) => self.clock_ms = self.clock_ms.saturating_add(advanced.ms),
        }
    }
}
