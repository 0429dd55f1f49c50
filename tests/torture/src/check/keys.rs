//! C3: at most one request with a key created a transaction, and all others returned the same transaction.

use std::collections::HashMap;

use super::{Evidence, Findings};

/// Returns the violations of C3.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let mut made: HashMap<&str, (&str, u64)> = HashMap::new();
    let mut found = vec![];
    for op in evidence.ops.values() {
        let (Some(key), Some(id)) = (op.asked.key(), op.made()) else { continue };
        let (first, times) = made.entry(key).or_insert((id, 0));
        *times += u64::from(op.is_acknowledged());
        if *first != id {
            found.push(format!("key {key} made {first} and {id}"));
        } else if *times > 1 {
            found.push(format!("key {key} was answered {times} times with 200"));
        }
        if !evidence.fold.transactions.contains_key(id) {
            found.push(format!("key {key} was answered with {id}, which is not in the log"));
        }
    }
    found
}
