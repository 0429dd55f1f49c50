//! C1: after every event postings sum to zero, and what each node is said to have is the sum of its own.

use super::{Evidence, Findings, balances};

/// See the module.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let mut found = evidence.fold.wrong.clone();
    for (currency, sum) in &evidence.fold.sums {
        if *sum != 0 {
            found.push(format!("all postings sum to {sum} {currency}"));
        }
    }
    found.extend(balances::of_one_moment(evidence));
    found
}
