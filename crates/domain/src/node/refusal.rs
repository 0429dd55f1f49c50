//! Refusals of commands about a node.

use super::Inapplicable;

/// Refusal of a command about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No node has this id for this caller.
    #[error("node does not exist")]
    Unknown,
    /// The node stands for an account outside; it has no balance here.
    #[error("node does not hold money here")]
    NotHeld,
    /// No micro-deposits wait for a report.
    #[error("node waits for no micro-deposits")]
    NoMicroDeposits,
    /// Micro-deposits do not apply to the node, as was recorded before.
    #[error("micro-deposits are not applicable: {}", .0.as_str())]
    Inapplicable(Inapplicable),
    /// Micro-deposits were sent again as often as permitted.
    #[error("micro-deposits were sent again three times already")]
    ResentTooOften,
    /// The platform's reserve has too little money for micro-deposits.
    #[error("the platform's reserve is at its floor")]
    ReserveAtFloor,
    /// The daily limit of the platform's reserve is reached.
    #[error("the platform's reserve has sent as much today as it may")]
    ReserveAtLimit,
    /// The permitted number of micro-deposits to this user's accounts on a day is reached.
    #[error("micro-deposits were sent to this user's accounts as often today as they may be")]
    OwnerAtLimit,
    /// The node is locked.
    #[error("node is locked")]
    Locked,
    /// The command was made from details that have changed since.
    #[error("node was changed meanwhile")]
    Stale,
    /// The node is the platform's reserve.
    #[error("the platform's reserve cannot be deleted")]
    Reserve,
}
