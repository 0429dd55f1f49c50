//! Why something about a node is refused.

use super::Inapplicable;

/// A no to a command about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is none with this id for this caller.
    #[error("node does not exist")]
    Unknown,
    /// The node is a place outside; it has no balance here.
    #[error("node does not hold money here")]
    NotHeld,
    /// No micro-deposits wait to be told.
    #[error("node waits for no micro-deposits")]
    NoMicroDeposits,
    /// Micro-deposits are no question for the node, as was noted before.
    #[error("micro-deposits are not applicable: {}", .0.as_str())]
    Inapplicable(Inapplicable),
    /// Micro-deposits were sent again as often as may be.
    #[error("micro-deposits were sent again three times already")]
    ResentTooOften,
    /// The platform's reserve has too little left for micro-deposits.
    #[error("the platform's reserve is at its floor")]
    ReserveAtFloor,
    /// As much has left the platform's reserve today as may.
    #[error("the platform's reserve has sent as much today as it may")]
    ReserveAtLimit,
    /// Micro-deposits were sent to accounts of this user as often today as may be.
    #[error("micro-deposits were sent to this user's accounts as often today as they may be")]
    OwnerAtLimit,
    /// The node is locked.
    #[error("node is locked")]
    Locked,
    /// What was asked for was made from details that somebody has changed since.
    #[error("node was changed meanwhile")]
    Stale,
    /// The node is the platform's reserve.
    #[error("the platform's reserve cannot be deleted")]
    Reserve,
}
