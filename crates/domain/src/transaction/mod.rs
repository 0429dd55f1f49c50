//! Transaction: money that moves between two nodes, step by step.

pub mod advance;
pub mod comment;
pub mod create;
pub mod event;
pub mod party;
pub mod receive;
pub mod refusal;
pub mod status;

pub use event::{Canceled, Commented, Created, CreditStarted, DebitStarted, Event, Settled};
pub use party::{Fee, Party};
pub use refusal::Refusal;
use serde::{Deserialize, Serialize};
pub use status::{CancelReason, Status};

use crate::aggregate::{Aggregate, Kind};
use crate::id::{PlatformId, UserId};
use crate::money::Money;
use crate::posting::{Net, Postings};
use crate::sealed::Sealed;
use crate::time::Timestamp;

/// A transaction as its events tell it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transaction {
    /// The platform of both sides.
    pub platform: PlatformId,
    /// Who sends.
    pub from: Party,
    /// Who receives.
    pub to: Party,
    /// Under whose keys its boxes are sealed: the sender, or the receiver of money from outside.
    pub subject: UserId,
    /// What the sender gives.
    pub amount: Money,
    /// What others get out of it; the receiver gets the rest.
    pub fees: Vec<Fee>,
    /// Where it stands.
    pub status: Status,
    /// Minor units held on the sender's account for it.
    pub hold: i64,
    /// Minor units announced to the receiver's account.
    pub pending_in: i64,
    /// What it has done to each ledger account.
    pub net: Net,
    /// The first moment at which it may be processed.
    pub process_on: Timestamp,
    /// Milliseconds from each step to the next.
    pub pace_ms: i64,
    /// Box, class profile: note, supplied id, IP, notes of fees.
    pub details: Option<Sealed>,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Transaction {
    /// What the receiver gets: the amount less the fees, in minor units.
    #[must_use]
    pub fn net_minor(&self) -> i64 {
        self.amount.minor.saturating_sub(self.fees.iter().map(|fee| fee.minor).sum())
    }

    fn post(&mut self, status: Status, postings: Option<&Postings>) {
        self.status = status;
        if let Some(postings) = postings {
            self.net.add(postings);
        }
    }
}

impl Aggregate for Transaction {
    type Event = Event;
    const KIND: Kind = Kind::Transaction;

    fn begin(event: &Event, at: Timestamp) -> Option<Self> {
        match event {
            Event::Created(created) => Some(Self {
                platform: created.platform,
                from: created.from,
                to: created.to,
                subject: created.subject,
                amount: created.amount,
                fees: created.fees.clone(),
                status: Status::Created,
                hold: created.hold,
                pending_in: 0,
                net: Net::new(created.amount.currency),
                process_on: created.process_on,
                pace_ms: created.pace_ms,
                details: created.details.clone(),
                created_at: at,
            }),
            Event::DebitStarted(_)
            | Event::CreditStarted(_)
            | Event::Settled(_)
            | Event::Canceled(_)
            | Event::Commented(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Only ever the first event of its stream.
            Event::Created(_) => {}
            Event::DebitStarted(step) => {
                self.hold = 0;
                self.post(Status::ProcessingDebit, Some(&step.postings));
            }
            Event::CreditStarted(step) => {
                self.pending_in = step.pending_in;
                self.post(Status::ProcessingCredit, None);
            }
            Event::Settled(step) => {
                self.pending_in = 0;
                self.post(Status::Settled, Some(&step.postings));
            }
            Event::Canceled(step) => {
                (self.hold, self.pending_in) = (0, 0);
                self.post(Status::Canceled, step.postings.as_ref());
            }
            // Words about it; it stands where it stood.
            Event::Commented(_) => {}
        }
    }
}
