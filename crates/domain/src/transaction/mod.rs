//! Transaction: money that moves between two nodes, step by step.

pub mod advance;
pub mod cancel;
pub mod comment;
pub mod contest;
pub mod create;
mod daily_limit;
pub mod dispute_code;
pub mod event;
pub mod external_transfer;
pub mod open_item;
pub mod party;
pub mod present;
pub mod queue;
pub mod recipient;
mod redirect;
pub mod refusal;
pub mod returns;
mod screening;
pub mod status;
pub mod withdraw;

pub use dispute_code::{ContestCode, DishonorCode};
pub use event::{
    Announced, Canceled, Cleared, Commented, Created, CreditStarted, DebitStarted, EarlierEntry, Event,
    FeesRedirected, Queued, Released, Reopened, ReturnContested, Returned, Settled, Submitted, Withdrawn,
    WrittenOff,
};
pub use open_item::{ClearedItem, Direction, OpenItem};
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

/// State of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transaction {
    /// Platform of both parties.
    pub platform: PlatformId,
    /// The sender.
    pub from: Party,
    /// The receiver.
    pub to: Party,
    /// Subject: the user under whose keys the boxes are sealed. The sender, or the receiver of money from outside.
    pub subject: UserId,
    /// Amount that the sender pays.
    pub amount: Money,
    /// Fees, which are taken out of the amount; the receiver gets the rest.
    pub fees: Vec<Fee>,
    /// Attachments of the transaction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentId>,
    /// True for a micro-deposit. Its amount is a secret that only the reserve and the bank's statement show.
    pub is_micro_deposit: bool,
    /// Number of the new presentment of a pull, counted from 1; 0 for every other transaction.
    #[serde(default, skip_serializing_if = "crate::event::is_zero")]
    pub again: u8,
    /// Status of the transaction.
    pub status: Status,
    /// Reasons for which it is queued; empty if it is not.
    pub queue: Vec<QueueReason>,
    /// Nodes of fees, and their owners, that have to change before it may go on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<WaitsFor>,
    /// Time at which it was queued, and time of the last screening that was recorded.
    pub queued_at: Option<(Timestamp, Timestamp)>,
    /// Return reason code, if it was returned.
    pub return_code: Option<ReturnCode>,
    /// Notices in which banks insisted on a return of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contests: Vec<ReturnContested>,
    /// Minor units held on the sender's account for it.
    pub hold: i64,
    /// Minor units announced to the receiver's account, not counting `announced`.
    pub pending_in: i64,
    /// Amounts announced with the debit to accounts whose daily limits count them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub announced: Vec<Announcement>,
    /// Fees that their own nodes could not take, with the nodes that get them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redirected: Vec<Redirect>,
    /// Sum of the postings of its own steps.
    pub net: Net,
    /// Sum of the postings of bank statements that cleared its items.
    pub cleared: Net,
    /// Legs that went into a file.
    pub submitted: Vec<Direction>,
    /// Earliest time at which it may be processed.
    pub process_on: Timestamp,
    /// Milliseconds from each step to the next.
    pub pace_ms: i64,
    /// Sealed box, class profile: note, supplied id, IP, notes of fees.
    pub details: Option<Sealed>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last step that moved money.
    pub moved_at: Timestamp,
}

impl Transaction {
    /// Amount that the receiver gets, in minor units: the amount less the fees.
    #[must_use]
    pub fn net_minor(&self) -> i64 {
        Fee::rest(self.amount, &self.fees)
    }

    /// Removes the hold and the pending amounts.
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
                contests: vec![],
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
            | Event::FeesRedirected(_)
            | Event::Reopened(_)
            | Event::WrittenOff(_)
            | Event::ReturnContested(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, at: Timestamp) {
        match event {
            // Always the first event of its stream.
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
            Event::Reopened(step) => self.cleared.add(&step.postings),
            Event::WrittenOff(step) => self.cleared.take(step.account, step.amount),
            Event::ReturnContested(notice) => self.contests.push(*notice),
            Event::Announced(step) => self.announced.clone_from(&step.announcements),
            Event::FeesRedirected(step) => self.redirected.clone_from(&step.redirects),
            // A comment does not change the status.
            Event::Commented(_) => {}
        }
    }
}
