//! Status of a transaction, and the reasons of a queue and of a cancel.

use serde::{Deserialize, Serialize};

use crate::account::Shortfall;
use crate::id::{NodeId, UserId};
use crate::named;

named! {
    /// A transaction's status (`docs/reference/api.md`, Transactions).
    pub enum Status {
        /// Held back for a reason; goes on when the reason is removed.
        Queued => "QUEUED-BY-LEDGER",
        /// Accepted; no money has moved.
        Created => "CREATED",
        /// The money was taken from the sender.
        ProcessingDebit => "PROCESSING-DEBIT",
        /// The money was announced to the receiver, or sent out to it.
        ProcessingCredit => "PROCESSING-CREDIT",
        /// The money was given to the receiver.
        Settled => "SETTLED",
        /// Ended before it settled; all money is back where it was.
        Canceled => "CANCELED",
        /// Returned; every cent went back to where it came from.
        Returned => "RETURNED",
    }
}

impl Status {
    /// Returns true if no step follows the status. A return may still follow a settlement.
    #[must_use]
    pub const fn is_end(self) -> bool {
        match self {
            Self::Settled | Self::Canceled | Self::Returned => true,
            Self::Queued | Self::Created | Self::ProcessingDebit | Self::ProcessingCredit => false,
        }
    }

    /// Number of the status in the API (`status_id`).
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

/// Reason for which a transaction is queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueReason {
    /// The sender's permission does not allow this payment.
    SenderPermission,
    /// The receiver's permission does not allow it to receive.
    ReceiverPermission,
    /// The sender's node is locked.
    SenderLocked,
    /// The receiver's node is locked.
    ReceiverLocked,
    /// The transaction would exceed a daily limit.
    DailyLimit,
    /// A caller considers the transaction a risk.
    Risk,
    /// The sender was not authorised.
    SenderNotAuthorised,
    /// The receiver was not authorised.
    ReceiverNotAuthorised,
}

impl QueueReason {
    /// Code of the reason in the API (`docs/reference/api.md`, Transactions).
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

    /// The reason that a caller may give with this code. Only screening can find the other reasons.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        let given = [Self::Risk, Self::SenderNotAuthorised, Self::ReceiverNotAuthorised];
        given.into_iter().find(|reason| reason.code() == code)
    }

    /// Returns true if a caller gave the reason. Only a caller can remove it.
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

/// A fee's node, or the owner of one, that blocks a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitsFor {
    /// The transaction waits until this user may receive.
    User(UserId),
    /// The transaction waits until this node is unlocked.
    Node(NodeId),
}

/// Reason for which a transaction was canceled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelReason {
    /// The sender's node may not be debited.
    SenderNotAllowed,
    /// The receiver's node may not be credited.
    ReceiverNotAllowed,
    /// The sender had too little when the transaction was due.
    InsufficientFunds(Shortfall),
    /// The transaction was queued for too long.
    QueueExpired,
    /// An actor requested it; the event's origin names the actor.
    Requested,
    /// A balance would overflow.
    OutOfRange,
}
