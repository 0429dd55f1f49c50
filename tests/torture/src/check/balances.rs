//! Checks of balances that were read, against the log.

use super::{Evidence, Findings};
use crate::ops::{Asked, Seen};

/// Returns lists of balances that are not those of one position, or of a position before the one that the answer
/// states.
pub(super) fn of_one_moment(evidence: &Evidence) -> Findings {
    let mut found = vec![];
    for (asked, answered) in evidence.answers() {
        let (Asked::Nodes { .. }, Seen::Balances { of }) = (asked, &answered.seen) else { continue };
        let Some(since) = answered.position else {
            found.push("a list of nodes states no position".to_owned());
            continue;
        };
        let is_so = |at: u64| of.iter().all(|(node, read)| evidence.fold.at(node, at).posted == *read);
        let mut changes = of.iter().flat_map(|(node, _)| evidence.fold.changes(node, since));
        if !is_so(since) && !changes.any(|(at, _)| is_so(*at)) {
            found.push(format!("{of:?} was read, but no position since {since} has these balances"));
        }
    }
    found
}

/// Returns balances that were read alone and are not current. A balance must be that of some position which is not
/// before any position that was acknowledged when the request was sent.
pub(super) fn fresh(evidence: &Evidence) -> Findings {
    let acknowledged = evidence.acknowledged_by();
    let mut found = vec![];
    for op in evidence.ops.values() {
        let (Asked::Node { node, .. }, Some(answered)) = (&op.asked, op.answered()) else { continue };
        let Seen::Balances { of } = &answered.seen else { continue };
        let since = acknowledged.before(op.sent_us);
        let later = evidence.fold.changes(node, since).map(|(_, after)| after.posted);
        let mut possible = later.chain([evidence.fold.at(node, since).posted]);
        if of.iter().any(|(_, read)| !possible.any(|posted| posted == *read)) {
            found.push(format!("{of:?} was read, but {node} has this balance at no position since {since}"));
        }
    }
    found
}
