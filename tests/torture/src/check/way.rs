//! C16: during network faults between service and database answers arrive in time, and soon after a fault writes
//! continue.

use super::evidence::{Fault, Op};
use super::{Evidence, Findings};
use crate::history::Outcome;

/// Maximum time of an answer, in microseconds: six seconds, plus a margin for a busy machine.
const MAX_RESPONSE_US: u64 = 7_500_000;
/// Maximum time from the end of a fault to the first acknowledgement, in microseconds.
const MAX_RECOVERY_US: u64 = 5_000_000;

/// Returns the violations of C16.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let mut found = vec![];
    for fault in evidence.faults.iter().filter(|fault| fault.name.starts_with("net-")) {
        let is_met = |op: &&Op| op.sent_us < fault.during_us.1 && done(op) > fault.during_us.0;
        let late = evidence.ops.values().filter(is_met).filter(|op| done(op) - op.sent_us > MAX_RESPONSE_US);
        found.extend(late.map(|op| {
            format!("{} us without an answer to {:?} in {}", done(op) - op.sent_us, op.asked, fault.name)
        }));
        found.extend(unwell(evidence, fault));
    }
    found
}

/// Returns a violation if nothing was acknowledged soon after `fault`. Returns none if the next fault began within that
/// time.
fn unwell(evidence: &Evidence, fault: &Fault) -> Option<String> {
    let healed = fault.during_us.1;
    let next = evidence.faults.iter().map(|other| other.during_us.0).filter(|begun| *begun > healed).min();
    let until = next.unwrap_or(u64::MAX).min(evidence.over_us);
    let well = evidence.ops.values().filter(|op| op.outcome() == Outcome::Ok).map(done);
    let first = well.filter(|done| *done > healed).min().unwrap_or(u64::MAX);
    let is_late =
        first.saturating_sub(healed) > MAX_RECOVERY_US && until.saturating_sub(healed) > MAX_RECOVERY_US;
    is_late
        .then(|| format!("{} us until an acknowledgement after {}", first.saturating_sub(healed), fault.name))
}

/// Returns the time at which an operation was answered or given up.
fn done(op: &Op) -> u64 {
    op.done.as_ref().map_or(op.sent_us, |(done_us, ..)| *done_us)
}
