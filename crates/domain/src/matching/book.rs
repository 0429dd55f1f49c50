//! Lines of a kind that belong to a node, such as fees and interest.

use std::collections::HashMap;

use super::Rule;
use super::pool::{Claim, Pool};
use crate::calendar::Day;

/// Claims of the lines that a rule books. If the lines of a day have more than the rule allows for a day, none of them is
/// booked.
pub(super) fn claims(pool: &Pool<'_>, rule: (usize, &Rule)) -> Vec<Claim> {
    let &Rule { node: Some(node), per_line: Some(per_line), per_day: Some(per_day), .. } = rule.1 else {
        return vec![];
    };
    let fits = |line: &usize| pool.lines[*line].left.unsigned_abs() <= per_line.unsigned_abs();
    let lines: Vec<usize> = pool.lines_of(rule).into_iter().filter(fits).collect();
    let mut days: HashMap<Day, u128> = HashMap::new();
    for line in &lines {
        *days.entry(pool.lines[*line].day).or_default() += u128::from(pool.lines[*line].left.unsigned_abs());
    }
    let is_allowed = |line: &usize| days[&pool.lines[*line].day] <= u128::from(per_day.unsigned_abs());
    let claim = |line: usize| Claim { line, items: vec![], post: Some((node, pool.lines[line].left)) };
    lines.into_iter().filter(is_allowed).map(claim).collect()
}
