//! Why something about a transaction is refused.

use super::Status;
use crate::account::Shortfall;
use crate::id::NodeId;
use crate::money::{Currency, Money};
use crate::node::NodeKind;
use crate::posting::Rail;

/// A no to a command about a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is none with this id for this caller.
    #[error("transaction does not exist")]
    Unknown,
    /// The receiving node does not exist on this platform.
    #[error("receiving node does not exist")]
    UnknownReceiver,
    /// The node of the fee at this index does not exist on this platform.
    #[error("fee node does not exist")]
    UnknownFeeNode(usize),
    /// The receiving node is of another type than the caller says.
    #[error("receiving node is of type {}", .0.as_str())]
    ReceiverType(NodeKind),
    /// Sender and receiver are one node.
    #[error("sender and receiver are the same node")]
    SameNode,
    /// The fee at this index shall go to a node that is not LEDGER-US.
    #[error("fee node must be of type LEDGER-US")]
    FeeNodeType(usize),
    /// The fees sum to more than the amount.
    #[error("fees exceed the amount")]
    FeesExceedAmount,
    /// The sender may be debited by gateway calls only.
    #[error("node is restricted to gateway transactions")]
    GatewayOnly,
    /// The platform wants to be told at once that a node has too little.
    #[error("not enough available")]
    InsufficientBalance {
        /// What was needed, available and held.
        shortfall: Shortfall,
        /// The sending node.
        node: NodeId,
        /// The currency of the numbers.
        currency: Currency,
    },
    /// Rails carry dollars only.
    #[error("no rail carries {0}")]
    RailCurrency(Currency),
    /// The files of the rail have no place for so much.
    #[error("a file of this rail has no place for more than {most}")]
    TooMuchForRail {
        /// The rail.
        rail: Rail,
        /// The most that has a place.
        most: Money,
    },
    /// It has gone too far, or is over.
    #[error("transaction is {}: it cannot be canceled", .0.as_str())]
    CannotCancel(Status),
    /// Nothing has left yet, or it is over.
    #[error("transaction is {}: it cannot be returned", .0.as_str())]
    CannotReturn(Status),
    /// The code's window is over.
    #[error("too late for a return with this code")]
    TooLateToReturn,
    /// It is no pull by ACH that came back for want of funds, or a side of it may not send or receive any more.
    #[error(
        "only a pull that came back for want of funds is presented again, between nodes that still allow it"
    )]
    CannotPresent,
    /// It was presented again as often as may be.
    #[error("the pull was presented again twice already")]
    PresentedTooOften,
    /// It is too long ago that it was to be pulled first.
    #[error("it is more than 180 days since the pull was first due")]
    TooLateToPresent,
    /// It is not on its way, or is no longer at its beginning.
    #[error("transaction is {}: it cannot be queued", .0.as_str())]
    CannotQueue(Status),
    /// Only screening finds this reason to queue.
    #[error("this reason is found by screening, not given")]
    ReasonNotGiven,
    /// It is not queued.
    #[error("transaction is {}: it is not queued", .0.as_str())]
    NotQueued(Status),
    /// A cause that screening finds still stands.
    #[error("transaction cannot be released: the cause still stands")]
    StillBlocked,
    /// There is no next step.
    #[error("transaction is {}: it takes no further step", .0.as_str())]
    NoNextStep(Status),
    /// An amount is not above zero and within [`MAX_MINOR`](crate::money::MAX_MINOR), or a balance would not fit its
    /// integer.
    #[error("amount or balance out of range")]
    OutOfRange,
}
