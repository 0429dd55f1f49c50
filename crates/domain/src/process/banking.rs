//! Banking: files that were cut are handed to the bank; the sandbox's bank states every day that has ended.

use super::{Process, ToDo};
use crate::custody::Custody;
use crate::money::Currency;
use crate::time::Timestamp;

/// What is to be done about an account at a bank.
#[must_use]
pub(super) fn to_do(custody: &Custody) -> Option<ToDo> {
    if !custody.unsent.is_empty() {
        return Some(ToDo { process: Process::Delivery, due_at: Timestamp::default(), step: 1 });
    }
    // The day after the last one that was stated, when it is over. Other banks send theirs when they like.
    let due_at = custody.stated_on(Currency::USD).plus_days(2).start();
    custody.sandbox.then_some(ToDo { process: Process::Statement, due_at, step: 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;
    use crate::custody::Opened;
    use crate::custody::cut::SendFile;
    use crate::state::States;
    use crate::testing::fixture::{CUSTODY, FILE, credit, cut, debit, fund, pay_out, statement};
    use crate::testing::given;
    use crate::time::DAY_MS;

    fn next(history: Vec<Command>) -> Option<(Process, i64)> {
        let world = given(history);
        to_do(world.custody(CUSTODY).expect("opened")).map(|to_do| (to_do.process, to_do.due_at.ms()))
    }

    #[test]
    fn the_sandbox_states_a_day_when_it_is_over() {
        assert_eq!(next(vec![]), Some((Process::Statement, DAY_MS)));
        assert_eq!(next(vec![statement(0, 0, &[])]), Some((Process::Statement, 2 * DAY_MS)));
    }

    #[test]
    fn a_file_is_handed_over_at_once() {
        let history =
            vec![fund(crate::testing::fixture::ANNS, 100), pay_out(1, 60), debit(1), credit(1), cut(1)];
        assert_eq!(next(history.clone()), Some((Process::Delivery, 0)));
        let sent = Command::SendFile(SendFile { custody: CUSTODY, file: FILE });
        assert_eq!(next([history, vec![sent]].concat()), Some((Process::Statement, DAY_MS)));
    }

    #[test]
    fn another_bank_is_not_asked() {
        let mut world = given([]);
        let id = crate::CustodyId::from_u128(77);
        let opened =
            Opened { platform: crate::PlatformId::from_u128(2), bank: crate::Bank::SANDBOX, sandbox: false };
        world.record(&[crate::Fact::new(id, opened)]);
        assert_eq!(world.custody(id).and_then(to_do), None);
    }
}
