//! C17: a rolling restart of services behind a balancer drops nothing: every call is answered, and none with 503.

use super::{Evidence, Findings};
use crate::history::Outcome;
use crate::nemesis::ROLLING;

/// Returns the violations of C17.
pub(super) fn look(evidence: &Evidence) -> Findings {
    // If the run has other faults as well, the cause of a failed call is unknown.
    if evidence.faults.iter().any(|fault| fault.name != ROLLING) {
        return vec![];
    }
    let failed = evidence.ops.iter().filter(|(_, op)| op.outcome() != Outcome::Ok && !op.is_refused());
    failed.map(|(number, op)| format!("operation {number} at {} us: {:?}", op.sent_us, op.done)).collect()
}
