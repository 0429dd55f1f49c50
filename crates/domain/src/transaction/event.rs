//! What happens to a transaction. Whatever moves money carries the postings that moved it.

use serde::{Deserialize, Serialize};

use super::{CancelReason, Fee, Party};
use crate::event::{Payload, events};
use crate::id::{PlatformId, UserId};
use crate::money::Money;
use crate::posting::Postings;
use crate::sealed::Sealed;
use crate::time::Timestamp;

events! { Transaction:
    /// It was accepted.
    Created = 40 v 1 "transaction.created",
    /// The money was taken from the sender.
    DebitStarted = 41 v 1 "transaction.debit_started",
    /// The money was announced to the receiver.
    CreditStarted = 42 v 1 "transaction.credit_started",
    /// The money was given to the receiver.
    Settled = 43 v 1 "transaction.settled",
    /// It ended before it settled.
    Canceled = 44 v 1 "transaction.canceled",
    /// Somebody said something about it.
    Commented = 45 v 1 "transaction.commented",
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
    /// Made by a call of the sandbox.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// Box, class profile: note, supplied id, IP, notes of fees.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

impl Payload for Created {
    fn sealed(&self) -> Option<&Sealed> {
        self.details.as_ref()
    }
    fn attach(&mut self, sealed: Option<Sealed>) {
        self.details = sealed;
    }
}

/// The hold was released and the money taken from the sender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebitStarted {
    /// What moved.
    pub postings: Postings,
}

impl Payload for DebitStarted {}

/// The money was announced to the receiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreditStarted {
    /// Minor units on their way to the receiver's account.
    pub pending_in: i64,
}

impl Payload for CreditStarted {}

/// The money was given to the receiver, the fees to theirs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// What moved.
    pub postings: Postings,
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

impl Payload for Commented {
    fn sealed(&self) -> Option<&Sealed> {
        self.comment.as_ref()
    }
    fn attach(&mut self, sealed: Option<Sealed>) {
        self.comment = sealed;
    }
}
