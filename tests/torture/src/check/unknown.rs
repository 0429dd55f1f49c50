//! C5: an operation of which nobody knew whether it was done is found by its key, and the same again.

use super::{Evidence, Findings};
use crate::history::Outcome;
use crate::ops::Asked;

/// See the module.
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
