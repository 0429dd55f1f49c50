//! C6: a write that was acknowledged before another one was sent has the smaller position.

use super::{Evidence, Findings};
use crate::ops::Asked;

/// Returns the violations of C6.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let acknowledged = evidence.acknowledged_by();
    let mut found = vec![];
    for (number, op) in &evidence.ops {
        // A transaction that was created earlier under the same key may be older than this operation.
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
