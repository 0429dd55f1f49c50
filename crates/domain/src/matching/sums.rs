//! Sums: targets, each of one or several items, that have the amount of a line within a window of days. A pair is unique
//! if the line has no other target, and the target no other line.

use std::collections::{BTreeMap, HashMap};

use super::Rule;
use super::pool::Pool;
use crate::calendar::{Day, plus_banking_days};
use crate::money::Currency;

/// Items that belong together, and their sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Numbers of the items in the pool.
    pub(super) items: Vec<usize>,
    /// Sum of what is left of the items, in minor units.
    pub(super) sum: i64,
    /// Day of the items.
    pub(super) day: Day,
    /// Currency of the items.
    pub(super) currency: Currency,
}

impl Target {
    /// A target of items of one currency; `None` if they have no sum.
    pub(super) fn new(pool: &Pool<'_>, items: Vec<usize>, day: Day) -> Option<Self> {
        let currency = pool.items[*items.first()?].currency;
        let sum: i128 = items.iter().map(|item| i128::from(pool.open[*item])).sum();
        let sum = i64::try_from(sum).ok().filter(|sum| *sum != 0)?;
        Some(Self { items, sum, day, currency })
    }
}

/// Days that go together: a line is of the day of its items, of a day after it within the banking days of the rule, or of
/// the day before, since the days of the ledger are days of UTC.
pub(super) struct Window {
    days: u16,
    first: HashMap<Day, Day>,
}

impl Window {
    pub(super) fn new(rule: &Rule, lines: impl Iterator<Item = Day>) -> Self {
        let mut first = HashMap::new();
        for day in lines {
            first.entry(day).or_insert_with(|| rule.first_day(day));
        }
        Self { days: rule.days(), first }
    }

    /// First and last day of the items of a line.
    pub(super) fn of_line(&self, day: Day) -> (Day, Day) {
        (self.first.get(&day).copied().unwrap_or(day), day.plus_days(1))
    }

    /// First and last day of the lines of an item.
    pub(super) fn of_item(&self, day: Day) -> (Day, Day) {
        (day.plus_days(-1), plus_banking_days(day, self.days))
    }
}

/// Numbers by currency and amount, each with its day, in the order of the days.
pub(super) struct BySum(BTreeMap<(Currency, i64), Vec<(Day, usize)>>);

impl BySum {
    fn new(all: impl Iterator<Item = (Currency, i64, Day, usize)>) -> Self {
        let mut map: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (currency, sum, day, number) in all {
            map.entry((currency, sum)).or_default().push((day, number));
        }
        for numbers in map.values_mut() {
            numbers.sort_unstable();
        }
        Self(map)
    }

    /// The open items of a pool.
    pub(super) fn of_items(pool: &Pool<'_>) -> Self {
        Self::new(pool.open_items().map(|at| {
            let item = pool.items[at];
            (item.currency, pool.open[at], item.since, at)
        }))
    }

    /// Lines of a pool.
    pub(super) fn of_lines(pool: &Pool<'_>, lines: &[usize]) -> Self {
        Self::new(lines.iter().map(|at| {
            let line = pool.lines[*at];
            (line.currency, line.left, line.day, *at)
        }))
    }

    /// Numbers whose amount has the sign of `sum` and differs by at most `most`, of days in `from..=to`.
    pub(super) fn near(
        &self,
        (currency, sum): (Currency, i64),
        most: i64,
        (from, to): (Day, Day),
    ) -> impl Iterator<Item = usize> + '_ {
        let (mut low, mut high) = (sum.saturating_sub(most), sum.saturating_add(most));
        if sum > 0 {
            low = low.max(1);
        } else {
            high = high.min(-1);
        }
        let sums = self.0.range((currency, low)..=(currency, high));
        sums.flat_map(move |(_, numbers)| {
            let start = numbers.partition_point(|(day, _)| *day < from);
            numbers[start..].iter().take_while(move |(day, _)| *day <= to).map(|(_, number)| *number)
        })
    }
}

/// Lines with the targets that have their amounts.
pub(super) struct Pairs<'a> {
    pool: &'a Pool<'a>,
    targets: &'a [Target],
    window: Window,
    most: i64,
    by_target: BySum,
    by_line: BySum,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(
        pool: &'a Pool<'a>,
        rule: &Rule,
        lines: &[usize],
        targets: &'a [Target],
        most: i64,
    ) -> Self {
        let window = pool.window(rule, lines);
        let of_target = |(at, it): (usize, &Target)| (it.currency, it.sum, it.day, at);
        let by_target = BySum::new(targets.iter().enumerate().map(of_target));
        let by_line = BySum::of_lines(pool, lines);
        Self { pool, targets, window, most, by_target, by_line }
    }

    /// Targets of a line.
    pub(super) fn targets(&self, line: usize) -> impl Iterator<Item = &'a Target> + '_ {
        let line = self.pool.lines[line];
        let days = self.window.of_line(line.day);
        let targets = self.targets;
        self.by_target.near((line.currency, line.left), self.most, days).map(|at| &targets[at])
    }

    /// The only target of a line, if the line is the only one of the target.
    pub(super) fn unique(&self, line: usize) -> Option<&'a Target> {
        let mut targets = self.targets(line);
        let target = targets.next().filter(|_| targets.next().is_none())?;
        let days = self.window.of_item(target.day);
        let mut lines = self.by_line.near((target.currency, target.sum), self.most, days);
        lines.next().filter(|_| lines.next().is_none())?;
        Some(target)
    }
}
