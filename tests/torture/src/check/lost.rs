//! C2: every acknowledged write is in the log, with the same amount, fee and parties.

use super::{Evidence, Findings};
use crate::history::Outcome;
use crate::ops::Asked;

/// Returns the violations of C2.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let mut found = vec![];
    for (number, op) in &evidence.ops {
        let Asked::Pay { from, to, amount, fee, .. } = &op.asked else { continue };
        let Some(id) = op.made().filter(|_| op.outcome() == Outcome::Ok) else { continue };
        let Some(logged) = evidence.fold.transactions.get(id) else {
            found.push(format!("operation {number} was answered {id}, which is not in the log"));
            continue;
        };
        let asked = (*amount, *fee, Some(from), Some(to));
        let is = (logged.amount, logged.fee, logged.from.as_ref(), logged.to.as_ref());
        if is != asked {
            found.push(format!("operation {number} asked for {asked:?}, {id} is {is:?}"));
        }
    }
    found.extend(comments(evidence));
    found
}

/// Compares the numbers of comments, because their text is sealed: at least those that were acknowledged, at most those
/// that were sent.
fn comments(evidence: &Evidence) -> Findings {
    let mut counts: std::collections::HashMap<&str, (u64, u64)> = std::collections::HashMap::new();
    for op in evidence.ops.values() {
        if let Asked::Comment { id, .. } = &op.asked {
            let (done, sent) = counts.entry(id).or_default();
            *done += u64::from(op.outcome() == Outcome::Ok);
            *sent += u64::from(op.outcome() != Outcome::Fail);
        }
    }
    let is_wrong = |(id, (done, sent)): (&str, (u64, u64))| {
        let logged = evidence.fold.transactions.get(id).map_or(0, |transaction| transaction.comments);
        let says = format!("{id} has {logged} comments, {done} were acknowledged and {sent} sent");
        (!(done..=sent).contains(&logged)).then_some(says)
    };
    counts.into_iter().filter_map(is_wrong).collect()
}
