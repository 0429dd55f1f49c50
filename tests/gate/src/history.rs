//! A page of the log: verified users, and payments from creation to settlement.

use daybook_domain::Command;
use daybook_domain::testing::fixture::step;
use daybook_domain::transaction::advance::Step;
use daybook_engine::{Call, SHARD};
use daybook_log::Recorded;
use daybook_projector::RecordedEvent;

use crate::ledger::{FIRST, Ledger, payment, request};

/// Number of events: one page of the log.
pub(crate) const EVENTS: u64 = 5_000;
/// Number of payments in a group.
const TOGETHER: u128 = 64;
/// Number of groups; together they have more than [`EVENTS`] events.
const GROUPS: u128 = 13;

/// Returns the events as the log stores them.
pub(crate) fn recorded() -> Vec<Recorded> {
    let mut ledger = Ledger::new();
    for group in 0..GROUPS {
        let numbers = FIRST + group * TOGETHER..FIRST + (group + 1) * TOGETHER;
        ledger.submit(numbers.clone().map(|number| (request(number), payment(number))).collect());
        for each in [Step::Debit, Step::Credit, Step::Settle] {
            let steps: Vec<(Call, Command)> =
                numbers.clone().map(|number| (Call::of(SHARD), step(number, each))).collect();
            ledger.submit(steps);
        }
    }
    ledger.events(EVENTS)
}

/// Returns the decoded events.
pub(crate) fn happened() -> Vec<RecordedEvent> {
    recorded().iter().map(|recorded| RecordedEvent::decode(recorded).expect("our own event")).collect()
}
