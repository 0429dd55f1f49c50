//! Limits of the formats of bank files. They are checked before a payment is recorded.

use std::sync::LazyLock;

use super::Rail;
use crate::text::data_lines;

const FORMAT_LIMITS: &str = include_str!("format_limits.txt");

static ROWS: LazyLock<Vec<(Rail, FormatLimit)>> =
    LazyLock::new(|| data_lines(FORMAT_LIMITS).filter_map(FormatLimit::parse).collect());

/// Limits of a file of one rail, in minor units; `None` where its format has no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatLimit {
    /// Maximum amount of one entry.
    pub entry: Option<i64>,
    /// Maximum sum of all debits of a file, and of all of its credits.
    pub total: Option<i64>,
}

impl FormatLimit {
    /// The limits of the file of `rail`.
    #[must_use]
    #[expect(
        clippy::expect_used,
        clippy::missing_panics_doc,
        reason = "the file is part of the program, and a test reads it"
    )]
    pub fn of(rail: Rail) -> Self {
        ROWS.iter()
            .find(|(other, _)| *other == rail)
            .map(|(_, limit)| *limit)
            .expect("every rail has its line")
    }

    /// Returns true if an entry can carry this many minor units.
    #[must_use]
    pub fn has_place(self, minor: i64) -> bool {
        self.entry.is_none_or(|most| minor <= most)
    }

    /// Returns true if `minor` may be added to a total.
    #[must_use]
    pub fn has_room(self, total: i64, minor: i64) -> bool {
        self.total.is_none_or(|most| total.saturating_add(minor) <= most)
    }

    fn parse(line: &str) -> Option<(Rail, Self)> {
        let [rail, entry, total] = line.split(' ').collect::<Vec<_>>().try_into().ok()?;
        let limit = |text: &str| match text {
            "-" => Some(None),
            digits => digits.parse().ok().map(Some),
        };
        Some((Rail::parse(rail)?, Self { entry: limit(entry)?, total: limit(total)? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rail_has_its_line() {
        let rails: Vec<Rail> = ROWS.iter().map(|(rail, _)| *rail).collect();
        assert_eq!(rails, Rail::ALL);
        let lines = data_lines(FORMAT_LIMITS).count();
        assert_eq!(lines, Rail::ALL.len(), "each line is read");
    }

    #[test]
    fn limits_are_the_largest_fitting_values() {
        let ach = FormatLimit::of(Rail::Ach);
        assert!(ach.has_place(9_999_999_999) && !ach.has_place(10_000_000_000));
        assert!(ach.has_room(999_999_999_998, 1) && !ach.has_room(999_999_999_999, 1));
        let wire = FormatLimit::of(Rail::Wire);
        assert!(wire.has_place(999_999_999_999) && !wire.has_place(1_000_000_000_000));
        assert!(wire.has_room(i64::MAX, i64::MAX));
        assert_eq!(FormatLimit::of(Rail::Check), FormatLimit::default());
    }
}
