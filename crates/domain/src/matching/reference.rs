//! References: a reference of a line, or a text that a pattern captures, is a name of a transaction or of a file.

use std::collections::{BTreeSet, HashMap};

use super::exact::{Tolerance, claim};
use super::pool::{Claim, Pool};
use super::{Line, groups};
use crate::id::{FileId, TransactionId};

/// A transaction or a file that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    Transaction(TransactionId),
    File(FileId),
}

/// Names of the open items and of the files.
struct Names<'a> {
    named: HashMap<&'a str, BTreeSet<Named>>,
    items: HashMap<TransactionId, Vec<usize>>,
}

impl<'a> Names<'a> {
    fn of(pool: &Pool<'a>) -> Self {
        let mut named: HashMap<&str, BTreeSet<Named>> = HashMap::new();
        let mut items: HashMap<TransactionId, Vec<usize>> = HashMap::new();
        for at in pool.open_items() {
            let item = pool.items[at];
            items.entry(item.transaction).or_default().push(at);
            for name in &item.names {
                named.entry(name).or_default().insert(Named::Transaction(item.transaction));
            }
        }
        for file in &pool.files {
            for name in &file.names {
                named.entry(name).or_default().insert(Named::File(file.id));
            }
        }
        Self { named, items }
    }

    /// All that the references of a line name. A name of two is ambiguous and names nothing.
    fn by(&self, line: &Line, rule: usize) -> BTreeSet<Named> {
        let captured = line.captures.iter().filter(|(of, _)| *of == rule).map(|(_, text)| text.as_str());
        let mut names: Vec<&str> = captured.collect();
        if names.is_empty() {
            names.extend(line.references.iter().map(String::as_str));
        }
        let known = names.iter().filter_map(|name| self.named.get(name.trim()));
        known.filter(|named| named.len() == 1).flatten().copied().collect()
    }
}

/// Claims of lines to what they name. Several transactions are claimed if they make the amount of the line together.
pub(super) fn claims(
    pool: &Pool<'_>,
    rule: usize,
    lines: &[usize],
    tolerance: Option<Tolerance>,
) -> Vec<Claim> {
    let names = Names::of(pool);
    let most = tolerance.map_or(0, |(most, _)| most);
    let files = groups::of_files(pool);
    let fits = |line: &Line, sum: i128| {
        (sum - i128::from(line.left)).abs() <= i128::from(most)
            && sum.signum() == i128::from(line.left.signum())
    };
    let one = |line: usize| {
        let of = pool.lines[line];
        let named: Vec<Named> = names.by(of, rule).into_iter().collect();
        match named[..] {
            [] => None,
            [Named::Transaction(id)] => of_transaction(pool, line, &names.items[&id], tolerance),
            [Named::File(id)] => {
                let is_its = |item: &usize| pool.items[*item].file == Some(id);
                let mut sums = files.iter().filter(|sum| {
                    sum.items.first().is_some_and(is_its)
                        && sum.currency == of.currency
                        && fits(of, i128::from(sum.sum))
                });
                let sum = sums.next().filter(|_| sums.next().is_none())?;
                Some(claim(pool, line, &sum.items, tolerance))
            }
            _ => {
                let own = |it: &Named| match it {
                    Named::Transaction(id) => names.items.get(id),
                    Named::File(_) => None,
                };
                let items = named.iter().map(own).collect::<Option<Vec<_>>>()?;
                let items: Vec<usize> = items.into_iter().flatten().copied().collect();
                let sum: i128 = items.iter().map(|item| i128::from(pool.open[*item])).sum();
                let is_one = items.iter().all(|item| pool.items[*item].currency == of.currency);
                (is_one && fits(of, sum)).then(|| claim(pool, line, &items, tolerance))
            }
        }
    };
    lines.iter().filter_map(|line| one(*line)).collect()
}

/// The claim to the item of a transaction that has the amount of the line; else, without a tolerance, to a part of the
/// only larger item.
fn of_transaction(
    pool: &Pool<'_>,
    line: usize,
    items: &[usize],
    tolerance: Option<Tolerance>,
) -> Option<Claim> {
    let of = pool.lines[line];
    let most = tolerance.map_or(0, |(most, _)| most).unsigned_abs();
    let same: Vec<usize> = items
        .iter()
        .copied()
        .filter(|item| {
            let own = pool.items[*item].currency == of.currency;
            own && pool.open[*item].signum() == of.left.signum()
        })
        .collect();
    let equal: Vec<usize> =
        same.iter().copied().filter(|item| pool.open[*item].abs_diff(of.left) <= most).collect();
    match (&equal[..], &same[..]) {
        ([item], _) => Some(claim(pool, line, &[*item], tolerance)),
        ([], [item]) if tolerance.is_none() && pool.open[*item].abs() > of.left.abs() => {
            Some(Claim { line, items: vec![(*item, of.left)], post: None })
        }
        _ => None,
    }
}
