//! What happens to a transaction. Whatever moves money carries the postings that moved it.

use serde::{Deserialize, Serialize};

use super::recipient::{Announcement, Redirect};
use super::{CancelReason, Direction, Fee, Party, QueueReason, WaitsFor};
use crate::actor::Origin;
use crate::calendar::ReturnCode;
use crate::event::{Payload, carries_a_box, events};
use crate::id::{AttachmentId, CustodyId, FileId, PlatformId, UserId};
use crate::money::Money;
use crate::posting::{Postings, Rail};
use crate::sealed::Sealed;
use crate::time::Timestamp;

events! { Transaction:
    /// It was accepted.
    Created = 40 v 1 "transaction.created",
    /// The money was taken from the sender.
    DebitStarted = 41 v 1 "transaction.debit_started",
    /// The money was announced to the receiver, or sent out to it.
    CreditStarted = 42 v 1 "transaction.credit_started",
    /// The money was given to the receiver.
    Settled = 43 v 1 "transaction.settled",
    /// It ended before it settled.
    Canceled = 44 v 1 "transaction.canceled",
    /// Somebody said something about it.
    Commented = 45 v 1 "transaction.commented",
    /// It is held back.
    Queued = 46 v 1 "transaction.queued",
    /// It goes on.
    Released = 47 v 1 "transaction.released",
    /// It came back.
    Returned = 48 v 1 "transaction.returned",
    /// It went into a file for the bank.
    Submitted = 49 v 1 "transaction.submitted",
    /// A line of the bank's statement explained what was open.
    Cleared = 50 v 1 "transaction.cleared",
    /// A leg was taken out of its file again.
    Withdrawn = 51 v 1 "transaction.withdrawn",
    /// The money was announced to accounts whose limits count it.
    Announced = 52 v 1 "transaction.announced",
    /// Fees went to others than their nodes.
    FeesRedirected = 53 v 1 "transaction.fees_redirected",
}

/// It was accepted; the funds on the sender are held if they were there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// The platform of both sides.
    pub platform: PlatformId,
    /// Who sends.
    pub from: Party,
    /// Who receives.
    pub to: Party,
    /// Under whose keys its boxes are sealed.
    pub subject: UserId,
    /// What the sender gives.
    pub amount: Money,
    /// What others get out of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fees: Vec<Fee>,
    /// Minor units held on the sender's account; 0: not covered, or not due today.
    pub hold: i64,
    /// The first moment at which it may be processed.
    pub process_on: Timestamp,
    /// Milliseconds from each step to the next.
    pub pace_ms: i64,
    /// Papers that came with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentId>,
    /// A micro-deposit: its amount is a secret between the reserve and the bank's statement.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_micro_deposit: bool,
    /// For the how-manyth time a pull is presented again; 0 of everything else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub again: u8,
    /// Who asked for it.
    pub origin: Origin,
    /// Box, class profile: note, supplied id, IP, notes of fees.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

carries_a_box!(Created.details);

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
pub(super) fn is_zero(number: &u8) -> bool {
    *number == 0
}

/// The hold was released and the money taken from the sender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebitStarted {
    /// What moved.
    pub postings: Postings,
    /// Who made it so.
    pub origin: Origin,
}

impl Payload for DebitStarted {}

/// The money was announced to the receiver, or sent out to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreditStarted {
    /// Minor units on their way to the receiver's account that were not announced before.
    pub pending_in: i64,
    /// What moved, if the receiver is outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postings: Option<Postings>,
    /// Who made it so.
    pub origin: Origin,
}

impl Payload for CreditStarted {}

/// The money was given to the receiver, the fees to theirs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// What moved; nothing if all of it had left and there is no fee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postings: Option<Postings>,
    /// Who made it so.
    pub origin: Origin,
}

impl Payload for Settled {}

/// It ended before it settled; whatever it had done is undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Canceled {
    /// Why.
    pub reason: CancelReason,
    /// What moved back, if anything had moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postings: Option<Postings>,
    /// Who made it so.
    pub origin: Origin,
}

impl Payload for Canceled {}

/// Somebody said something about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commented {
    /// Who.
    pub by: UserId,
    /// Box, class profile of the transaction's subject: the words.
    #[serde(skip)]
    pub comment: Option<Sealed>,
}

carries_a_box!(Commented.comment);

/// It is held back; whatever was held for it stays held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queued {
    /// Every reason there is, at least one.
    pub reasons: Vec<QueueReason>,
    /// Nodes of fees, and their owners, that it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<WaitsFor>,
    /// Who made it so.
    pub origin: Origin,
}

impl Payload for Queued {}

/// It goes on from where it was held back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Released {
    /// Who made it so.
    pub origin: Origin,
}

impl Payload for Released {}

/// It came back; every cent went back to where it came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    /// Why, in the words of the rail.
    pub code: ReturnCode,
    /// Which leg came back, if it has any outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leg: Option<Direction>,
    /// What moved back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postings: Option<Postings>,
    /// Who made it so.
    pub origin: Origin,
}

impl Payload for Returned {}

/// It went into a file for the bank; from now on it cannot be canceled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submitted {
    /// The file.
    pub file: FileId,
    /// The rail of the file.
    pub rail: Rail,
    /// Which leg.
    pub direction: Direction,
    /// Its number in the file, unique at the bank until 10⁷ more were submitted.
    pub trace: u32,
}

impl Payload for Submitted {}

/// A line of the bank's statement explained what was open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cleared {
    /// The account at the bank.
    pub custody: CustodyId,
    /// The statement's own id of the line.
    pub line: String,
    /// What moved between the bank's account and the open item.
    pub postings: Postings,
}

impl Payload for Cleared {}

/// The file had no place for a leg; no bank ever saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdrawn {
    /// Which leg.
    pub direction: Direction,
}

impl Payload for Withdrawn {}

/// What accounts with a limit for the day will get was announced to them when the money was taken, so that the limit counts
/// it from then on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announced {
    /// To whom, and how much, at least one.
    pub announcements: Vec<Announcement>,
    /// Who made it so.
    pub origin: Origin,
}

impl Payload for Announced {}

/// Nodes of fees could not be credited when the transaction was settled, and others are credited instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeesRedirected {
    /// Which fees, and to whom, at least one.
    pub redirects: Vec<Redirect>,
    /// Who made it so.
    pub origin: Origin,
}

impl Payload for FeesRedirected {}
