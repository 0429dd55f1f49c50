//! C4: every transaction in the log was requested and not refused, and its id was returned under its key.

use std::collections::HashSet;

use super::{Evidence, Findings};

/// Returns the violations of C4.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let known: HashSet<&str> = evidence.ops.values().filter_map(|op| op.made()).collect();
    let logged = evidence.fold.transactions.iter().filter(|(_, logged)| logged.from.is_some());
    let unknown = logged.filter(|(id, _)| !known.contains(id.as_str()));
    unknown.map(|(id, logged)| format!("{id} at {}: no client was told its id", logged.position)).collect()
}
