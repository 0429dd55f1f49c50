//! Refusals of commands about evidence.

/// Refusal of a command about the evidence of one month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The retention of the month has ended, so no file of it is kept any more.
    #[error("the retention of the bank's files of that month has ended")]
    Destroyed,
}
