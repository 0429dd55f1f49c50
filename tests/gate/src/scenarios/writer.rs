//! A full batch of the writer: 256 payments with idempotency keys are decided, folded, encoded and appended.

use super::Work;
use crate::ledger::{FIRST, Ledger, payment, request};

/// Maximum number of commands in a batch.
const COMMANDS: u128 = 256;

pub(super) fn decide() -> Work {
    let mut ledger = Ledger::new();
    let mut numbers = FIRST..;
    Box::new(move || {
        let batch = numbers.by_ref().take(COMMANDS as usize);
        ledger.submit(batch.map(|number| (request(number), payment(number))).collect());
    })
}
