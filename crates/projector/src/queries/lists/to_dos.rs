//! What the processes have to do: which of them, how much, and the next steps in the order in which they are due.

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
    /// The aggregate that it is to be done to.
    pub id: u128,
    /// Since when.
    pub due_at: Timestamp,
    /// Which step, in the process's own numbering.
    pub step: i16,
}

/// A place in the order in which steps are due: the moment, then the id.
pub type Place = (Timestamp, u128);

/// A question for due steps: of one process, perhaps of one platform alone, until when, after which place, and at most
/// how many.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The process.
    pub process: Process,
    /// Only what is due by this platform's clock.
    pub platform: Option<PlatformId>,
    /// What time it is, for the platform if one is named.
    pub now: Timestamp,
    /// What comes after this place.
    pub after: Place,
    /// At most so much.
    pub limit: u16,
}

/// How much one process has to do that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// The process.
    pub process: Process,
    /// How many, but no more than ten thousand are counted.
    pub count: u64,
    /// Since when the first of them is due.
    pub since: Timestamp,
}

impl Lists {
    /// What a process has to do, the longest due first.
    ///
    /// The rows stay locked until `tx` ends, and rows that another `tx` has locked are passed over. The runner waits
    /// for a locked row that it has to change: end `tx` soon after the command was submitted. Steps of transactions are many
    /// and done together: their rows are not locked, but as long as `tx` has not ended nobody else is told of any.
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
        // The transaction is lost; the next one asks the right table.
        if due.as_ref().is_err_and(Error::is_dropped) {
            self.store.look_at_versions(shard).await?;
        }
        due
    }

    /// The processes that have something to do at `now`, for one platform or all.
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

    /// How much each process has to do that is due at `now`; a process that has nothing to do is not there.
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

/// The processes with rows of this table: what is held back waits in another.
fn codes_of_to_dos() -> Vec<i16> {
    Process::ALL.into_iter().filter(|process| *process != Process::Release).map(Process::code).collect()
}

/// The process whose code is in the first column.
fn process(row: &Row) -> Result<Process, Error> {
    let code: i16 = row.try_get(0)?;
    let process = Process::ALL.into_iter().find(|process| process.code() == code);
    process.ok_or(Error::Misread { table: "to_dos" })
}

/// Takes what is due.
async fn due(
    tx: &Transaction<'_>,
    tables: &Tables,
    shard: Shard,
    question: Question,
) -> Result<Vec<Due>, Error> {
    let sql = match question.process {
        Process::Release => waiting::DUE,
        Process::Settlement => to_dos::DUE_ALONE,
        Process::Verification | Process::Submission | Process::Delivery | Process::Statement => to_dos::DUE,
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
