//! C5: an operation with an unknown outcome is resolved by its key, and resolves the same when repeated.

use super::{Evidence, Findings};
use crate::history::Outcome;
use crate::ops::Asked;

/// Returns the violations of C5.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let mut found = vec![];
    for (number, op) in &evidence.ops {
        if op.outcome() != Outcome::Info || !matches!(op.asked, Asked::Pay { .. }) {
            continue;
        }
        match &op.resolved {
            None => found.push(format!("operation {number} stayed unknown")),
            Some(resolved) if resolved.id != resolved.again => {
                found.push(format!("operation {number} was {}, then {}", resolved.id, resolved.again));
            }
            Some(_) => {}
        }
    }
    found
}
