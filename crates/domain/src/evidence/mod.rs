//! Evidence: the bank's files of one month, with the texts of their lines. They name other people, so they are sealed
//! under keys of their own, which are destroyed when the retention ends. Events keep amounts, ids and hashes for ever.

pub mod destroy;
pub mod event;
pub mod keep;
pub mod refusal;

pub use event::{Destroyed, Event, Opened};
pub use refusal::Refusal;
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::calendar::{Day, Month};
use crate::id::{CustodyId, PlatformId};
use crate::time::Timestamp;

/// State of the evidence of one month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Platform of the account.
    pub platform: PlatformId,
    /// The account at the bank.
    pub custody: CustodyId,
    /// Month of the statements.
    pub month: Month,
    /// Day on which the keys are destroyed.
    pub kept_until: Day,
    /// True if the keys are destroyed.
    pub is_destroyed: bool,
}

impl Aggregate for Evidence {
    type Event = Event;
    const KIND: Kind = Kind::Evidence;

    fn begin(event: &Event, _at: Timestamp) -> Option<Self> {
        match event {
            Event::Opened(opened) => Some(Self {
                platform: opened.platform,
                custody: opened.custody,
                month: opened.month,
                kept_until: opened.kept_until,
                is_destroyed: false,
            }),
            Event::Destroyed(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Always the first event of its stream.
            Event::Opened(_) => {}
            Event::Destroyed(_) => self.is_destroyed = true,
        }
    }
}
