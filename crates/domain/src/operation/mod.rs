//! Operation: an act of an operator on the ledger, with a reason, and with the approval of a second operator if the
//! platform's policy requires it.

pub mod act;
pub mod event;
mod journal;
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
    /// Status of an operation.
    pub enum Status {
        /// The operation waits for the approval of another operator.
        Waiting => "WAITING",
        /// The operation was carried out.
        Done => "DONE",
        /// Another operator declined the operation, or approved it after the operator that requested it was revoked.
        Declined => "DECLINED",
    }
}

/// State of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// Platform of the operation.
    pub platform: PlatformId,
    /// The requested act.
    pub act: Act,
    /// The operator that requested it.
    pub by: OperatorId,
    /// The operator that approved or declined.
    pub reviewer: Option<OperatorId>,
    /// Status of the operation.
    pub status: Status,
    /// Sealed box, class profile, of the platform's own user: the reason.
    pub reason: Option<Sealed>,
    /// Time of the request.
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
            // Always the first event of its stream.
            Event::Requested(_) => {}
            Event::Approved(approved) => {
                (self.status, self.reviewer) = (Status::Done, Some(approved.by));
            }
            Event::Declined(declined) => {
                (self.status, self.reviewer) = (Status::Declined, Some(declined.by));
            }
            // The effect of the act; earlier events set the status.
            Event::Journaled(_) => {}
        }
    }
}
