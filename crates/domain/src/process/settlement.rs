//! Settlement: a transaction takes its three steps at its own pace, counted from when it may be processed.

use super::{Process, ToDo};
use crate::transaction::Transaction;
use crate::transaction::advance::Step;

/// What is to be done about a transaction.
#[must_use]
pub(super) fn to_do(transaction: &Transaction) -> Option<ToDo> {
    let step = Step::after(transaction.status)?;
    let delay_ms = transaction.pace_ms.saturating_mul(step as i64);
    Some(ToDo {
        process: Process::Settlement,
        due_at: transaction.process_on.plus_ms(delay_ms),
        step: step as i16,
    })
}
