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

/// Number of lines that claim one sum of a file: two of them already get none of it.
const MAX_CLAIMS_OF_SUM: usize = 2;

/// Claims of lines to what they name. Several transactions are claimed if they make the amount of the line together.
pub(super) fn claims(
    pool: &Pool<'_>,
    rule: usize,
    lines: &[usize],
    tolerance: Option<Tolerance>,
) -> Vec<Claim> {
    let names = Names::of(pool);
    let sums = groups::of_files(pool);
    let mut by_file: HashMap<FileId, Vec<usize>> = HashMap::new();
    for (at, sum) in sums.iter().enumerate() {
        if let Some(file) = sum.items.first().and_then(|item| pool.items[*item].file) {
            by_file.entry(file).or_default().push(at);
        }
    }
    let mut wanted = vec![0; sums.len()];
    let mut one = |line: usize| {
        let of = pool.lines[line];
        let named: Vec<Named> = names.by(of, rule).into_iter().collect();
        match named[..] {
            [] => None,
            [Named::Transaction(id)] => of_transaction(pool, line, &names.items[&id], tolerance),
            [Named::File(id)] => {
                let of_file = by_file.get(&id).map_or(&[][..], Vec::as_slice);
                let is_its = |at: &&usize| {
                    sums[**at].currency == of.currency && fits(of, i128::from(sums[**at].sum), tolerance)
                };
                let mut found = of_file.iter().filter(is_its);
                let at = *found.next().filter(|_| found.next().is_none())?;
                wanted[at] += 1;
                (wanted[at] <= MAX_CLAIMS_OF_SUM).then(|| claim(pool, line, &sums[at].items, tolerance))
            }
            _ => several(pool, &names, line, &named, tolerance),
        }
    };
    lines.iter().filter_map(|line| one(*line)).collect()
}

/// True if `sum` has the sign of a line and differs from it by no more than the tolerance.
fn fits(line: &Line, sum: i128, tolerance: Option<Tolerance>) -> bool {
    let most = i128::from(tolerance.map_or(0, |(most, _)| most));
    (sum - i128::from(line.left)).abs() <= most && sum.signum() == i128::from(line.left.signum())
}

/// The claim to all items of several transactions.
fn several(
    pool: &Pool<'_>,
    names: &Names<'_>,
    line: usize,
    named: &[Named],
    tolerance: Option<Tolerance>,
) -> Option<Claim> {
    let own = |it: &Named| match it {
        Named::Transaction(id) => names.items.get(id),
        Named::File(_) => None,
    };
    let items = named.iter().map(own).collect::<Option<Vec<_>>>()?;
    let items: Vec<usize> = items.into_iter().flatten().copied().collect();
    let of = pool.lines[line];
    let sum = items.iter().map(|item| i128::from(pool.open[*item])).sum();
    let is_one = items.iter().all(|item| pool.items[*item].currency == of.currency);
    (is_one && fits(of, sum, tolerance)).then(|| claim(pool, line, &items, tolerance))
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
