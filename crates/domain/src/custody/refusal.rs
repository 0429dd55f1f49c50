//! Refusals of commands about an account at a bank.

/// Refusal of a command about an account at a bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No account at a bank has this id.
    #[error("account at the bank does not exist")]
    Unknown,
    /// A statement of this day, or of a later one, is booked.
    #[error("a statement of this day, or of a later one, is booked already")]
    Stated,
    /// Lines of an earlier statement are not booked yet.
    #[error("lines of an earlier statement are not booked yet")]
    Booking,
    /// The opening balance is not the closing balance of the last statement.
    #[error("opening balance is not the last closing balance")]
    Opening,
    /// The opening balance and the lines do not sum to the closing balance.
    #[error("opening balance and lines do not sum to the closing balance")]
    Sum,
    /// Two lines have one id.
    #[error("two lines of the statement have the same id")]
    LineTwice,
    /// A matching rule posts to none of the platform's held nodes.
    #[error("a rule posts to a node that is none of the platform's held nodes")]
    RuleNode,
    /// The day of the statement is in the future.
    #[error("the statement is of a day to come")]
    Future,
}
