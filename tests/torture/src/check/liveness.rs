//! C13: soon after the last fault a write is acknowledged, and soon after that no work is left.
//!
//! Work that was recorded by a clock that was ahead is due at the recorded time: soon after all clocks have reached
//! that time, and not later.

use super::{Evidence, Findings};
use crate::history::Outcome;
use crate::nemesis::{CLOCK, HOUR_S};

/// Maximum time from the last fault to the first acknowledged write, in microseconds.
const MAX_FIRST_WRITE_US: u64 = 10_000_000;
/// Maximum time from the end of the workload until read models and transactions are at rest, in milliseconds.
const MAX_SETTLING_MS: u64 = 30_000;
/// Final statuses of a transaction.
const ENDS: [&str; 3] = ["SETTLED", "CANCELED", "RETURNED"];

/// Returns the violations of C13.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let mut found = vec![];
    let well = evidence.faults.iter().map(|fault| fault.during_us.1).max().unwrap_or_default();
    let writes = evidence.ops.values().filter(|op| op.asked.appends() && op.outcome() == Outcome::Ok);
    let first = writes.filter_map(|op| Some(op.done.as_ref()?.0)).filter(|done_us| *done_us >= well).min();
    match first {
        Some(first) if first - well <= MAX_FIRST_WRITE_US => {}
        Some(first) => found.push(format!("the first write came {} us after the last fault", first - well)),
        None => found.push("nothing was acknowledged after the last fault".to_owned()),
    }
    match evidence.last.rest_ms {
        Some(rest) if rest <= MAX_SETTLING_MS => {}
        rest => found.push(format!("it came to rest after {rest:?} ms")),
    }
    let is_jumpy = evidence.faults.iter().any(|fault| fault.name == CLOCK);
    let ahead = evidence.last.ahead_s;
    if ahead > if is_jumpy { HOUR_S } else { 0 } {
        found.push(format!("times of the log are {ahead} s ahead, further than any clock was"));
    }
    for (id, transaction) in &evidence.fold.transactions {
        if transaction.timeline.last().is_none_or(|(_, status)| !ENDS.contains(status)) {
            found.push(format!("{id} has not ended: {:?}", transaction.timeline));
        }
    }
    found
}
