//! Groups of items that a bank may state as one line: a whole file, its credits or its debits, with or without the entries
//! that came back; the returns of one day.

use std::collections::BTreeMap;

use super::pool::Pool;
use super::sums::Target;
use crate::calendar::Day;
use crate::id::FileId;
use crate::money::Currency;

/// Sums of the files whose entries are open.
pub(super) fn of_files(pool: &Pool<'_>) -> Vec<Target> {
    let mut entries: BTreeMap<(FileId, Currency), Entries> = BTreeMap::new();
    for item in pool.open_items() {
        let Some(file) = pool.items[item].file else { continue };
        let of = entries.entry((file, pool.items[item].currency)).or_default();
        if pool.items[item].is_return() { of.returned.push(item) } else { of.sent.push(item) }
    }
    let day = |file| pool.files.binary_search_by_key(&file, |it| it.id).ok().map(|at| pool.files[at].day);
    let days = entries.iter().filter_map(|((file, _), entries)| Some((day(*file)?, entries)));
    days.flat_map(|(day, entries)| entries.sums(pool, day)).collect()
}

/// Entries of a file.
#[derive(Default)]
pub(super) struct Entries {
    sent: Vec<usize>,
    returned: Vec<usize>,
}

impl Entries {
    /// Net, credits and debits, and the net less the entries that came back.
    fn sums(&self, pool: &Pool<'_>, day: Day) -> Vec<Target> {
        let mut sums = sides(pool, &self.sent, day);
        if !self.sent.is_empty() && !self.returned.is_empty() {
            // Returns first: whatever is left of a match that was cut short is a sum again.
            let all = self.returned.iter().chain(&self.sent).copied().collect();
            sums.extend(Target::new(pool, all, day));
        }
        sums
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
    days.iter().flat_map(|((day, _), items)| sides(pool, items, *day)).collect()
}

/// All of the items, those to come to us, and those to go from us; each set once.
fn sides(pool: &Pool<'_>, items: &[usize], day: Day) -> Vec<Target> {
    let of_sign =
        |sign: i64| items.iter().copied().filter(|item| pool.open[*item].signum() == sign).collect();
    let mut sets: Vec<Vec<usize>> = vec![items.to_vec(), of_sign(1), of_sign(-1)];
    sets.dedup();
    // The side that all items are on comes last if they are to go from us.
    if sets.len() == 3 && sets[2].len() == items.len() {
        sets.pop();
    }
    sets.into_iter().filter_map(|set| Target::new(pool, set, day)).collect()
}
