//! Why something about an account at a bank is refused.

/// A no to a command about an account at a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is none with this id.
    #[error("account at the bank does not exist")]
    Unknown,
    /// There is a statement of this day, or of a later one.
    #[error("a statement of this day, or of a later one, is booked already")]
    Stated,
    /// The statement does not begin where the last one ended.
    #[error("opening balance is not the last closing balance")]
    Opening,
    /// Lines do not lead from the opening to the closing balance.
    #[error("opening balance and lines do not sum to the closing balance")]
    Sum,
    /// Two lines have one id.
    #[error("two lines of the statement have the same id")]
    LineTwice,
    /// The day has not come.
    #[error("the statement is of a day to come")]
    Future,
}
