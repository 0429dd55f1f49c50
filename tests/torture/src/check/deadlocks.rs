//! C18: no two database transactions waited for each other: who locks much does it in one order.

use super::{Evidence, Findings};

/// See the module.
pub(super) fn look(evidence: &Evidence) -> Findings {
    evidence.last.deadlocks.clone()
}
