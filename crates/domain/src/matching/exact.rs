//! Strategies that find the exact amount of a line: references, files, returns and amounts. With a tolerance, the amount may
//! differ, and the difference belongs to a node.

use super::pool::{Claim, Pool};
use super::sums::{Pairs, Target};
use super::{Means, Reason, Rule, Suggestion, groups, reference};
use crate::id::NodeId;
use crate::posting::LedgerAccount;

/// Number of ambiguous targets that are suggested for a line.
const MAX_AMBIGUOUS: usize = 3;
/// Number of items that a suggestion names.
const MAX_NAMED_ITEMS: usize = 12;

/// Largest difference in minor units, and the node that gets or pays it.
pub(super) type Tolerance = (i64, NodeId);

/// Claims of the lines that a rule is about.
pub(super) fn claims(pool: &Pool<'_>, rule: (usize, &Rule), tolerance: Option<Tolerance>) -> Vec<Claim> {
    let lines = pool.lines_of(rule);
    let most = tolerance.map_or(0, |(most, _)| most);
    if rule.1.strategy == Means::Reference {
        return reference::claims(pool, rule.0, &lines, tolerance);
    }
    let targets = targets(pool, rule.1);
    let pairs = Pairs::new(pool, rule.1, &lines, &targets, most);
    let claim = |line: usize| Some(claim(pool, line, &pairs.unique(line)?.items, tolerance));
    lines.iter().filter_map(|line| claim(*line)).collect()
}

/// Targets that are ambiguous, for lines that no rule matched.
pub(super) fn suggestions(pool: &Pool<'_>, rule: (usize, &Rule)) -> Vec<Suggestion> {
    let lines = pool.lines_of(rule);
    let targets = targets(pool, rule.1);
    let pairs = Pairs::new(pool, rule.1, &lines, &targets, 0);
    let suggest = |line: usize, target: &Target| {
        let items = target.items.iter().take(MAX_NAMED_ITEMS);
        let reason = if target.items.len() == 1 { Reason::Amount } else { Reason::Sum };
        Suggestion {
            line: pool.lines[line].id,
            means: rule.1.strategy,
            rule: rule.0,
            score: 60,
            reasons: vec![reason, Reason::Ambiguous],
            items: items.map(|item| pool.part(*item, pool.open[*item])).collect(),
        }
    };
    let of_line = |line: &usize| {
        let line = *line;
        pairs.targets(line).take(MAX_AMBIGUOUS).map(|target| suggest(line, target)).collect::<Vec<_>>()
    };
    lines.iter().flat_map(of_line).collect()
}

/// The claim of a line to the whole of items, and of a node to the difference.
pub(super) fn claim(pool: &Pool<'_>, line: usize, items: &[usize], tolerance: Option<Tolerance>) -> Claim {
    let items: Vec<_> = items.iter().map(|item| (*item, pool.open[*item])).collect();
    let sum: i64 = items.iter().map(|(_, amount)| amount).sum();
    let rest = pool.lines[line].left.saturating_sub(sum);
    let post = tolerance.map(|(_, node)| (node, rest)).filter(|_| rest != 0);
    Claim { line, items, post }
}

fn targets(pool: &Pool<'_>, rule: &Rule) -> Vec<Target> {
    match rule.strategy {
        Means::File => groups::of_files(pool),
        Means::Returns => groups::of_returns(pool),
        Means::Amount => singles(pool, rule),
        Means::Reference | Means::Group | Means::Book | Means::Tolerance | Means::Suggest => vec![],
    }
}

/// Each open item by itself, on the rail of the rule.
fn singles(pool: &Pool<'_>, rule: &Rule) -> Vec<Target> {
    let is_on = |account: LedgerAccount| match (rule.rail, account) {
        (None, _) => true,
        (Some(rail), LedgerAccount::RailIn(own) | LedgerAccount::RailOut(own)) => rail == own,
        (Some(_), _) => false,
    };
    let on_rail = pool.open_items().filter(|item| is_on(pool.items[*item].account));
    on_rail.filter_map(|item| Target::new(pool, vec![item], pool.items[item].since)).collect()
}
