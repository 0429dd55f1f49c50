//! Suggestions for lines that no rule matched: several items that make the line, several lines that make an item, and items
//! that resemble the line.

use std::collections::{BTreeMap, HashMap};

use super::pool::Pool;
use super::sums::BySum;
use super::{Item, Line, Means, Reason, Rule, Suggestion};
use crate::calendar::{Day, next_banking_day};
use crate::id::BreakId;
use crate::money::Currency;
use crate::posting::LedgerAccount;

/// Maximum number of candidates of a group.
const MAX_CANDIDATES: usize = 12;
/// Number of groups whose sums are compared; the newest ones count.
const MAX_GROUPS: usize = 256;
/// Number of groups that are suggested for a line.
const MAX_GROUPS_OF_LINE: usize = 3;
/// Largest difference of an amount that is near another one, in minor units: so many sums are looked up.
const MAX_NEAR: i64 = 1_000;
/// Number of items that are scored for a line.
const MAX_SCORED: usize = 32;
/// Number of similar items that are suggested for a line.
const MAX_SIMILAR: usize = 5;

const SCORE_OF_GROUP: u8 = 55;
/// Highest score of a suggestion; 100 is a match that a rule makes.
const MAX_SCORE: u8 = 99;
const SCORE_OF_AMBIGUOUS_GROUP: u8 = 40;

/// Groups of at most [`MAX_CANDIDATES`], by day and kind. Larger ones are left out.
type Groups<K> = BTreeMap<(Day, Currency, K), Vec<usize>>;

/// Suggests several items of one day and account for one line, and one item for several lines of one day.
pub(super) fn groups(pool: &Pool<'_>, rule: (usize, &Rule)) -> Vec<Suggestion> {
    let lines = pool.lines_of(rule);
    let window = pool.window(rule.1, &lines);
    let mut of_items: Groups<(LedgerAccount, i64)> = BTreeMap::new();
    for at in pool.open_items() {
        let Item { since, currency, account, .. } = *pool.items[at];
        of_items.entry((since, currency, (account, pool.open[at].signum()))).or_default().push(at);
    }
    let mut of_lines: Groups<i64> = BTreeMap::new();
    for &at in &lines {
        let Line { day, currency, left, .. } = *pool.lines[at];
        of_lines.entry((day, currency, left.signum())).or_default().push(at);
    }
    let suggest = |line: usize, items, reasons, is_unique: bool| {
        let score = if is_unique { SCORE_OF_GROUP } else { SCORE_OF_AMBIGUOUS_GROUP };
        let reasons = [reasons, if is_unique { vec![] } else { vec![Reason::Ambiguous] }].concat();
        Suggestion { line: pool.lines[line].id, means: Means::Group, rule: rule.0, score, reasons, items }
    };
    let mut suggestions = Bounded::default();
    let by_line = BySum::of_lines(pool, &lines);
    for ((day, currency, _), items) in bounded(&of_items) {
        for (sum, (first, is_unique)) in sums(items, |item| pool.open[item]) {
            for line in by_line.near((*currency, sum), 0, window.of_item(*day)).take(MAX_CANDIDATES) {
                let parts = first.iter().map(|item| pool.part(*item, pool.open[*item])).collect();
                suggestions.add(suggest(line, parts, vec![Reason::Sum], is_unique), MAX_GROUPS_OF_LINE);
            }
        }
    }
    let by_item = BySum::of_items(pool);
    for ((day, currency, _), lines) in bounded(&of_lines) {
        for (sum, (first, is_unique)) in sums(lines, |line| pool.lines[line].left) {
            let items: Vec<usize> = by_item.near((*currency, sum), 0, window.of_line(*day)).take(2).collect();
            let [item] = items[..] else { continue };
            for line in first {
                let parts = vec![pool.part(item, pool.lines[line].left)];
                suggestions.add(suggest(line, parts, vec![Reason::Part], is_unique), MAX_GROUPS_OF_LINE);
            }
        }
    }
    suggestions.all
}

/// Suggestions, of which each line has a limited number.
#[derive(Default)]
pub(super) struct Bounded {
    pub(super) all: Vec<Suggestion>,
    of_lines: HashMap<BreakId, usize>,
}

impl Bounded {
    /// Adds a suggestion, unless its line has `most` of them.
    pub(super) fn add(&mut self, suggestion: Suggestion, most: usize) {
        let count = self.of_lines.entry(suggestion.line).or_default();
        if *count < most {
            *count += 1;
            self.all.push(suggestion);
        }
    }
}

