//! Checks of tables that are not read models. [`super::coverage`] lists them.

use std::time::Duration;

use daybook_log::Shard;
use daybook_pg::{Pg, Transaction};
use daybook_projector::{Model, Reads, Stage};

use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::coverage::{Check, TABLES, Tables};
use crate::error::Error;

/// Number of attempts before a difference is reported: a concurrent change must not be reported as one.
const MAX_CHECKS: u32 = 3;
const RECHECK_INTERVAL: Duration = Duration::from_millis(700);
/// Settings of the transaction of a check. It has no timeout, because a check reads a whole table.
const SETTINGS: &str = "set transaction read only; set local statement_timeout = 0";
/// Statement that lists the existing tables of read models.
const MODEL_TABLES: &str = include_str!("sql/model_tables.sql");

/// Result of a check.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) table: &'static str,
    /// Statement that is true if nothing was found.
    pub(super) says: &'static str,
    pub(super) is_strict: bool,
    /// Number of rows that contradict it.
    pub(super) differing: u64,
    /// The first of these rows, as JSON.
    pub(super) rows: Vec<String>,
}

/// Runs every check of a shard.
pub(super) async fn of_shard(
    reads: &Reads,
    pg: &Pg,
    shard: Shard,
    limit: u64,
) -> Result<Vec<Checked>, Error> {
    let mut found = vec![];
    for table in &TABLES {
        for check in table.checks {
            let Check { says, is_strict, .. } = *check;
            let (differing, rows) =
                with_rechecks(async || rows_of(reads, pg, shard, check, limit).await).await?;
            found.push(Checked { table: table.name, says, is_strict, differing, rows });
        }
    }
    Ok(found)
}

/// Checks the versions of all shards together, because they share tables.
pub(super) async fn versions(reads: &Reads, pg: &Pg, shards: &[Shard]) -> Result<Checked, Error> {
    let (differing, rows) = with_rechecks(async || wrong_versions(reads, pg, shards).await).await?;
    let says = "one version of each read model is active, and exactly the tables of the versions exist";
    Ok(Checked { table: "projection", says, is_strict: true, differing, rows })
}

type CheckResult = (u64, Vec<String>);

async fn with_rechecks(look: impl AsyncFn() -> Result<CheckResult, Error>) -> Result<CheckResult, Error> {
    let mut found = look().await?;
    for _ in 1..MAX_CHECKS {
        if found.0 == 0 {
            break;
        }
        tokio::time::sleep(RECHECK_INTERVAL).await;
        found = look().await?;
    }
    Ok(found)
}

async fn rows_of(
    reads: &Reads,
    pg: &Pg,
    shard: Shard,
    check: &Check,
    limit: u64,
) -> Result<CheckResult, Error> {
    let about = reads.store().with_active_tables(shard, check.sql).await?;
    let (server, at_home) = match check.reads {
        Tables::OfShard => (pg.of(shard), None),
        Tables::AtHome => (pg.home(), None),
        Tables::OfBoth(sql) => (pg.of(shard), Some(rows_at_home(pg, shard, sql).await?)),
    };
    // At least one row is read, because it contains the number of all rows.
    let limit = i64::try_from(limit.max(1)).unwrap_or(i64::MAX);
    let mut given: Vec<&(dyn ToSql + Sync)> = vec![&shard];
    given.extend(at_home.iter().map(|rows| rows as &(dyn ToSql + Sync)));
    given.push(&limit);
    let text = format!(
        "with found as (\n{about})
         select (select count(*) from found), row_to_json(found)::text from found limit ${}",
        given.len()
    );
    let rows = query(&server, &text, &given).await?;
    let get = |row: &Row| row.try_get(1).map_err(daybook_pg::Error::from);
    let differing = rows.first().map(|row| row.try_get::<_, i64>(0)).transpose();
    let differing = differing.map_err(daybook_pg::Error::from)?.unwrap_or_default();
    Ok((differing.unsigned_abs(), rows.iter().map(get).collect::<Result<_, _>>()?))
}

/// Returns the rows that a statement about the shard finds at home, as a JSON array.
async fn rows_at_home(pg: &Pg, shard: Shard, sql: &str) -> Result<String, Error> {
    let text = format!("select coalesce(json_agg(found), '[]')::text from (\n{sql}) found");
    let rows = query(&pg.home(), &text, &[&shard]).await?;
    let rows = rows.first().map(|row| row.try_get(0)).transpose().map_err(daybook_pg::Error::from)?;
    Ok(rows.unwrap_or_default())
}

async fn query(server: &Pg, text: &str, given: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, Error> {
    let work = async |tx: &Transaction<'_>| {
        tx.batch_execute(SETTINGS).await.map_err(daybook_pg::Error::from)?;
        tx.query(text, given).await.map_err(daybook_pg::Error::from)
    };
    Ok(server.tx("reconcile.check", work).await?)
}

/// Finds versions without tables, tables without versions, and read models without exactly one active version.
async fn wrong_versions(reads: &Reads, pg: &Pg, shards: &[Shard]) -> Result<CheckResult, Error> {
    let mut versions = vec![];
    for shard in shards {
        versions.extend(reads.versions().all(*shard).await?.into_iter().map(|version| (*shard, version)));
    }
    let has_tables = |stage| !matches!(stage, Stage::Planned | Stage::Dropped);
    let mut found = vec![];
    let lacking = |these: &[String], those: &[String], what: &str| {
        let lacking =
            these.iter().filter(|table| !those.contains(table)).map(|table| (table.clone(), what.to_owned()));
        lacking.collect::<Vec<_>>()
    };
    for server in pg.servers() {
        let placement = server.placement();
        let here =
            versions.iter().filter(|(shard, version)| placement.has(*shard) && has_tables(version.stage));
        let expected: Vec<String> = here.flat_map(|(_, version)| version.tables()).collect();
        let rows = server.client().await?.query(MODEL_TABLES, &[]).await.map_err(daybook_pg::Error::from)?;
        let there = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<String>, _>>();
        let there = there.map_err(daybook_pg::Error::from)?;
        found.extend(lacking(&expected, &there, "is missing"));
        found.extend(lacking(&there, &expected, "belongs to no version"));
    }
    for (shard, model) in shards.iter().flat_map(|shard| Model::ALL.map(|model| (*shard, model))) {
        let is_read = |(of, one): &&(Shard, daybook_projector::Version)| {
            *of == shard && one.model == model && one.stage == Stage::Active
        };
        let read = versions.iter().filter(is_read).count();
        if read != 1 {
            found.push((model.to_string(), format!("{read} versions are read in shard {shard}")));
        }
    }
    let rows: Vec<_> = found
        .iter()
        .map(|(table, what)| serde_json::json!({ "table": table, "what": what }).to_string())
        .collect();
    Ok((rows.len() as u64, rows))
}
