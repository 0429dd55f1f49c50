//! C16: whatever becomes of the way to the database, an answer comes in time, and soon after it is healed all is well.

use super::evidence::{Fault, Op};
use super::{Evidence, Findings};
use crate::history::Outcome;

/// How long an answer may take: six seconds, and what a busy machine takes on top.
const ANSWER_US: u64 = 7_500_000;
/// How long after the way is healed the first acknowledgement may come.
const WELL_US: u64 = 5_000_000;

/// See the module.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let mut found = vec![];
    for fault in evidence.faults.iter().filter(|fault| fault.name.starts_with("net-")) {
        let is_met = |op: &&Op| op.sent_us < fault.during_us.1 && done(op) > fault.during_us.0;
        let late = evidence.ops.values().filter(is_met).filter(|op| done(op) - op.sent_us > ANSWER_US);
        found.extend(late.map(|op| {
            format!("{} us without an answer to {:?} in {}", done(op) - op.sent_us, op.asked, fault.name)
        }));
        found.extend(unwell(evidence, fault));
    }
    found
}

/// What is wrong if nothing was acknowledged soon after `fault`; nothing if the next one came before that could be told.
fn unwell(evidence: &Evidence, fault: &Fault) -> Option<String> {
    let healed = fault.during_us.1;
    let next = evidence.faults.iter().map(|other| other.during_us.0).filter(|begun| *begun > healed).min();
    let until = next.unwrap_or(u64::MAX).min(evidence.over_us);
    let well = evidence.ops.values().filter(|op| op.outcome() == Outcome::Ok).map(done);
    let first = well.filter(|done| *done > healed).min().unwrap_or(u64::MAX);
    let is_late = first.saturating_sub(healed) > WELL_US && until.saturating_sub(healed) > WELL_US;
    is_late
        .then(|| format!("{} us until it was well again after {}", first.saturating_sub(healed), fault.name))
}

/// When it was answered, or given up.
fn done(op: &Op) -> u64 {
    op.done.as_ref().map_or(op.sent_us, |(done_us, ..)| *done_us)
}
