//! Attestation: what the log says of a platform's accounts, so that whoever has one entry can be shown that it is the newest.
//!
//! The log proves what is in it, and cannot prove that nothing else is. Its state is its last event.

pub mod attest;
pub mod event;

pub use event::{Event, Made};
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::time::Timestamp;

/// The newest attestation of a platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attestation {
    /// What it says.
    pub made: Made,
    /// When it was made.
    pub at: Timestamp,
}

impl Aggregate for Attestation {
    type Event = Event;
    const KIND: Kind = Kind::Attestation;

    fn begin(event: &Event, at: Timestamp) -> Option<Self> {
        let Event::Made(made) = event;
        Some(Self { made: made.clone(), at })
    }

    fn evolve(&mut self, event: &Event, at: Timestamp) {
        let Event::Made(made) = event;
        *self = Self { made: made.clone(), at };
    }
}
