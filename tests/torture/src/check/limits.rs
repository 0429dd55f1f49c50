//! C11: at every position of the log no node of a user has a negative balance or holds more than its balance.

use super::{Evidence, Findings};

/// Returns the violations of C11.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let ours = evidence.world.users.iter().flat_map(|user| &user.nodes);
    let ours = ours.chain([&evidence.world.hot, &evidence.world.fees]);
    let mut found = vec![];
    for node in ours {
        for (position, after) in evidence.fold.nodes.get(node).into_iter().flatten() {
            if after.held < 0 || after.pending_in < 0 || after.posted < after.held {
                found.push(format!("{position}: {node} is {after:?}"));
            }
        }
    }
    found
}
