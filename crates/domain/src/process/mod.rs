//! Processes: what is to be done next, as a function of a state. The rows that come of it are a read model, so a
//! process can be rebuilt, tested without waiting, and repeated without harm.

pub mod settlement;
pub mod verification;

use crate::aggregate::Key;
use crate::state::State;
use crate::time::Timestamp;

/// A process. The numbers are stored and never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i16)]
pub enum Process {
    /// Checks identities.
    Verification = 1,
    /// Moves transactions on.
    Settlement = 2,
}

impl Process {
    /// The stored number.
    #[must_use]
    pub const fn code(self) -> i16 {
        self as i16
    }

    /// The process with this stored number.
    #[must_use]
    pub fn from_code(code: i16) -> Option<Self> {
        [Self::Verification, Self::Settlement].into_iter().find(|process| process.code() == code)
    }
}

/// Something to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToDo {
    /// By which process.
    pub process: Process,
    /// From when on.
    pub due_at: Timestamp,
    /// Which step, in the process's own numbering.
    pub step: i16,
}

/// What is to be done about the aggregate `key` in the state `state`, if anything.
#[must_use]
pub fn to_do(_key: Key, state: &State) -> Option<ToDo> {
    match state {
        State::User(user) => verification::to_do(user),
        State::Transaction(transaction) => settlement::to_do(transaction),
        State::Platform(_) | State::Node(_) | State::Account(_) => None,
    }
}
