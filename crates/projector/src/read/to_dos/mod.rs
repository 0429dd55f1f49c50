//! To-dos: what the processes have to do, as the domain tells it from a state; gone when the state no longer says so.

mod v1;

use daybook_domain::process::Process;
use daybook_domain::{PlatformId, Timestamp};
use daybook_log::Shard;
use daybook_pg::types::TimestampMs;
use daybook_pg::{Client, Transaction};
use tokio_postgres::Row;
use uuid::Uuid;
pub(crate) use v1::ToDos;

use crate::Reads;
use crate::error::Error;
use crate::read::waiting;
use crate::sql;
use crate::version::Tables;

/// The table.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// Something that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The aggregate that it is to be done to.
    pub id: u128,
    /// Since when.
    pub due_at: Timestamp,
    /// Which step, in the process's own numbering.
    pub step: i16,
}

/// A place in the order in which things are due: the moment, then the id.
pub type Place = (Timestamp, u128);

/// What is asked for: a process, perhaps one platform's alone, until when, after which place, and how much at most.
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

/// What is due by the wall's clock, of each process that has something to do.
pub(crate) async fn backlog(
    db: &Client,
    tables: &Tables,
    shard: Shard,
    now: Timestamp,
) -> Result<Vec<Backlog>, Error> {
    let (now, codes) = (TimestampMs(now.ms()), codes_of_to_dos());
    let statement = db.prepare_cached(&tables.sql(include_str!("backlog.sql"))).await?;
    let mut rows = db.query(&statement, &[&shard, &codes, &now]).await?;
    let statement = db.prepare_cached(&tables.sql(waiting::BACKLOG)).await?;
    rows.extend(db.query(&statement, &[&shard, &Process::Release.code(), &now]).await?);
    let parse = |row: &Row| {
        let since: TimestampMs = row.try_get(2)?;
        let (process, count) = (process(row)?, sql::to_u64(row.try_get(1)?));
        Ok(Backlog { process, count, since: Timestamp::from_ms(since.0) })
    };
    rows.iter().map(parse).collect()
}

/// The processes that have something to do, for one platform or all.
pub(crate) async fn any(
    reads: &Reads,
    shard: Shard,
    platform: Option<PlatformId>,
    now: Timestamp,
) -> Result<Vec<Process>, Error> {
    let platform = platform.map(|platform| Uuid::from_u128(platform.as_u128()));
    let (codes, release, now) = (codes_of_to_dos(), Process::Release.code(), TimestampMs(now.ms()));
    let rows =
        reads.ask(shard, include_str!("any.sql"), &[&shard, &codes, &release, &now, &platform]).await?;
    rows.iter().map(process).collect()
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
pub(crate) async fn due(
    tx: &Transaction<'_>,
    tables: &Tables,
    shard: Shard,
    question: Question,
) -> Result<Vec<Due>, Error> {
    let sql = match question.process {
        Process::Release => waiting::DUE,
        Process::Settlement => include_str!("due_alone.sql"),
        Process::Verification | Process::Submission | Process::Delivery | Process::Statement => {
            include_str!("due.sql")
        }
    };
    let Question { process, platform, now, after: (after, after_id), limit } = question;
    let (now, after, after_id) = (TimestampMs(now.ms()), TimestampMs(after.ms()), Uuid::from_u128(after_id));
    let platform = platform.map(|platform| Uuid::from_u128(platform.as_u128()));
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
