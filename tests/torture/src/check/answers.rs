//! C15: whoever asks for what is allowed is answered 200, 409 for a used key, or 503 with Retry-After, or not at all;
//! whoever is asked to end does so, and what is rebuilt is the same.

use std::collections::BTreeMap;

use super::{Evidence, Findings};

/// See the module.
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
