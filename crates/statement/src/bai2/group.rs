//! Statements as groups, for the writer: a group has one day and one group status.

use daybook_domain::calendar::Day;

use super::header::{FINAL, INTERIM};
use crate::statement::find;
use crate::{DayBalances, Line, Standing, Statement};

/// Part of a statement that is written as one group.
pub(super) struct Group<'a> {
    pub(super) statement: &'a Statement,
    pub(super) status: &'a str,
    pub(super) modifier: &'a str,
    pub(super) as_of: Day,
    /// Balances, of a day that has some.
    pub(super) day: Option<&'a DayBalances>,
    pub(super) lines: Vec<&'a Line>,
}

/// Splits a statement: a group for each day, and one for each day of lines that are not booked.
pub(super) fn groups(statement: &Statement) -> Vec<Group<'_>> {
    let (status, modifier) = marks(statement);
    let is_stated = matches!(statement.standing, Standing::Booked | Standing::Restated);
    let (booked, other): (Vec<&Line>, Vec<&Line>) =
        statement.lines.iter().partition(|line| is_stated && line.booked);
    let mut booked = booked.into_iter();
    let mut groups: Vec<Group<'_>> = vec![];
    for day in &statement.days {
        let lines = booked.by_ref().take(day.lines).collect();
        groups.push(Group { statement, status, modifier, as_of: day.date, day: Some(day), lines });
    }
    let last = statement.days.last().map_or_else(first_day, |day| day.date);
    let has_days = !groups.is_empty();
    // Nothing is lost of a statement whose days do not count all of its lines.
    let other: Vec<&Line> = booked.chain(other).collect();
    for lines in other.chunk_by(|one, next| (one.booking, one.booked) == (next.booking, next.booked)) {
        let Some(first) = lines.first() else { continue };
        // Beside days, and among booked lines, lines are announced only. Else the statement's own codes say it.
        let is_announced = has_days || is_stated && !first.booked;
        let (status, modifier) = if is_announced { ("1", INTERIM) } else { (status, modifier) };
        let as_of = first.booking.unwrap_or(last);
        groups.push(Group { statement, status, modifier, as_of, day: None, lines: lines.to_vec() });
    }
    if groups.is_empty() {
        groups.push(Group { statement, status, modifier, as_of: last, day: None, lines: vec![] });
    }
    groups
}

/// Group status and as-of modifier: those of the statement if it came from BAI2, else those of its standing.
fn marks(statement: &Statement) -> (&str, &str) {
    let mark = |name| find(&statement.marks, name);
    match (mark("group_status"), statement.standing) {
        (Some(status), _) => (status, mark("as_of_modifier").unwrap_or_default()),
        (None, Standing::Booked) => ("1", FINAL),
        (None, Standing::Restated) => ("3", FINAL),
        (None, Standing::Pending) => ("1", INTERIM),
        (None, Standing::Test) => ("4", INTERIM),
    }
}

/// Day of a group of which nothing says the day.
fn first_day() -> Day {
    Day::from_civil(2000, 1, 1).unwrap_or_default()
}
