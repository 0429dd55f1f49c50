//! Refusals of commands about an operation.

/// Refusal of a command about an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No operation has this id.
    #[error("operation does not exist")]
    Unknown,
    /// The operation was reviewed already, or needs no approval.
    #[error("operation does not wait for approval")]
    NotWaiting,
    /// The operator that requested the operation may not approve it.
    #[error("operation must be approved by another operator")]
    SamePerson,
    /// A journal entry posts to a bank, to transit, or to a node of another platform or outside.
    #[error("a journal entry cannot post to this account")]
    Account,
    /// A journal entry takes more than is available, has an amount out of range, or takes effect in the future.
    #[error("a journal entry would leave too little, or a number that does not fit")]
    OutOfRange,
    /// The postings to rails and returns are not those of the open items that the entry clears.
    #[error("postings to rails and returns must be those of the open items in clears, each of them once")]
    Items,
    /// A transaction has no open item on the account, or less of it is open.
    #[error("a transaction has no such open item, or less of it is open")]
    NotOpen,
}
