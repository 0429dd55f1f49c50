//! C14: the faults had an effect, otherwise the run proves nothing. Every kind of fault overlapped an operation in
//! progress, and a clock that was set ahead recorded events.

use std::collections::BTreeMap;

use super::evidence::Fault;
use super::{Evidence, Findings};
use crate::nemesis::CLOCK;

/// Returns the violations of C14.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let spans: Vec<(u64, u64)> = evidence
        .ops
        .values()
        .map(|op| (op.sent_us, op.done.as_ref().map_or(u64::MAX, |(done_us, ..)| *done_us)))
        .collect();
    let mut met: BTreeMap<&str, bool> = BTreeMap::new();
    for fault in &evidence.faults {
        let (begun, over) = fault.during_us;
        let is_met = spans.iter().any(|(sent, done)| *sent < over && begun < *done);
        *met.entry(&fault.name).or_default() |= is_met;
    }
    let missed = met.into_iter().filter(|(_, is_met)| !is_met);
    let missed = missed.map(|(name, _)| format!("{name} never overlapped an operation"));
    let is_idle = |fault: &Fault| fault.name == CLOCK && evidence.last.ahead_s == 0;
    let idle =
        evidence.faults.iter().any(is_idle).then(|| "no clock that was ahead recorded an event".to_owned());
    missed.chain(idle).collect()
}
