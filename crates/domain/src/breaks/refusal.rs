//! Refusals of commands about breaks.

/// Refusal of a command about a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No break has this id.
    #[error("no line of a statement in suspense has this id")]
    Unknown,
    /// The bank stated the day of the line anew.
    #[error("the bank stated the day of the line anew, so the line is taken back")]
    Withdrawn,
    /// The line is in another currency.
    #[error("the line is in another currency")]
    Currency,
    /// There is nothing that would explain the line, or too much.
    #[error("a match has one to 1000 items and postings, each of them once")]
    Count,
    /// A transaction has no open item on the account, or less is open.
    #[error("a transaction has no such open item, or less of it is open")]
    NotOpen,
    /// An account is none of a held node of the platform.
    #[error("what no item explains is posted to held nodes of the platform only")]
    Account,
    /// The amounts explain more than is left of the line, or have the other sign.
    #[error("the match explains more than is left of the line")]
    TooMuch,
    /// The match does not explain the whole rest of the line: another one was made meanwhile.
    #[error("another match of the line was made meanwhile")]
    Changed,
    /// An amount is out of range, or the account of a node would be.
    #[error("an amount is out of range")]
    OutOfRange,
    /// The match does not hold, or has other items.
    #[error("the line has no such match")]
    NoMatch,
    /// The line is matched, so it cannot be taken back.
    #[error("a line of the statement is matched")]
    Matched,
}
