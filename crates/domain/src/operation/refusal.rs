//! Why something about an operation is refused.

/// A no to a command about an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is none with this id.
    #[error("operation does not exist")]
    Unknown,
    /// Somebody approved or declined it already, or nobody had to.
    #[error("operation does not wait for approval")]
    NotWaiting,
    /// Who asked for it wants to approve it.
    #[error("operation must be approved by another operator")]
    SamePerson,
    /// A journal entry would move money at a bank, in transit, or on a node of another platform or outside.
    #[error("a journal entry cannot post to this account")]
    Account,
    /// A journal entry would take more than there is, or a number would not fit.
    #[error("a journal entry would leave too little, or a number that does not fit")]
    OutOfRange,
}
