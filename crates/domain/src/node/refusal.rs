//! Why something about a node is refused.

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
    /// The node is locked.
    #[error("node is locked")]
    Locked,
}
