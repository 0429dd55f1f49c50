//! Groups of items that a bank may state as one line: a whole file, its credits or its debits, or one batch of it, with or
//! without the entries that came back; the returns of one day.

use std::collections::BTreeMap;

use super::pool::Pool;
use super::sums::Target;
use crate::calendar::Day;
use crate::id::FileId;
use crate::money::Currency;

/// Sums of the files whose entries are open.
pub(super) fn of_files(pool: &Pool<'_>) -> Vec<Target> {
    let mut files: BTreeMap<(FileId, Currency), SentEntries> = BTreeMap::new();
    for item in pool.open_items() {
        let Some(file) = pool.items[item].file else { continue };
        files.entry((file, pool.items[item].currency)).or_default().add(pool, item);
    }
    let day = |file| pool.files.binary_search_by_key(&file, |it| it.id).ok().map(|at| pool.files[at].day);
    let days = files.iter().filter_map(|((file, _), entries)| Some((day(*file)?, entries)));
    days.flat_map(|(day, entries)| targets(pool, entries.sets(pool), day)).collect()
}

/// Open entries of a file, and of each of its batches.
#[derive(Default)]
struct SentEntries {
    all: Entries,
    batches: BTreeMap<u32, Entries>,
}

impl SentEntries {
    fn add(&mut self, pool: &Pool<'_>, item: usize) {
        self.all.add(pool, item);
        if let Some(batch) = pool.items[item].batch {
            self.batches.entry(batch).or_default().add(pool, item);
        }
    }

    /// Net, credits and debits, each batch, and the same less the entries that came back.
    fn sets(&self, pool: &Pool<'_>) -> Vec<Vec<usize>> {
        let whole = sides(pool, &self.all.sent).into_iter().chain(self.all.netted());
        let batches = self.batches.values().flat_map(|of| [of.sent.clone()].into_iter().chain(of.netted()));
        whole.chain(batches).collect()
    }
}

/// Entries that the bank may state together.
#[derive(Default)]
struct Entries {
    sent: Vec<usize>,
    returned: Vec<usize>,
}

impl Entries {
    fn add(&mut self, pool: &Pool<'_>, item: usize) {
        if pool.items[item].is_return() { self.returned.push(item) } else { self.sent.push(item) }
    }

    /// The entries with those that came back; `None` if there are none of one kind.
    fn netted(&self) -> Option<Vec<usize>> {
        // Returns first: whatever is left of a match that was cut short is a sum again.
        let both = || self.returned.iter().chain(&self.sent).copied().collect();
        (!self.sent.is_empty() && !self.returned.is_empty()).then(both)
    }
}

/// Sums of the returns of each day.
pub(super) fn of_returns(pool: &Pool<'_>) -> Vec<Target> {
    let mut days: BTreeMap<(Day, Currency), Vec<usize>> = BTreeMap::new();
    for item in pool.open_items() {
        let of = pool.items[item];
        if of.is_return() {
            days.entry((of.since, of.currency)).or_default().push(item);
        }
    }
    days.iter().flat_map(|((day, _), items)| targets(pool, sides(pool, items), *day)).collect()
}

/// All of the items, those to come to us, and those to go from us.
fn sides(pool: &Pool<'_>, items: &[usize]) -> Vec<Vec<usize>> {
    let of_sign =
        |sign: i64| items.iter().copied().filter(|item| pool.open[*item].signum() == sign).collect();
    vec![items.to_vec(), of_sign(1), of_sign(-1)]
}

/// A target of each set; a set that comes twice, as a file of one batch does, is one target.
fn targets(pool: &Pool<'_>, sets: Vec<Vec<usize>>, day: Day) -> Vec<Target> {
    let mut distinct: Vec<Vec<usize>> = vec![];
    for set in sets {
        if !distinct.contains(&set) {
            distinct.push(set);
        }
    }
    distinct.into_iter().filter_map(|set| Target::new(pool, set, day)).collect()
}
