//! C10: read models equal the fold of the log, table by table and row by row, as `daybook reconcile replay` finds.

use super::{Evidence, Findings, verified};

/// Returns the violations of C10.
pub(super) fn look(evidence: &Evidence) -> Findings {
    verified::commands(evidence, "reconcile replay")
}
