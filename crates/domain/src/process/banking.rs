//! Banking: cut files are handed to the bank, the lines of accepted statements are booked, those in suspense are matched, the
//! sandbox's bank states every day that has ended, and files of the bank are destroyed when their retention has ended.

use super::{Process, ToDo};
use crate::custody::Custody;
use crate::evidence::Evidence;
use crate::money::Currency;
use crate::statement::Statement;
use crate::statement::book::MAX_LINES_AT_ONCE;
use crate::time::Timestamp;

/// The next to-do about an account at a bank, if any.
#[must_use]
pub(crate) fn to_do(custody: &Custody) -> Option<ToDo> {
    if !custody.unsent.is_empty() {
        return Some(ToDo { process: Process::Delivery, due_at: Timestamp::default(), step: 1 });
    }
    // An amount is unique only among all lines: the rules wait for those of a statement that is being booked.
    if custody.runs_done < custody.runs_due && custody.booking.is_empty() {
        // The number of the step changes with every run.
        let step = i16::try_from(custody.runs_due % 0x7fff).unwrap_or_default();
        return Some(ToDo { process: Process::Matching, due_at: Timestamp::default(), step });
    }
    // The day after the last stated one, once it is over. Other banks send their statements on their own.
    let due_at = custody.stated_on(Currency::USD).plus_days(2).start();
    custody.sandbox.then_some(ToDo { process: Process::Statement, due_at, step: 1 })
}

/// The next to-do about a statement, if any. The number of the step changes with every step.
#[must_use]
pub(super) fn to_book(statement: &Statement) -> Option<ToDo> {
    let page = i16::try_from(statement.booked / MAX_LINES_AT_ONCE).unwrap_or(i16::MAX);
    // Numbers of steps that take lines back are negative.
    let step = if statement.replaced_by.is_some() { -page.saturating_add(1) } else { page };
    (!statement.is_completed()).then_some(ToDo {
        process: Process::Booking,
        due_at: Timestamp::default(),
        step,
    })
}

/// The next to-do about evidence, if any.
#[must_use]
pub(super) fn to_destroy(evidence: &Evidence) -> Option<ToDo> {
    let due_at = evidence.kept_until.start();
    (!evidence.is_destroyed).then_some(ToDo { process: Process::Retention, due_at, step: 1 })
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
    fn sandbox_states_each_finished_day() {
        assert_eq!(next(vec![]), Some((Process::Statement, DAY_MS)));
        assert_eq!(next(vec![statement(0, 0, &[])]), Some((Process::Statement, 2 * DAY_MS)));
    }

    #[test]
    fn cut_file_is_delivered_at_once() {
        let history =
            vec![fund(crate::testing::fixture::ANNS, 100), pay_out(1, 60), debit(1), credit(1), cut(1)];
        assert_eq!(next(history.clone()), Some((Process::Delivery, 0)));
        let sent = Command::SendFile(SendFile { custody: CUSTODY, file: FILE, as_of: 1 });
        assert_eq!(next([history, vec![sent]].concat()), Some((Process::Statement, DAY_MS)));
    }

    #[test]
    fn real_bank_has_no_statement_task() {
        let mut world = given([]);
        let id = crate::CustodyId::from_u128(77);
        let opened =
            Opened { platform: crate::PlatformId::from_u128(2), bank: crate::Bank::SANDBOX, sandbox: false };
        world.record(&[crate::NewEvent::new(id, opened)]);
        assert_eq!(world.custody(id).and_then(to_do), None);
    }
}
