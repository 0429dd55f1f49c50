//! A page of the log: people who are verified, and payments from their creation to their settlement.

use daybook_domain::Command;
use daybook_domain::testing::fixture::step;
use daybook_domain::transaction::advance::Step;
use daybook_engine::Call;
use daybook_log::Recorded;
use daybook_projector::Happened;

use crate::ledger::{FIRST, Ledger, payment, request};

/// How many events there are: a page of the log.
pub(crate) const EVENTS: u64 = 5_000;
/// How many payments go their way together.
const TOGETHER: u128 = 64;
/// So many such groups have more than [`EVENTS`] events.
const GROUPS: u128 = 13;

/// The events as the log holds them.
pub(crate) fn recorded() -> Vec<Recorded> {
    let mut ledger = Ledger::new();
    for group in 0..GROUPS {
        let numbers = FIRST + group * TOGETHER..FIRST + (group + 1) * TOGETHER;
        ledger.submit(numbers.clone().map(|number| (request(number), payment(number))).collect());
        for each in [Step::Debit, Step::Credit, Step::Settle] {
            let steps: Vec<(Call, Command)> =
                numbers.clone().map(|number| (Call::default(), step(number, each))).collect();
            ledger.submit(steps);
        }
    }
    ledger.events(EVENTS)
}

/// The same, decoded.
pub(crate) fn happened() -> Vec<Happened> {
    recorded().iter().map(|recorded| Happened::decode(recorded).expect("our own event")).collect()
}
