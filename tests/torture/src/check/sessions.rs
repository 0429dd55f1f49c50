//! C7: clients read their own writes, and records and lists never go back to an earlier state.
//!
//! A record is as current as the log. A list waits up to a quarter of a second for the head of the log at the time of
//! the request, and then returns the position that it has reached.

use std::collections::HashMap;

use super::evidence::Newest;
use super::{Evidence, Findings, balances};
use crate::history::Outcome;
use crate::ops::{Asked, Seen};

/// Minimum time that a list waited if it lags behind its own session, in microseconds.
const MIN_WAIT_US: u64 = 240_000;

/// Returns the violations of C7.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let mut found = lists(evidence);
    found.extend(records(evidence));
    found.extend(balances::fresh(evidence));
    found
}

/// Compares the positions of lists: a request that is sent after an answer was given returns no smaller position than
/// that answer, and no smaller position than its own session was told, unless the list has waited.
fn lists(evidence: &Evidence) -> Findings {
    let mut seen: Vec<(u64, u64)> = vec![];
    for op in evidence.ops.values().filter(|op| !op.asked.is_write()) {
        seen.extend(op.done.as_ref().and_then(|(done_us, _, answered)| Some((*done_us, answered.position?))));
    }
    let (seen, mut told) = (Newest::of(seen), HashMap::new());
    let mut found = vec![];
    for (number, op) in &evidence.ops {
        let Some((done_us, Outcome::Ok, answered)) = &op.done else { continue };
        let Some(position) = answered.position else { continue };
        if op.asked.is_write() {
            told.insert(op.session, position);
            continue;
        }
        let before = seen.before(op.sent_us);
        if position < before {
            found.push(format!("operation {number} saw position {position}, after {before} had been seen"));
        }
        let own = told.get(&op.session).copied().unwrap_or_default();
        if position < own && done_us - op.sent_us < MIN_WAIT_US {
            let waited = done_us - op.sent_us;
            found.push(format!("operation {number} saw {position}, not its own {own}, after {waited} us"));
        }
    }
    found
}

/// Checks that records contain acknowledged changes, and are never older than in an earlier read.
fn records(evidence: &Evidence) -> Findings {
    let mut reads: HashMap<&str, Vec<(u64, u64, usize)>> = HashMap::new();
    let mut found = vec![];
    for (number, op) in &evidence.ops {
        let (Asked::Get { id, .. }, Some((done_us, outcome, answered))) = (&op.asked, &op.done) else {
            continue;
        };
        match &answered.seen {
            Seen::Transaction { timeline, .. } => {
                reads.entry(id).or_default().push((op.sent_us, *done_us, timeline.len()));
            }
            // No status means that no process answered.
            _ if *outcome == Outcome::Fail && answered.status.is_some() => {
                found.push(format!("operation {number} did not find {id}: {:?}", answered.odd));
            }
            _ => {}
        }
    }
    for (id, reads) in reads {
        for (_, done_us, length) in &reads {
            if reads.iter().any(|(sent_us, _, later)| sent_us > done_us && later < length) {
                found.push(format!("{id} had {length} steps, and fewer later"));
            }
        }
    }
    found
}
