//! Refusals of commands about a subnet.

/// Refusal of a command about a subnet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No subnet has this id for this caller.
    #[error("subnet does not exist")]
    Unknown,
    /// Nodes of this type have no account numbers.
    #[error("node is of a type without subnets")]
    NodeType,
    /// The platform's bank issues no account numbers.
    #[error("the platform's bank issues no account numbers")]
    NoIssuer,
}
