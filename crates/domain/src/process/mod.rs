//! Processes (process managers): the next step about an aggregate, as a function of its state. The resulting to-dos are
//! rows of a read model, so a process can be rebuilt, tested without waiting, and repeated without harm.

pub mod banking;
pub mod settlement;
pub mod verification;

use crate::named;
use crate::state::State;
use crate::time::Timestamp;

named! {
    /// A process, as metrics name it. The numbers are stored and never reused.
    #[derive(PartialOrd, Ord, Hash)]
    #[repr(i16)]
    pub enum Process {
        /// Checks identities.
        Verification = 1 => "verification",
        /// Moves transactions to their next status.
        Settlement = 2 => "settlement",
        /// Puts the entries of rails into files.
        Submission = 3 => "submission",
        /// Hands files to banks.
        Delivery = 4 => "delivery",
        /// Books the statements of the sandbox's bank.
        Statement = 5 => "statement",
        /// Releases queued transactions whose cause was removed.
        Release = 6 => "release",
        /// Books the lines of accepted statements.
        Booking = 7 => "booking",
        /// Destroys the keys of evidence whose retention has ended.
        Retention = 8 => "retention",
        /// Tries the matching rules on the lines in suspense.
        Matching = 9 => "matching",
    }
}

impl Process {
    /// The stored number.
    #[must_use]
    pub const fn code(self) -> i16 {
        self as i16
    }
}

/// A to-do: one step that a process has to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToDo {
    /// The process.
    pub process: Process,
    /// Time from which it is due.
    pub due_at: Timestamp,
    /// Number of the step, in the process's own numbering.
    pub step: i16,
}

/// The next to-do about an aggregate in the state `state`, if any.
#[must_use]
pub fn to_do(state: &State) -> Option<ToDo> {
    match state {
        State::User(user) => verification::to_do(user),
        State::Transaction(transaction) => settlement::to_do(transaction),
        State::Custody(custody) => banking::to_do(custody),
        State::Statement(statement) => banking::to_book(statement),
        State::Evidence(evidence) => banking::to_destroy(evidence),
        State::Platform(_)
        | State::Node(_)
        | State::Account(_)
        | State::Operation(_)
        | State::Subnet(_)
        | State::Subscription(_)
        | State::Attachment(_)
        | State::Attestation(_)
        | State::Break(_)
        | State::Roles(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregate::Key;
    use crate::state::States;
    use crate::testing::fixture::{ANN, ANNS, DAN, PLATFORM, fund, pay, transaction};
    use crate::testing::given;

    #[test]
    fn aggregate_kind_determines_the_process() {
        let world = given([fund(ANNS, 100), pay(1, 60)]);
        let account = crate::AccountId::of(ANNS, crate::Currency::USD);
        let table: [(Key, Option<Process>); 6] = [
            (PLATFORM.into(), None),
            (ANNS.into(), None),
            (account.into(), None),
            (ANN.into(), None),
            (DAN.into(), Some(Process::Verification)),
            (transaction(1).into(), Some(Process::Settlement)),
        ];
        for (key, process) in table {
            let to_do = world.state(key).and_then(to_do);
            assert_eq!(to_do.map(|to_do| to_do.process), process, "{key:?}");
        }
    }
}
