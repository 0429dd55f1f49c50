//! Events of a transaction. Every event that moves money carries its postings.

use serde::{Deserialize, Serialize};

use super::recipient::{Announcement, Redirect};
use super::{CancelReason, ContestCode, Direction, DishonorCode, Fee, Party, QueueReason, WaitsFor};
use crate::actor::Origin;
use crate::calendar::{Day, ReturnCode};
use crate::event::{Payload, carries_a_box, events};
use crate::id::{AttachmentId, CustodyId, FileId, OperationId, PlatformId, UserId};
use crate::money::Money;
use crate::posting::{LedgerAccount, Postings, Rail};
use crate::sealed::Sealed;
use crate::time::Timestamp;

events! { Transaction:
    /// The transaction was accepted.
    Created = 40 v 1 "transaction.created",
    /// The money was taken from the sender.
    DebitStarted = 41 v 1 "transaction.debit_started",
    /// The money was announced to the receiver, or sent out to it.
    CreditStarted = 42 v 1 "transaction.credit_started",
    /// The money was given to the receiver.
    Settled = 43 v 1 "transaction.settled",
    /// The transaction was canceled before it settled.
    Canceled = 44 v 1 "transaction.canceled",
    /// A user commented on the transaction.
    Commented = 45 v 1 "transaction.commented",
    /// The transaction was queued: it is held back.
    Queued = 46 v 1 "transaction.queued",
    /// The transaction was released from the queue.
    Released = 47 v 1 "transaction.released",
    /// The transaction was returned.
    Returned = 48 v 1 "transaction.returned",
    /// A leg went into a file for the bank.
    Submitted = 49 v 1 "transaction.submitted",
    /// A line of the bank's statement cleared an open item.
    Cleared = 50 v 1 "transaction.cleared",
    /// A leg was withdrawn from its file.
    Withdrawn = 51 v 1 "transaction.withdrawn",
    /// The money was announced to accounts whose daily limits count it.
    Announced = 52 v 1 "transaction.announced",
    /// Fees went to other nodes than their own.
    FeesRedirected = 53 v 1 "transaction.fees_redirected",
    /// The clearing of an open item was taken back, because the bank states the day anew.
    Reopened = 54 v 1 "transaction.reopened",
    /// A journal entry cleared an open item.
    WrittenOff = 55 v 1 "transaction.written_off",
    /// The receiver's bank insisted on a return that was dishonored.
    ReturnContested = 56 v 1 "transaction.return_contested",
}

/// The transaction was accepted. The amount is held on the sender's account if it was covered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// Platform of both parties.
    pub platform: PlatformId,
    /// The sender.
    pub from: Party,
    /// The receiver.
    pub to: Party,
    /// Subject: the user under whose keys the boxes are sealed.
    pub subject: UserId,
    /// Amount that the sender pays.
    pub amount: Money,
    /// Fees, which are taken out of the amount.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fees: Vec<Fee>,
    /// Minor units held on the sender's account; 0 if not covered, or not due today.
    pub hold: i64,
    /// Earliest time at which it may be processed.
    pub process_on: Timestamp,
    /// Milliseconds from each step to the next.
    pub pace_ms: i64,
    /// Attachments of the transaction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentId>,
    /// True for a micro-deposit. Its amount is a secret that only the reserve and the bank's statement show.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_micro_deposit: bool,
    /// Number of the new presentment of a pull, counted from 1; 0 for every other transaction.
    #[serde(default, skip_serializing_if = "crate::event::is_zero")]
    pub again: u8,
    /// Origin of the request.
    pub origin: Origin,
    /// Sealed box, class profile: note, supplied id, IP, notes of fees.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

carries_a_box!(Created.details);

/// The hold was released and the money taken from the sender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebitStarted {
    /// Postings of the debit.
    pub postings: Postings,
    /// Origin of the step.
    pub origin: Origin,
}

impl Payload for DebitStarted {}

/// The money was announced to the receiver, or sent out to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreditStarted {
    /// Minor units on their way to the receiver's account that were not announced before.
    pub pending_in: i64,
    /// Postings, if the receiver is outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postings: Option<Postings>,
    /// Origin of the step.
    pub origin: Origin,
}

impl Payload for CreditStarted {}

/// The money was given to the receiver, and the fees to their nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// Postings; `None` if all of the money had left and there is no fee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postings: Option<Postings>,
    /// Origin of the step.
    pub origin: Origin,
}

impl Payload for Settled {}

