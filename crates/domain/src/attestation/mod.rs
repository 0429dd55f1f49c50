//! Attestation: a commitment of the log to the newest entries of a platform's accounts. The holder of an entry can be
//! shown that it is the newest one.
//!
//! The log alone proves that an entry exists; it cannot prove that no newer entry exists. The state is the last event.

pub mod attest;
pub mod event;

pub use event::{Event, Made};
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::time::Timestamp;

/// The newest attestation of a platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attestation {
    /// The attested tree and its position.
    pub made: Made,
    /// Time of the attestation.
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
