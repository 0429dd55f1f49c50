//! Where a transaction stands.

use serde::{Deserialize, Serialize};

use crate::account::Shortfall;

/// A transaction's status (`docs/reference/api.md`, Transactions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// Accepted; nothing has moved.
    #[serde(rename = "CREATED")]
    Created,
    /// Taken from the sender.
    #[serde(rename = "PROCESSING-DEBIT")]
    ProcessingDebit,
    /// Announced to the receiver.
    #[serde(rename = "PROCESSING-CREDIT")]
    ProcessingCredit,
    /// Given to the receiver.
    #[serde(rename = "SETTLED")]
    Settled,
    /// Ended before it settled; everything is back where it was.
    #[serde(rename = "CANCELED")]
    Canceled,
}

impl Status {
    /// As the API spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "CREATED",
            Self::ProcessingDebit => "PROCESSING-DEBIT",
            Self::ProcessingCredit => "PROCESSING-CREDIT",
            Self::Settled => "SETTLED",
            Self::Canceled => "CANCELED",
        }
    }

    /// The number that the API gives beside it.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Created => "1",
            Self::ProcessingDebit => "2",
            Self::ProcessingCredit => "3",
            Self::Settled => "4",
            Self::Canceled => "5",
        }
    }
}

/// Why a transaction was canceled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelReason {
    /// The sender's node may not be debited.
    SenderNotAllowed,
    /// The receiver's node may not be credited.
    ReceiverNotAllowed,
    /// The sender's identity does not permit sending.
    SenderPermission,
    /// The receiver's identity does not permit receiving.
    ReceiverPermission,
    /// There was too little when it was due.
    InsufficientFunds(Shortfall),
}
