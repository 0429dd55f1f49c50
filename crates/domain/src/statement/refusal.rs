//! Refusals of commands about a bank's statement.

/// Refusal of a command about a bank's statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No statement has this id.
    #[error("statement does not exist")]
    Unknown,
    /// An earlier statement of the account has lines to book.
    #[error("lines of an earlier statement are not booked yet")]
    NotNext,
    /// There are more lines than the statement has, or they do not make its closing balance.
    #[error("lines are not those of the statement")]
    OtherLines,
}
