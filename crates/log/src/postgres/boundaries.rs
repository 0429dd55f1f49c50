//! Check of the two ends of the log, before the log is served. It detects a restore that lacks rows of one table but
//! not of the other.

use super::PostgresLog;
use super::rows::number;
use crate::{Error, Position, Shard};

impl PostgresLog {
    /// Checks that events and commits begin and end together. Only a verification checks the rows in between.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if they do not; [`Error`] if the database cannot be read.
    pub async fn verify_boundaries(&self, shard: Shard) -> Result<(), Error> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/read_ends.sql")).await?;
        let row = client.query_one(&statement, &[&shard]).await?;
        let [first, last, commit, head] =
            ["first_position", "last_position", "first_commit", "head"].map(|name| number(&row, name));
        let (first, last, commit, head) = (first?, last?, commit?, head?);
        let corrupt = |position: Position, what: String| Err(Error::Corrupt { position, what });
        match row.try_get("is_there")? {
            false => corrupt(0, "there is no such shard".to_owned()),
            true if first != 1 => corrupt(0, format!("the first event is at position {first}")),
            true if commit != 1 => corrupt(0, format!("the first commit is number {commit}")),
            true if last != head => {
                corrupt(last.min(head), format!("events end at {last}, commits at {head}"))
            }
            true => Ok(()),
        }
    }
}
