//! C6: what was answered before something else was asked for comes before it in the log.

use super::{Evidence, Findings};
use crate::ops::Asked;

/// See the module.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let acknowledged = evidence.acknowledged_by();
    let mut found = vec![];
    for (number, op) in &evidence.ops {
        // One that was done under its key before may be older than this operation.
        if !op.is_acknowledged() || !matches!(op.asked, Asked::Pay { .. }) {
            continue;
        }
        let Some(logged) = op.made().and_then(|id| evidence.fold.transactions.get(id)) else { continue };
        let before = acknowledged.before(op.sent_us);
        if logged.position <= before {
            let at = logged.position;
            found.push(format!("operation {number} is at {at}, after {before} had been acknowledged"));
        }
    }
    found
}
