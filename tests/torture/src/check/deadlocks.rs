//! C18: no two database transactions waited for each other. All code that takes several locks takes them in one order.

use super::{Evidence, Findings};

/// Returns the deadlocks that PostgreSQL reported.
pub(super) fn look(evidence: &Evidence) -> Findings {
    evidence.last.deadlocks.clone()
}
