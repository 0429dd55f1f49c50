//! Check of shards: rows that an addition writes, and platforms that have a shard.

use std::fmt::Write as _;

use daybook_log::postgres::PostgresLog;
use daybook_log::{FIRST_SHARD, Shard};
use daybook_pg::{Error as PgError, Pg};
use daybook_projector::Model;
use serde_json::{Value, json};

use crate::error::Error;
use crate::out::Output;
use crate::places::named;
use crate::shards::require;

/// Something that a shard lacks.
pub(super) struct Missing {
    shard: Shard,
    what: &'static str,
}

/// Returns what `shard` lacks; without a number, what all shards lack, and shards that platforms name but that are not
/// there.
pub(super) async fn missing(pg: &Pg, shard: Option<Shard>) -> Result<Vec<Missing>, Error> {
    let log = PostgresLog::new(pg.clone());
    let all = log.shards().await?;
    let mut missing = vec![];
    if let Some(shard) = shard {
        require(shard, &all)?;
    } else {
        missing.extend(absent(pg, &all).await?);
    }
    let first = origin(&log, FIRST_SHARD).await?;
    for shard in all.into_iter().filter(|one| shard.is_none_or(|shard| shard == *one)) {
        let client = pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/check.sql")).await.map_err(PgError::from)?;
        let row = client.query_one(&statement, &[&shard]).await.map_err(PgError::from)?;
        let is_there = |column: &str| row.try_get::<_, bool>(column).map_err(PgError::from);
        let models: i64 = row.try_get("models").map_err(PgError::from)?;
        let is_signed = match (&first, origin(&log, shard).await?) {
            (Some(first), Some(own)) => shard == FIRST_SHARD || own == of_shard(first, shard),
            (None, None) => true,
            _ => false,
        };
        let found = [
            (is_there("has_duty")?, "singleton processes (table duty)"),
            (is_there("has_cursor")?, "the cursor of read models (table cursor)"),
            (usize::try_from(models) == Ok(Model::ALL.len()), "an active version of each read model"),
            (is_signed, "a signing key under an origin of its own (table signing_key)"),
        ];
        let lacks = found.into_iter().filter(|(is_there, _)| !is_there);
        missing.extend(lacks.map(|(_, what)| Missing { shard, what }));
    }
    Ok(missing)
}

/// Returns the shards that a platform or a state names and that are not in the database.
async fn absent(pg: &Pg, shards: &[Shard]) -> Result<Vec<Missing>, Error> {
    let absent = named(pg).await?.into_iter().filter(|shard| !shards.contains(shard));
    Ok(absent.map(|shard| Missing { shard, what: "everything: it is named, but not there" }).collect())
}

async fn origin(log: &PostgresLog, shard: Shard) -> Result<Option<String>, Error> {
    Ok(log.signing_keys(shard).await?.first().map(|key| key.name().to_owned()))
}

/// Returns the origin of `shard` for the origin of the first shard.
fn of_shard(first: &str, shard: Shard) -> String {
    first.rsplit_once('/').map_or_else(String::new, |(begin, _)| format!("{begin}/{shard}"))
}

/// Returns the result as JSON and as text.
pub(super) fn output(missing: &[Missing]) -> Output {
    let record: Vec<Value> =
        missing.iter().map(|one| json!({"shard": one.shard, "missing": one.what})).collect();
    let mut text = String::new();
    for Missing { shard, what } in missing {
        let _ = writeln!(text, "shard {shard} lacks {what}");
    }
    if missing.is_empty() {
        text.push_str("Every shard has all it needs.");
    } else {
        text.push_str("daybook migrate and a start of the service complete a shard.");
    }
    (record.into(), text)
}
