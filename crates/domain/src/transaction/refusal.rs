//! Why something about a transaction is refused.

use crate::node::NodeKind;

/// A no to a command about a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is none with this id for this caller.
    #[error("transaction does not exist")]
    Unknown,
    /// The receiving node does not exist on this platform.
    #[error("receiving node does not exist")]
    UnknownReceiver,
    /// A node that a fee shall go to does not exist on this platform.
    #[error("fee node does not exist")]
    UnknownFeeNode,
    /// The receiving node is of another type than the caller says.
    #[error("receiving node is of type {}", .0.as_str())]
    ReceiverType(NodeKind),
    /// Sender and receiver are one node.
    #[error("sender and receiver are the same node")]
    SameNode,
    /// A fee shall go to a node that is not LEDGER-US.
    #[error("fee node must be of type LEDGER-US")]
    FeeNodeType,
    /// The fees sum to more than the amount.
    #[error("fees exceed the amount")]
    FeesExceedAmount,
    /// The sender may be debited by gateway calls only.
    #[error("node is restricted to gateway transactions")]
    GatewayOnly,
    /// No rail connects nodes of these types.
    #[error("no rail moves money between {} and {}", .0.as_str(), .1.as_str())]
    NoRail(NodeKind, NodeKind),
    /// An amount is not above zero and within [`MAX_MINOR`](crate::money::MAX_MINOR), or a balance would not fit its
    /// integer.
    #[error("amount or balance out of range")]
    OutOfRange,
}
