//! C17: services that are restarted one after the other behind a balancer drop nothing: whoever asked was answered, and not
//! with a 503.

use super::{Evidence, Findings};
use crate::history::Outcome;
use crate::nemesis::ROLLING;

/// See the module.
pub(super) fn look(evidence: &Evidence) -> Findings {
    // Where something else was harmed, too, nobody knows whose fault it is.
    if evidence.faults.iter().any(|fault| fault.name != ROLLING) {
        return vec![];
    }
    let failed = evidence.ops.iter().filter(|(_, op)| op.outcome() != Outcome::Ok);
    failed.map(|(number, op)| format!("operation {number} at {} us: {:?}", op.sent_us, op.done)).collect()
}