/// The newest groups that are small enough.
fn bounded<K: Ord>(groups: &Groups<K>) -> impl Iterator<Item = (&(Day, Currency, K), &Vec<usize>)> {
    let small = groups.iter().rev().filter(|(_, of)| (2..=MAX_CANDIDATES).contains(&of.len()));
    small.take(MAX_GROUPS)
}

/// Sums of all subsets of two and more. Each has its first subset, and whether it is the only one.
fn sums(of: &[usize], amount: impl Fn(usize) -> i64) -> BTreeMap<i64, (Vec<usize>, bool)> {
    let mut sums: BTreeMap<i64, (Vec<usize>, bool)> = BTreeMap::new();
    for mask in 0..1_u32 << of.len() {
        if mask.count_ones() < 2 {
            continue;
        }
        let subset: Vec<usize> =
            of.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, it)| *it).collect();
        let sum = subset.iter().map(|it| i128::from(amount(*it))).sum::<i128>();
        let Ok(sum) = i64::try_from(sum) else { continue };
        sums.entry(sum).and_modify(|(_, is_unique)| *is_unique = false).or_insert((subset, true));
    }
    sums
}

/// Suggests the items that resemble a line most.
pub(super) fn similar(pool: &Pool<'_>, rule: (usize, &Rule)) -> Vec<Suggestion> {
    let lines = pool.lines_of(rule);
    let window = pool.window(rule.1, &lines);
    let by_item = BySum::of_items(pool);
    let endings = endings(pool);
    let threshold = rule.1.threshold.unwrap_or(100);
    let of_line = |at: &usize| {
        let line = pool.lines[*at];
        let days = window.of_line(line.day);
        let named = line.words.iter().filter_map(|word| endings.get(word.as_str()));
        let named = named.flatten().copied().take(MAX_SCORED);
        let equal = by_item.near((line.currency, line.left), 0, days).take(MAX_SCORED);
        let most = (line.left.abs() / 100).min(MAX_NEAR);
        let near = by_item.near((line.currency, line.left), most, days).take(MAX_SCORED);
        let mut items: Vec<usize> = named.chain(equal).chain(near).collect();
        items.sort_unstable();
        items.dedup();
        let scored = items.into_iter().filter_map(|item| score(pool, line, item));
        let mut scored: Vec<_> = scored.filter(|(score, ..)| *score >= threshold).collect();
        scored.sort_by_key(|(score, item, _)| (std::cmp::Reverse(*score), *item));
        let one = |(score, item, reasons): (u8, usize, Vec<Reason>)| {
            let part = if line.left.abs() < pool.open[item].abs() { line.left } else { pool.open[item] };
            let items = vec![pool.part(item, part)];
            Suggestion { line: line.id, means: Means::Suggest, rule: rule.0, score, reasons, items }
        };
        scored.into_iter().take(MAX_SIMILAR).map(one).collect::<Vec<_>>()
    };
    lines.iter().flat_map(of_line).collect()
}

/// Items by the last characters of their names: banks cut references at the left or at the right.
fn endings<'a>(pool: &Pool<'a>) -> HashMap<&'a str, Vec<usize>> {
    let mut endings: HashMap<&str, Vec<usize>> = HashMap::new();
    for at in pool.open_items() {
        for name in &pool.items[at].names {
            let cut = name.len().saturating_sub(super::MIN_WORD_CHARS + 1);
            let ending = name.get(cut..).unwrap_or(name);
            endings.entry(ending).or_default().push(at);
            endings.entry(name).or_default().push(at);
        }
    }
    endings
}

/// Likelihood that an item explains a line, with the reasons; `None` for an item with another sign or currency.
fn score(pool: &Pool<'_>, line: &Line, item: usize) -> Option<(u8, usize, Vec<Reason>)> {
    let (of, open) = (pool.items[item], pool.open[item]);
    if of.currency != line.currency || open.signum() != line.left.signum() {
        return None;
    }
    let difference = open.abs_diff(line.left);
    let amount = match difference {
        0 => Some((50, Reason::Amount)),
        _ if difference <= line.left.unsigned_abs() / 100 => Some((25, Reason::NearAmount)),
        _ if open.abs() > line.left.abs() => Some((10, Reason::Part)),
        _ => None,
    };
    let is_near = line.day >= of.since.plus_days(-1) && line.day <= next_banking_day(of.since);
    let is_named = line.words.iter().any(|word| of.names.iter().any(|name| name.ends_with(word.as_str())));
    let found = [amount, is_near.then_some((20, Reason::Day)), is_named.then_some((30, Reason::Name))];
    let found: Vec<(u8, Reason)> = found.into_iter().flatten().collect();
    let score: u8 = found.iter().map(|(points, _)| points).sum();
    Some((score.min(MAX_SCORE), item, found.into_iter().map(|(_, reason)| reason).collect()))
}
