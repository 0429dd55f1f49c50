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
    /// The statement to replace is of another day, currency or account, or was replaced before.
    #[error("the statement that is replaced is not the newest one of this day")]
    NotReplaceable,
    /// Later days stay booked, and they do not continue the days that are stated anew.
    #[error("the balances of days stated anew do not fit the other days; state the later days anew, too")]
    LaterDays,
}
