//! To-dos of the processes (job queue): which processes have work, how much, and the due steps in their order.

use daybook_domain::process::Process;
use daybook_domain::{PlatformId, Timestamp};
use daybook_log::Shard;
use daybook_pg::Transaction;
use daybook_pg::types::TimestampMs;
use tokio_postgres::Row;
use uuid::Uuid;

use super::Lists;
use crate::error::Error;
use crate::models::{to_dos, waiting};
use crate::store::sql;
use crate::store::version::Tables;

/// A step that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// Id of the aggregate of the step.
    pub id: u128,
    /// Time at which it became due.
    pub due_at: Timestamp,
    /// Number of the step, in the numbering of its process.
    pub step: i16,
}

/// Position in the order of due steps: due time, then id.
pub type DuePosition = (Timestamp, u128);

/// Query for due steps of one process.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The process.
    pub process: Process,
    /// Only steps of this platform, by its clock; none for all platforms.
    pub platform: Option<PlatformId>,
    /// Present time: that of the platform's clock if one is named.
    pub now: Timestamp,
    /// Position in the order after which the result begins.
    pub after: DuePosition,
    /// Maximum number of steps.
    pub limit: u16,
}

/// Due work of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// The process.
    pub process: Process,
    /// Number of due steps; at most 10,000 are counted.
    pub count: u64,
    /// Time at which the oldest of them became due.
    pub since: Timestamp,
}

impl Lists {
    /// Returns due steps of a process, the longest due first.
    ///
    /// The rows stay locked until `tx` ends; rows that another database transaction has locked are skipped. The runner
    /// waits for a locked row that it has to change, so the caller ends `tx` soon after it submitted the command. Steps
    /// of settlement are many and are done together: their rows are not locked, but until `tx` ends no other caller
    /// gets any of them.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn due(
        &self,
        tx: &Transaction<'_>,
        shard: Shard,
        question: Question,
    ) -> Result<Vec<Due>, Error> {
        let due = due(tx, &*self.store.tables(shard).await?, shard, question).await;
        // The database transaction is lost; the next one uses the right table.
        if due.as_ref().is_err_and(Error::is_dropped) {
            self.store.reload_versions(shard).await?;
        }
        due
    }

    /// Returns the processes that have due steps at `now`, for one platform or all.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn any_due(
        &self,
        shard: Shard,
        platform: Option<PlatformId>,
        now: Timestamp,
    ) -> Result<Vec<Process>, Error> {
        let platform = platform.map(Uuid::from);
        let (codes, release, now) = (codes_of_to_dos(), Process::Release.code(), TimestampMs(now.ms()));
        let params: &sql::Params<'_> = &[&shard, &codes, &release, &now, &platform];
        self.store.ask(shard, to_dos::ANY, params).await?.iter().map(process).collect()
    }

    /// Returns the due work of each process at `now`. A process without due steps is left out.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn backlog(&self, shard: Shard, now: Timestamp) -> Result<Vec<Backlog>, Error> {
        let (now, codes) = (TimestampMs(now.ms()), codes_of_to_dos());
        let mut rows = self.store.ask(shard, to_dos::BACKLOG, &[&shard, &codes, &now]).await?;
        let params: &sql::Params<'_> = &[&shard, &Process::Release.code(), &now];
        rows.extend(self.store.ask(shard, waiting::BACKLOG, params).await?);
        let parse = |row: &Row| {
            let since: TimestampMs = row.try_get(2)?;
            let (process, count) = (process(row)?, sql::to_u64(row.try_get(1)?));
            Ok(Backlog { process, count, since: Timestamp::from_ms(since.0) })
        };
        rows.iter().map(parse).collect()
    }
}

/// Returns the codes of the processes with rows in this table. Queued transactions are in another one.
fn codes_of_to_dos() -> Vec<i16> {
    Process::ALL.into_iter().filter(|process| *process != Process::Release).map(Process::code).collect()
}

/// Returns the process that has the code in the first column.
fn process(row: &Row) -> Result<Process, Error> {
    let code: i16 = row.try_get(0)?;
    let process = Process::ALL.into_iter().find(|process| process.code() == code);
    process.ok_or(Error::Misread { table: "to_dos" })
}

/// Reads due steps.
async fn due(
    tx: &Transaction<'_>,
    tables: &Tables,
    shard: Shard,
    question: Question,
) -> Result<Vec<Due>, Error> {
    let sql = match question.process {
        Process::Release => waiting::DUE,
        Process::Settlement => to_dos::DUE_ALONE,
        Process::Verification
        | Process::Submission
        | Process::Delivery
        | Process::Statement
        | Process::Booking
        | Process::Matching
        | Process::Retention => to_dos::DUE,
    };
    let Question { process, platform, now, after: (after, after_id), limit } = question;
    let (now, after, after_id) = (TimestampMs(now.ms()), TimestampMs(after.ms()), Uuid::from_u128(after_id));
    let platform = platform.map(Uuid::from);
    let statement = tx.prepare_cached(&tables.sql(sql)).await?;
    let params: &sql::Params<'_> =
        &[&shard, &process.code(), &now, &after, &after_id, &i64::from(limit), &platform];
    let parse = |row: &Row| {
        Ok(Due {
            id: row.try_get::<_, Uuid>(0)?.as_u128(),
            due_at: Timestamp::from_ms(row.try_get::<_, TimestampMs>(1)?.0),
            step: row.try_get(2)?,
        })
    };
    tx.query(&statement, params).await?.iter().map(parse).collect()
}
