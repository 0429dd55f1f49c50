//! Daily: entries whose effective day is not the day on which they were recorded.
//!
//! The balance of an account at the end of a day is the balance by the entries recorded until then, plus the amounts
//! that were moved to days up to it, minus the amounts that were moved away from these days. An entry may come
//! arbitrarily late, and an entry that counts on the day of its recording needs no row.
//!
//! Fold 1 stores the sum of each day, which nearly every entry updates. It feeds the table of a database that is older
//! than fold 2, until that table is rebuilt and dropped.

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
use crate::models::projection::{ChangedRecord, Projection};
use crate::store::model::{Definition, MadeOf};
use crate::store::recorded_event::RecordedEvent;
use crate::store::sql::{self, Target};

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition {
    fold: 2,
    compared: |_, old, new| if old == new { None } else { Some(SHARED) },
    ..Definition::new(&["daily"], &[Kind::Account], MadeOf::Events, schema)
};

/// Returns the statements that create the table of a fold.
fn schema(fold: u16) -> Cow<'static, str> {
    if fold == 1 { v1::SCHEMA.into() } else { v2::SCHEMA.into() }
}

/// Returns the query for an account's sum up to a day: shard, account, day. The last column of its result is true if
/// the sum contains all entries that count by then, false if it contains only those that were moved.
pub(crate) const fn at(fold: u16) -> &'static str {
    match fold {
        1 => v1::AT,
        _ => v2::AT,
    }
}

/// Condition on the rows that two different folds have in common: there are none.
const SHARED: &str = "false";

/// First and last day, of the years 1 to 9999: the range of times that the log accepts.
const DAYS: [i32; 2] = [-719_162, 2_932_896];

/// Returns the day of a moment: days since 1970-01-01, UTC.
pub(crate) fn day_of(at: Timestamp) -> i32 {
    Day::of(at).number()
}

/// Returns the last millisecond of a day.
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
    /// Day of the recording, and day on which the entry counts.
    recorded: i32,
    counts: i32,
}

impl Projection for Daily {
    type Carry = ();

    fn event(&mut self, happened: &RecordedEvent) {
        let Some(entry) = happened.entry() else { return };
        let [recorded, counts] = [happened.recorded_at, happened.effective_at].map(day_of);
        let (account, n, delta) = (happened.key.id, happened.version, entry.delta);
        self.0.push(Entry { account, n, delta, recorded, counts });
    }

    async fn save(&self, to: &Target<'_, '_>, _: &[ChangedRecord], (): &mut ()) -> Result<(), Error> {
        match to.tables.fold(Model::DAILY) {
            1 => v1::save(&self.0, to).await,
            _ => v2::save(&self.0, to).await,
        }
    }
}

/// Sums by account and day that a page adds.
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
        // A page would need nine million entries of the largest amount to overflow this sum.
        sum.delta = sum.delta.saturating_add(entry.delta);
        sum.entries += 1;
        sum.last_n = entry.n;
    }

    /// Subtracts an entry from `day`.
    fn take(&mut self, day: i32, entry: &Entry) {
        let sum = self.0.entry((entry.account, day)).or_default();
        sum.delta = sum.delta.saturating_sub(entry.delta);
        sum.entries -= 1;
    }

    /// Writes the sums with the statement `sql`.
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
    fn day_ends_right_before_midnight() {
        let table = [(0, 0), (DAY_MS - 1, 0), (DAY_MS, 1), (-1, -1), (-DAY_MS, -1), (-DAY_MS - 1, -2)];
        for (ms, day) in table {
            assert_eq!(day_of(Timestamp::from_ms(ms)), day, "{ms}");
            assert_eq!(day_of(end_of(day)), day, "{ms}");
            assert_eq!(end_of(day).ms().rem_euclid(DAY_MS), DAY_MS - 1, "{ms}");
        }
    }

    #[test]
    fn end_of_any_day_is_within_range() {
        let [first, last] = DAYS;
        assert_eq!((day_of(end_of(i32::MAX)), day_of(end_of(i32::MIN))), (last, first - 1));
    }
}
