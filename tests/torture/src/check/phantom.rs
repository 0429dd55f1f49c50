//! C4: whatever is in the log was asked for, not refused, and is known by its key: each key's transaction once.

use std::collections::HashSet;

use super::{Evidence, Findings};

/// See the module.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let known: HashSet<&str> = evidence.ops.values().filter_map(|op| op.made()).collect();
    let logged = evidence.fold.transactions.iter().filter(|(_, logged)| logged.from.is_some());
    let unknown = logged.filter(|(id, _)| !known.contains(id.as_str()));
    unknown.map(|(id, logged)| format!("{id} at {}: nobody was told of it", logged.position)).collect()
}
