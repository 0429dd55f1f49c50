//! C9: a transaction that was read is the fold of its events up to some position; in the quiet phase, of all events.

use super::{Evidence, Findings};
use crate::ops::{Asked, Seen};

/// Returns the violations of C9.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let mut found = vec![];
    let under_way = evidence.ops.values().filter_map(|op| Some((&op.asked, op.answered()?, false)));
    let at_rest = evidence.last.reads.iter().map(|(asked, answered)| (asked, answered, true));
    for (asked, answered, is_last) in under_way.chain(at_rest) {
        let (Asked::Get { id, .. }, Seen::Transaction { amount, timeline, status }) = (asked, &answered.seen)
        else {
            continue;
        };
        let Some(logged) = evidence.fold.transactions.get(id) else {
            found.push(format!("{id} was read and is not in the log"));
            continue;
        };
        let statuses: Vec<&str> = logged.timeline.iter().map(|(_, status)| *status).collect();
        let read: Vec<&str> = timeline.iter().map(String::as_str).collect();
        if !statuses.starts_with(&read) || read.is_empty() || (is_last && read.len() < statuses.len()) {
            found.push(format!("{id} was read as {read:?} and is {statuses:?}"));
        }
        if read.last() != Some(&status.as_str()) || *amount != logged.amount {
            found.push(format!("{id} was read as {status}, {amount}; its timeline ends {:?}", read.last()));
        }
    }
    found
}
