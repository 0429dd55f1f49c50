//! Daily: by which day entries count, where that is not the day of their recording.
//!
//! The balance by a day is what the entries that were recorded by its end leave, and what was moved: to days up to it, less
//! from these. So late an entry may come, and nothing is written about those that count when they are recorded.
//!
//! Fold 1 has the sum of each day, to which nearly every entry is added; it feeds what a database has that is older than
//! fold 2, until that is rebuilt and dropped.

mod v1;
mod v2;

use std::borrow::Cow;
use std::collections::BTreeMap;

use daybook_domain::calendar::Day;
use daybook_domain::time::DAY_MS;
use daybook_domain::{Kind, Timestamp};
use uuid::Uuid;

use super::Model;
use crate::error::Error;
use crate::models::projection::{Changed, Projection};
use crate::store::happened::Happened;
use crate::store::model::{Definition, MadeOf};
use crate::store::sql::{self, Target};

/// The declaration.
pub(crate) const MODEL: Definition = Definition {
    fold: 2,
    compared: |_, old, new| if old == new { None } else { Some(SHARED) },
    ..Definition::new(&["daily"], &[Kind::Account], MadeOf::Events, schema)
};

/// The table as a fold fills it.
fn schema(fold: u16) -> Cow<'static, str> {
    if fold == 1 { v1::SCHEMA.into() } else { v2::SCHEMA.into() }
}

/// What a fold tells of an account's days up to one: shard, account, day. The last column is whether that is all that counts
/// by then, and not only what was moved.
pub(crate) const fn at(fold: u16) -> &'static str {
    match fold {
        1 => v1::AT,
        _ => v2::AT,
    }
}

/// The rows that two different folds have in common: none.
const SHARED: &str = "false";

/// The days of the years 1 to 9999, which are those that the log takes.
const DAYS: [i32; 2] = [-719_162, 2_932_896];

/// The day of a moment: days since 1970-01-01, UTC.
pub(crate) fn day_of(at: Timestamp) -> i32 {
    Day::of(at).number()
}

/// The last millisecond of a day.
pub(crate) fn end_of(day: i32) -> Timestamp {
    let [first, last] = DAYS;
    let next = i64::from(day.clamp(first - 1, last)) + 1;
    Timestamp::from_ms(next * DAY_MS - 1)
}

/// The entries of a page.
#[derive(Default)]
pub(crate) struct Daily(Vec<Entry>);

struct Entry {
    account: u128,
    n: u32,
    delta: i64,
    /// The day on which it was recorded, and that on which it counts.
    recorded: i32,
    counts: i32,
}

impl Projection for Daily {
    type Kept = ();

    fn event(&mut self, happened: &Happened) {
        let Some(entry) = happened.entry() else { return };
        let [recorded, counts] = [happened.recorded_at, happened.effective_at].map(day_of);
        let (account, n, delta) = (happened.key.id, happened.version, entry.delta);
        self.0.push(Entry { account, n, delta, recorded, counts });
    }

    async fn save(&self, to: &Target<'_, '_>, _: &[Changed], (): &mut ()) -> Result<(), Error> {
        match to.tables.fold(Model::DAILY) {
            1 => v1::save(&self.0, to).await,
            _ => v2::save(&self.0, to).await,
        }
    }
}

/// What a page adds to days, by account and day.
#[derive(Default)]
struct Days(BTreeMap<(u128, i32), Sum>);

#[derive(Default)]
struct Sum {
    delta: i64,
    entries: i32,
    last_n: u32,
}

impl Days {
    /// Adds an entry to `day`.
    fn add(&mut self, day: i32, entry: &Entry) {
        let sum = self.0.entry((entry.account, day)).or_default();
        // Nine million of the largest amounts would have to come in one page before this does not fit.
        sum.delta = sum.delta.saturating_add(entry.delta);
        sum.entries += 1;
        sum.last_n = entry.n;
    }

    /// Takes an entry from `day`.
    fn take(&mut self, day: i32, entry: &Entry) {
        let sum = self.0.entry((entry.account, day)).or_default();
        sum.delta = sum.delta.saturating_sub(entry.delta);
        sum.entries -= 1;
    }

    /// Writes them by `sql`.
    async fn save(&self, to: &Target<'_, '_>, sql: &str) -> Result<(), Error> {
        let accounts: Vec<_> = self.0.keys().map(|(account, _)| Uuid::from_u128(*account)).collect();
        let days: Vec<_> = self.0.keys().map(|(_, day)| *day).collect();
        let deltas: Vec<_> = self.0.values().map(|sum| sum.delta).collect();
        let entries: Vec<_> = self.0.values().map(|sum| sum.entries).collect();
        let last: Vec<_> = self.0.values().map(|sum| sql::to_i32(sum.last_n)).collect();
        let params: &sql::Columns<'_> = &[&accounts, &days, &deltas, &entries, &last];
        sql::write(to, sql, params, accounts.len()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_ends_right_before_midnight() {
        let table = [(0, 0), (DAY_MS - 1, 0), (DAY_MS, 1), (-1, -1), (-DAY_MS, -1), (-DAY_MS - 1, -2)];
        for (ms, day) in table {
            assert_eq!(day_of(Timestamp::from_ms(ms)), day, "{ms}");
            assert_eq!(day_of(end_of(day)), day, "{ms}");
            assert_eq!(end_of(day).ms().rem_euclid(DAY_MS), DAY_MS - 1, "{ms}");
        }
    }

    #[test]
    fn the_end_of_any_day_is_a_time_that_the_log_takes() {
        let [first, last] = DAYS;
        assert_eq!((day_of(end_of(i32::MAX)), day_of(end_of(i32::MIN))), (last, first - 1));
    }
}
