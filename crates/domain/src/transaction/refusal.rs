//! Refusals of commands about a transaction.

use super::Status;
use crate::account::Shortfall;
use crate::id::NodeId;
use crate::money::{Currency, Money};
use crate::node::NodeKind;
use crate::posting::Rail;

/// Refusal of a command about a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No transaction has this id for this caller.
    #[error("transaction does not exist")]
    Unknown,
    /// The receiving node does not exist on this platform.
    #[error("receiving node does not exist")]
    UnknownReceiver,
    /// The node of the fee at this index does not exist on this platform.
    #[error("fee node does not exist")]
    UnknownFeeNode(usize),
    /// The receiving node is of another type than the caller states.
    #[error("receiving node is of type {}", .0.as_str())]
    ReceiverType(NodeKind),
    /// Sender and receiver are the same node.
    #[error("sender and receiver are the same node")]
    SameNode,
    /// The fee at this index goes to a node that is not LEDGER-US.
    #[error("fee node must be of type LEDGER-US")]
    FeeNodeType(usize),
    /// The fees sum to more than the amount.
    #[error("fees exceed the amount")]
    FeesExceedAmount,
    /// Only gateway calls may debit the node.
    #[error("node is restricted to gateway transactions")]
    GatewayOnly,
    /// The node has too little available money.
    #[error("not enough available")]
    InsufficientBalance {
        /// Amounts needed, available and held.
        shortfall: Shortfall,
        /// The sending node.
        node: NodeId,
        /// Currency of the amounts.
        currency: Currency,
    },
    /// Rails carry US dollars only.
    #[error("no rail carries {0}")]
    RailCurrency(Currency),
    /// The amount is above the limit of an entry of the rail's files.
    #[error("a file of this rail has no place for more than {most}")]
    TooMuchForRail {
        /// The rail.
        rail: Rail,
        /// Maximum amount of an entry.
        most: Money,
    },
    /// The transaction has gone too far, or is over.
    #[error("transaction is {}: it cannot be canceled", .0.as_str())]
    CannotCancel(Status),
    /// Nothing has left yet, or the transaction is over.
    #[error("transaction is {}: it cannot be returned", .0.as_str())]
    CannotReturn(Status),
    /// The time limit of the code has passed.
    #[error("too late for a return with this code")]
    TooLateToReturn,
    /// The transaction is not an ACH pull that was returned for insufficient funds, or one of its parties may no longer
    /// send or receive.
    #[error(
        "only a pull that came back for want of funds is presented again, between nodes that still allow it"
    )]
    CannotPresent,
    /// The pull was presented again as often as permitted.
    #[error("the pull was presented again twice already")]
    PresentedTooOften,
    /// The first due day of the pull is too long ago.
    #[error("it is more than 180 days since the pull was first due")]
    TooLateToPresent,
    /// The transaction has started to move money, or is over.
    #[error("transaction is {}: it cannot be queued", .0.as_str())]
    CannotQueue(Status),
    /// Only screening can find this reason.
    #[error("this reason is found by screening, not given")]
    ReasonNotGiven,
    /// The transaction is not queued.
    #[error("transaction is {}: it is not queued", .0.as_str())]
    NotQueued(Status),
    /// A reason that screening finds still exists.
    #[error("transaction cannot be released: the cause still stands")]
    StillBlocked,
    /// The requested step is not the next one.
    #[error("transaction is {}: it takes no further step", .0.as_str())]
    NoNextStep(Status),
    /// An amount is not above zero and within [`MAX_MINOR`](crate::money::MAX_MINOR), or a balance overflows.
    #[error("amount or balance out of range")]
    OutOfRange,
}
