//! A full batch of the writer: 256 payments with idempotency keys, decided on the overlay, folded, encoded, appended.

use super::Work;
use crate::ledger::{FIRST, Ledger, payment, request};

/// The most commands of one batch.
const COMMANDS: u128 = 256;

pub(super) fn decide() -> Work {
    let mut ledger = Ledger::new();
    let mut numbers = FIRST..;
    Box::new(move || {
        let batch = numbers.by_ref().take(COMMANDS as usize);
        ledger.submit(batch.map(|number| (request(number), payment(number))).collect());
    })
}
