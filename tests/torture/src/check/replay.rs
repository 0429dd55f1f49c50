//! C10: the read models are the fold of the log, table by table and row by row, as `daybook reconcile replay` finds.

use super::{Evidence, Findings, verified};

/// See the module.
pub(super) fn look(evidence: &Evidence) -> Findings {
    verified::commands(evidence, "reconcile replay")
}