/// The transaction was canceled before it settled. Everything that it had done is reversed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Canceled {
    /// Reason for the cancel.
    pub reason: CancelReason,
    /// Postings of the reversal; `None` if no money had moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postings: Option<Postings>,
    /// Origin of the cancel.
    pub origin: Origin,
}

impl Payload for Canceled {}

/// A user commented on the transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commented {
    /// The user.
    pub by: UserId,
    /// Sealed box, class profile, of the transaction's subject: the comment.
    #[serde(skip)]
    pub comment: Option<Sealed>,
}

carries_a_box!(Commented.comment);

/// The transaction was queued: it is held back. Its hold stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queued {
    /// All reasons, at least one.
    pub reasons: Vec<QueueReason>,
    /// Nodes of fees, and their owners, that have to change before it may go on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<WaitsFor>,
    /// Origin of the queue.
    pub origin: Origin,
}

impl Payload for Queued {}

/// The transaction was released: it goes on from the status before the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Released {
    /// Origin of the release.
    pub origin: Origin,
}

impl Payload for Released {}

/// The transaction was returned: every cent went back to where it came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    /// Return reason code of the rail.
    pub code: ReturnCode,
    /// The returned leg, if one is outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leg: Option<Direction>,
    /// Postings of the return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postings: Option<Postings>,
    /// Origin of the return.
    pub origin: Origin,
}

impl Payload for Returned {}

/// A leg went into a file for the bank. The transaction cannot be canceled afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submitted {
    /// The file.
    pub file: FileId,
    /// The rail of the file.
    pub rail: Rail,
    /// The leg.
    pub direction: Direction,
    /// Trace number in the file, unique at the bank until 10⁷ more were submitted.
    pub trace: u32,
}

impl Payload for Submitted {}

/// A line of the bank's statement cleared an open item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cleared {
    /// The platform's account at the bank.
    pub custody: CustodyId,
    /// Id of the line in the statement.
    pub line: String,
    /// Postings between the bank's account and the open item.
    pub postings: Postings,
}

impl Payload for Cleared {}

/// The clearing of an open item was taken back: the bank states the day of the line anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reopened {
    /// The platform's account at the bank.
    pub custody: CustodyId,
    /// Id of the line in the replaced statement.
    pub line: String,
    /// Postings that reverse those of the clearing.
    pub postings: Postings,
}

impl Payload for Reopened {}

/// A journal entry cleared an open item, which no statement will explain. The postings are those of the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenOff {
    /// The operation with the entry.
    pub operation: OperationId,
    /// Account of the item: of a rail or of returns.
    pub account: LedgerAccount,
    /// Amount that is open no longer, in minor units; a debit is positive.
    pub amount: i64,
}

impl Payload for WrittenOff {}

/// The receiver's bank insisted on a return that the originator's bank had dishonored (contested dishonored return). The
/// notice moves no money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReturnContested {
    /// Reason of the bank.
    pub code: ContestCode,
    /// The leg whose entry was returned.
    pub leg: Direction,
    /// Settlement day of the leg's entry, as the number of the day in its year, if it is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settlement_day: Option<u16>,
    /// Day of the return, if it is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned_on: Option<Day>,
    /// The return.
    pub returned: EarlierEntry<ReturnCode>,
    /// The dishonored return.
    pub dishonored: EarlierEntry<DishonorCode>,
    /// Origin of the notice.
    pub origin: Origin,
}

impl Payload for ReturnContested {}

/// An entry of another bank's file that a notice refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierEntry<Code> {
    /// Trace of the entry: fifteen digits.
    pub trace: u64,
    /// Code of the entry.
    pub code: Code,
    /// Settlement day, as the number of the day in its year, 1 to 366, if it is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settlement_day: Option<u16>,
}

/// A leg was withdrawn: its file could not carry it, and no bank received it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdrawn {
    /// The leg.
    pub direction: Direction,
}

impl Payload for Withdrawn {}

/// Pending amounts were announced, together with the debit, to accounts with a daily limit, so that the limit counts
/// them from then on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announced {
    /// Accounts and amounts, at least one.
    pub announcements: Vec<Announcement>,
    /// Origin of the step.
    pub origin: Origin,
}

impl Payload for Announced {}

/// Nodes of fees could not be credited at the settlement, and other nodes are credited instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeesRedirected {
    /// Redirected fees and the nodes that get them, at least one.
    pub redirects: Vec<Redirect>,
    /// Origin of the step.
    pub origin: Origin,
}

impl Payload for FeesRedirected {}
