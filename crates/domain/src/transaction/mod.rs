//! Transaction: money that moves between two nodes, step by step.

pub mod advance;
pub mod cancel;
pub mod comment;
pub mod create;
pub mod event;
pub mod open_item;
pub mod party;
pub mod present;
pub mod queue;
pub mod receive;
pub mod recipient;
mod redirect;
pub mod refusal;
pub mod returning;
mod room;
mod screening;
pub mod status;
pub mod withdraw;

pub use event::{
    Announced, Canceled, Cleared, Commented, Created, CreditStarted, DebitStarted, Event, FeesRedirected,
    Queued, Released, Returned, Settled, Submitted, Withdrawn,
};
pub use open_item::{Direction, OpenItem};
pub use party::{Fee, Party};
pub use recipient::{Announcement, Recipient, Recipients, Redirect};
pub use refusal::Refusal;
use serde::{Deserialize, Serialize};
pub use status::{CancelReason, QueueReason, Status, WaitsFor};

use crate::aggregate::{Aggregate, Kind};
use crate::calendar::ReturnCode;
use crate::id::{AttachmentId, PlatformId, UserId};
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
    /// Papers that came with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentId>,
    /// A micro-deposit: its amount is a secret between the reserve and the bank's statement.
    pub is_micro_deposit: bool,
    /// For the how-manyth time a pull is presented again; 0 of everything else.
    #[serde(default, skip_serializing_if = "event::is_zero")]
    pub again: u8,
    /// Where it stands.
    pub status: Status,
    /// Why it is held back, if it is.
    pub queue: Vec<QueueReason>,
    /// Nodes of fees, and their owners, that it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<WaitsFor>,
    /// Since when it is held back, and when that was last looked at.
    pub queued_at: Option<(Timestamp, Timestamp)>,
    /// Why it came back, if it did.
    pub return_code: Option<ReturnCode>,
    /// Minor units held on the sender's account for it.
    pub hold: i64,
    /// Minor units announced to the receiver's account, beside what is announced in time for limits.
    pub pending_in: i64,
    /// What was announced to accounts whose limits count it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub announced: Vec<Announcement>,
    /// Fees that their nodes could not take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redirected: Vec<Redirect>,
    /// What its own steps have done to each ledger account.
    pub net: Net,
    /// What statements of the bank have done to them since.
    pub cleared: Net,
    /// Which legs went into a file.
    pub submitted: Vec<Direction>,
    /// The first moment at which it may be processed.
    pub process_on: Timestamp,
    /// Milliseconds from each step to the next.
    pub pace_ms: i64,
    /// Box, class profile: note, supplied id, IP, notes of fees.
    pub details: Option<Sealed>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last moved money.
    pub moved_at: Timestamp,
}

impl Transaction {
    /// What the receiver gets: the amount less the fees, in minor units.
    #[must_use]
    pub fn net_minor(&self) -> i64 {
        Fee::rest(self.amount, &self.fees)
    }

    /// Nothing is promised for it any more.
    fn release(&mut self) {
        (self.hold, self.pending_in) = (0, 0);
        self.announced.clear();
    }

    fn post(&mut self, status: Status, postings: Option<&Postings>, at: Timestamp) {
        self.status = status;
        if let Some(postings) = postings {
            self.net.add(postings);
            self.moved_at = at;
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
                attachments: created.attachments.clone(),
                is_micro_deposit: created.is_micro_deposit,
                again: created.again,
                status: Status::Created,
                queue: vec![],
                waits_for: vec![],
                queued_at: None,
                return_code: None,
                hold: created.hold,
                pending_in: 0,
                announced: vec![],
                redirected: vec![],
                net: Net::new(created.amount.currency),
                cleared: Net::new(created.amount.currency),
                submitted: vec![],
                process_on: created.process_on,
                pace_ms: created.pace_ms,
                details: created.details.clone(),
                created_at: at,
                moved_at: at,
            }),
            Event::DebitStarted(_)
            | Event::CreditStarted(_)
            | Event::Settled(_)
            | Event::Canceled(_)
            | Event::Commented(_)
            | Event::Queued(_)
            | Event::Released(_)
            | Event::Returned(_)
            | Event::Submitted(_)
            | Event::Cleared(_)
            | Event::Withdrawn(_)
            | Event::Announced(_)
            | Event::FeesRedirected(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, at: Timestamp) {
        match event {
            // Only ever the first event of its stream.
            Event::Created(_) => {}
            Event::DebitStarted(step) => {
                self.hold = 0;
                self.post(Status::ProcessingDebit, Some(&step.postings), at);
            }
            Event::CreditStarted(step) => {
                self.pending_in = step.pending_in;
                self.post(Status::ProcessingCredit, step.postings.as_ref(), at);
            }
            Event::Settled(step) => {
                self.release();
                self.post(Status::Settled, step.postings.as_ref(), at);
            }
            Event::Canceled(step) => {
                self.release();
                self.queue.clear();
                self.waits_for.clear();
                self.post(Status::Canceled, step.postings.as_ref(), at);
            }
            Event::Returned(step) => {
                self.release();
                self.return_code = Some(step.code);
                self.post(Status::Returned, step.postings.as_ref(), at);
            }
            Event::Queued(step) => {
                self.status = Status::Queued;
                self.queue.clone_from(&step.reasons);
                self.waits_for.clone_from(&step.waits_for);
                self.queued_at = Some((self.queued_at.map_or(at, |(since, _)| since), at));
            }
            Event::Released(_) => {
                self.status = Status::Created;
                self.queue.clear();
                self.waits_for.clear();
                self.queued_at = None;
            }
            Event::Submitted(step) => self.submitted.push(step.direction),
            Event::Withdrawn(step) => self.submitted.retain(|leg| *leg != step.direction),
            Event::Cleared(step) => self.cleared.add(&step.postings),
            Event::Announced(step) => self.announced.clone_from(&step.announcements),
            Event::FeesRedirected(step) => self.redirected.clone_from(&step.redirects),
            // Words about it; it stands where it stood.
            Event::Commented(_) => {}
        }
    }
}
