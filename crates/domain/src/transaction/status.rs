//! Where a transaction stands, and why it stands still or ended.

use serde::{Deserialize, Serialize};

use crate::account::Shortfall;
use crate::id::{NodeId, UserId};
use crate::named;

named! {
    /// A transaction's status (`docs/reference/api.md`, Transactions).
    pub enum Status {
        /// Held back for a reason; goes on when that is cleared.
        Queued => "QUEUED-BY-LEDGER",
        /// Accepted; nothing has moved.
        Created => "CREATED",
        /// Taken from the sender.
        ProcessingDebit => "PROCESSING-DEBIT",
        /// Announced to the receiver, or sent out to it.
        ProcessingCredit => "PROCESSING-CREDIT",
        /// Given to the receiver.
        Settled => "SETTLED",
        /// Ended before it settled; everything is back where it was.
        Canceled => "CANCELED",
        /// Came back; every cent went back to where it came from.
        Returned => "RETURNED",
    }
}

impl Status {
    /// Whether nothing happens after it by itself. A return may still follow a settlement.
    #[must_use]
    pub const fn is_end(self) -> bool {
        match self {
            Self::Settled | Self::Canceled | Self::Returned => true,
            Self::Queued | Self::Created | Self::ProcessingDebit | Self::ProcessingCredit => false,
        }
    }

    /// The number that the API gives beside it.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Queued => "-1",
            Self::Created => "1",
            Self::ProcessingDebit => "2",
            Self::ProcessingCredit => "3",
            Self::Settled => "4",
            Self::Canceled => "5",
            Self::Returned => "6",
        }
    }
}

/// Why a transaction is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueReason {
    /// The sender's identity does not permit sending this.
    SenderPermission,
    /// The receiver's identity does not permit receiving.
    ReceiverPermission,
    /// The sender's node is locked.
    SenderLocked,
    /// The receiver's node is locked.
    ReceiverLocked,
    /// It would exceed what may move on one day.
    DailyLimit,
    /// Somebody found it risky.
    Risk,
    /// The sender was not authorised.
    SenderNotAuthorised,
    /// The receiver was not authorised.
    ReceiverNotAuthorised,
}

impl QueueReason {
    /// The code that the API gives (`docs/reference/api.md`, Transactions).
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::SenderPermission => "Q06",
            Self::ReceiverPermission => "Q07",
            Self::SenderLocked => "Q08",
            Self::ReceiverLocked => "Q09",
            Self::DailyLimit | Self::Risk => "Q10",
            Self::SenderNotAuthorised => "Q46",
            Self::ReceiverNotAuthorised => "Q47",
        }
    }

    /// The reason that somebody may give with this code; the others are found by screening alone.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        let given = [Self::Risk, Self::SenderNotAuthorised, Self::ReceiverNotAuthorised];
        given.into_iter().find(|reason| reason.code() == code)
    }

    /// Whether somebody gave it, who alone can take it back.
    #[must_use]
    pub const fn is_given(self) -> bool {
        match self {
            Self::Risk | Self::SenderNotAuthorised | Self::ReceiverNotAuthorised => true,
            Self::SenderPermission
            | Self::ReceiverPermission
            | Self::SenderLocked
            | Self::ReceiverLocked
            | Self::DailyLimit => false,
        }
    }
}

/// A fee's node, or the owner of one, that keeps a transaction waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitsFor {
    /// Until this user may receive.
    User(UserId),
    /// Until this node is unlocked.
    Node(NodeId),
}

/// Why a transaction was canceled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelReason {
    /// The sender's node may not be debited.
    SenderNotAllowed,
    /// The receiver's node may not be credited.
    ReceiverNotAllowed,
    /// There was too little when it was due.
    InsufficientFunds(Shortfall),
    /// It was held back for too long.
    QueueExpired,
    /// Somebody asked for it; the event's origin tells who.
    Requested,
    /// A balance would not fit its integer.
    OutOfRange,
}
