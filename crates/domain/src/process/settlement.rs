//! Settlement: a transaction takes its three steps at its own pace, counted from the time at which it may be processed.
//! A queued transaction is screened again, and ends when it has waited too long.

use super::{Process, ToDo};
use crate::calendar::Day;
use crate::time::Timestamp;
use crate::transaction::advance::Step;
use crate::transaction::queue::EXPIRY_MS;
use crate::transaction::{QueueReason, Status, Transaction};

/// Step number of the recheck of a queued transaction. The numbers below it are [`Step`]s.
pub const RECHECK_QUEUED: i16 = 4;

/// The next to-do about a transaction, if any.
#[must_use]
pub(super) fn to_do(transaction: &Transaction) -> Option<ToDo> {
    if let Some((since, looked_at)) = transaction.queued_at.filter(|_| transaction.status == Status::Queued) {
        let expiry = since.plus_ms(EXPIRY_MS);
        let is_daily = transaction.queue.contains(&QueueReason::DailyLimit);
        let due_at = if is_daily { Day::of(looked_at).plus_days(1).start().min(expiry) } else { expiry };
        return Some(ToDo { process: Process::Settlement, due_at, step: RECHECK_QUEUED });
    }
    let next = Step::after(transaction.status);
    if let Some((direction, ..)) = transaction.to_submit() {
        // The file is cut when the credit step is due: until then the batch is open.
        let due_at = next.map_or(transaction.moved_at, |_| due(transaction, Step::Credit));
        return Some(ToDo { process: Process::Submission, due_at, step: direction as i16 });
    }
    let step = next?;
    Some(ToDo { process: Process::Settlement, due_at: due(transaction, step), step: step as i16 })
}

fn due(transaction: &Transaction, step: Step) -> Timestamp {
    transaction.process_on.plus_ms(transaction.pace_ms.saturating_mul(step as i64))
}

#[cfg(test)]
mod tests;
