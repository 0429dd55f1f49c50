//! The months that have a statement, and the selection of a page: the newest month first.

use daybook_domain::NodeId;
use daybook_domain::calendar::Month;

use crate::queries::page::Page;

/// Consecutive months, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    first: Month,
    last: Month,
}

/// A node, and the months for which it has statements.
pub(super) struct NodeLifetime {
    pub(super) node: NodeId,
    pub(super) spans: Vec<Span>,
}

impl NodeLifetime {
    pub(super) fn has(&self, month: Month) -> bool {
        self.spans.iter().any(|span| (span.first..=span.last).contains(&month))
    }

    fn count(&self) -> u64 {
        self.spans.iter().map(|span| u64::from(span.first.count_to(span.last))).sum()
    }
}

/// Returns the months of an active node: from the month of its creation to the last one that is over.
pub(super) fn of_open(made: Month, closed_months: Month) -> Vec<Span> {
    (made <= closed_months).then_some(Span { first: made, last: closed_months }).into_iter().collect()
}

/// Returns the months of a closed node: up to the month in which it was closed, at whose end it held `posted`; after
/// that the months in which it holds money, and those of the entries in `moved`: the month of each, and the balance
/// after it.
pub(super) fn of_closed(
    made: Month,
    closed: Month,
    posted: i64,
    moved: &[(Month, i64)],
    closed_months: Month,
) -> Vec<Span> {
    let mut spans = of_open(made, closed.min(closed_months));
    let (mut next, mut posted) = (closed.next(), posted);
    for &(month, after) in moved {
        let first = if posted == 0 { month.max(next) } else { next };
        spans.extend((first <= month).then_some(Span { first, last: month }));
        (next, posted) = (month.next().max(next), after);
    }
    spans.extend((posted != 0 && next <= closed_months).then_some(Span { first: next, last: closed_months }));
    spans
}

/// Returns a page of statements and the total number: the newest month first, within a month in the order of the nodes.
pub(super) fn page(
    lifetimes: &[NodeLifetime],
    closed_months: Month,
    page: Page,
) -> (u64, Vec<(NodeId, Month)>) {
    let total = lifetimes.iter().map(NodeLifetime::count).sum();
    let first = lifetimes.iter().flat_map(|lifetime| &lifetime.spans).map(|span| span.first).min();
    let mut skipped = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let (mut month, mut found) = (closed_months, vec![]);
    while first.is_some_and(|first| first <= month) && found.len() < page.size as usize {
        let here: Vec<_> = lifetimes
            .iter()
            .filter(|lifetime| lifetime.has(month))
            .map(|lifetime| (lifetime.node, month))
            .collect();
        let left = page.size as usize - found.len();
        found.extend(here.iter().skip(skipped).take(left));
        skipped = skipped.saturating_sub(here.len());
        month = month.previous();
    }
    (total, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn month(text: &str) -> Month {
        text.parse().expect("a month")
    }

    fn spans(of: &[(&str, &str)]) -> Vec<Span> {
        of.iter().map(|(first, last)| Span { first: month(first), last: month(last) }).collect()
    }

    #[test]
    fn open_node_has_all_months_since_creation() {
        assert_eq!(of_open(month("2026-01"), month("2026-03")), spans(&[("2026-01", "2026-03")]));
        assert_eq!(of_open(month("2026-01"), month("2026-01")), spans(&[("2026-01", "2026-01")]));
        assert_eq!(of_open(month("2026-02"), month("2026-01")), []);
    }

    #[test]
    fn closed_node_skips_idle_empty_months() {
        let months = |posted, moved: &[(&str, i64)]| {
            let moved: Vec<_> = moved.iter().map(|(at, posted)| (month(at), *posted)).collect();
            let lifetime = NodeLifetime {
                node: NodeId::from_u128(1),
                spans: of_closed(month("2026-01"), month("2026-02"), posted, &moved, month("2026-08")),
            };
            let has: String = (1..=9)
                .map(|at| if lifetime.has(month(&format!("2026-{at:02}"))) { 'x' } else { '.' })
                .collect();
            assert_eq!(lifetime.count(), has.matches('x').count() as u64, "{has}");
            has
        };
        assert_eq!(months(0, &[]), "xx.......");
        assert_eq!(months(5, &[]), "xxxxxxxx.");
        assert_eq!(months(5, &[("2026-04", 0)]), "xxxx.....");
        assert_eq!(months(5, &[("2026-03", 3), ("2026-03", 0), ("2026-06", 0)]), "xxx..x...");
        assert_eq!(months(0, &[("2026-05", 7), ("2026-07", 0)]), "xx..xxx..");
        assert_eq!(months(0, &[("2026-08", 7)]), "xx.....x.");
    }

    #[test]
    fn node_closed_later_lists_all_months() {
        let found = of_closed(month("2026-01"), month("2026-05"), 0, &[], month("2026-03"));
        assert_eq!(found, spans(&[("2026-01", "2026-03")]));
    }

    #[test]
    fn pages_begin_with_the_newest_month() {
        let lifetime =
            |node, of: &[(&str, &str)]| NodeLifetime { node: NodeId::from_u128(node), spans: spans(of) };
        let lifetimes = [
            lifetime(1, &[("2026-01", "2026-04")]),
            lifetime(2, &[("2026-02", "2026-02"), ("2026-04", "2026-04")]),
            lifetime(3, &[]),
            lifetime(4, &[("2026-03", "2026-04")]),
        ];
        let all: Vec<_> = [("2026-04", 1), ("2026-04", 2), ("2026-04", 4), ("2026-03", 1), ("2026-03", 4)]
            .into_iter()
            .chain([("2026-02", 1), ("2026-02", 2), ("2026-01", 1)])
            .map(|(at, node)| (NodeId::from_u128(node), month(at)))
            .collect();
        for size in 1..10 {
            let pages = (1..=u32::try_from(all.len()).expect("few") + 1)
                .map(|number| super::page(&lifetimes, month("2026-04"), Page { number, size }));
            let (totals, found): (Vec<_>, Vec<_>) = pages.unzip();
            assert!(totals.iter().all(|total| *total == all.len() as u64));
            assert_eq!(found.concat(), all, "{size}");
        }
        let far = Page { number: u32::MAX, size: 100 };
        assert_eq!(super::page(&lifetimes, month("2026-04"), far), (8, vec![]));
        assert_eq!(super::page(&[], month("2026-04"), Page { number: 1, size: 5 }), (0, vec![]));
    }
}
