//! C1: the postings of every event sum to zero, and the balance of each node is the sum of its postings.

use super::{Evidence, Findings, balances};

/// Returns the violations of C1.
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
