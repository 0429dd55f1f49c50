//! C15: every permitted request is answered with 200, with 409 for a used key, or with 503 and Retry-After, or its
//! connection ends. A service that gets SIGTERM ends in order, and a rebuilt read model equals the previous one.

use std::collections::BTreeMap;

use super::{Evidence, Findings};

/// Returns the violations of C15.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let mut odd: BTreeMap<(Option<u16>, &str), u64> = BTreeMap::new();
    for answered in evidence.ops.values().filter_map(|op| op.answered()) {
        if let Some(what) = &answered.odd {
            *odd.entry((answered.status, what)).or_default() += 1;
        }
    }
    let odd = odd.into_iter().map(|((status, what), times)| format!("{times} times {status:?}: {what}"));
    odd.chain(evidence.wrong.iter().cloned()).collect()
}
