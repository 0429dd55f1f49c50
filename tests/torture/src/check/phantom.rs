//! C4: every transaction in the log was requested and not refused, and its id was returned under its key.

use std::collections::HashSet;

use super::fold::Transaction;
use super::{Evidence, Findings};

/// Returns the violations of C4.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let known: HashSet<&str> = evidence.ops.values().filter_map(|op| op.made()).collect();
    // Micro-deposits and the like of the desk's platform have a sender, and no client.
    let desk = evidence.world.desk.as_ref().map(|desk| desk.platform.as_str());
    let is_ours = |logged: &Transaction| logged.from.is_some() && Some(logged.platform.as_str()) != desk;
    let logged = evidence.fold.transactions.iter().filter(|(_, logged)| is_ours(logged));
    let unknown = logged.filter(|(id, _)| !known.contains(id.as_str()));
    unknown.map(|(id, logged)| format!("{id} at {}: no client was told its id", logged.position)).collect()
}
