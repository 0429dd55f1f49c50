//! Operation: what a person who runs the ledger does to it, with a reason, and with a second person's approval where the
//! platform's policy says so.

pub mod act;
pub mod event;
pub mod refusal;
pub mod request;
pub mod review;

pub use act::{Act, ActKind};
pub use event::{Approved, Cause, Declined, Event, Journaled, Requested};
pub use refusal::Refusal;
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::id::{OperatorId, PlatformId};
use crate::named;
use crate::sealed::Sealed;
use crate::time::Timestamp;

named! {
    /// How far an operation has come.
    pub enum Status {
        /// It waits for another operator.
        Waiting => "WAITING",
        /// It was done.
        Done => "DONE",
        /// Another operator declined it, or approved what an operator asked for who was revoked meanwhile.
        Declined => "DECLINED",
    }
}

/// An operation as its events tell it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The platform that it is about.
    pub platform: PlatformId,
    /// What shall be done.
    pub act: Act,
    /// Who asked.
    pub by: OperatorId,
    /// Who approved or declined.
    pub reviewer: Option<OperatorId>,
    /// How far it has come.
    pub status: Status,
    /// Box, class profile of the platform's own user: the reason.
    pub reason: Option<Sealed>,
    /// When it was asked for.
    pub created_at: Timestamp,
}

impl Aggregate for Operation {
    type Event = Event;
    const KIND: Kind = Kind::Operation;

    fn begin(event: &Event, at: Timestamp) -> Option<Self> {
        match event {
            Event::Requested(requested) => Some(Self {
                platform: requested.platform,
                act: requested.act.clone(),
                by: requested.by,
                reviewer: None,
                status: if requested.waits { Status::Waiting } else { Status::Done },
                reason: requested.reason.clone(),
                created_at: at,
            }),
            Event::Approved(_) | Event::Declined(_) | Event::Journaled(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Only ever the first event of its stream.
            Event::Requested(_) => {}
            Event::Approved(approved) => {
                (self.status, self.reviewer) = (Status::Done, Some(approved.by));
            }
            Event::Declined(declined) => {
                (self.status, self.reviewer) = (Status::Declined, Some(declined.by));
            }
            // What it did; that it is done was said before.
            Event::Journaled(_) => {}
        }
    }
}
