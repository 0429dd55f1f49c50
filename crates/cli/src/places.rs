//! Places of shards: every shard is on the server on which this process looks for it, and on no other.

use daybook_log::Shard;
use daybook_log::postgres::{Misplaced, PostgresLog, shards_on};
use daybook_pg::{Causes, Error as PgError, Pg, Role};

use crate::error::Error;

/// Checks the places of all shards, before anything is written. With `may_lack`, a server other than home may be
/// unavailable: its shards are then not checked.
///
/// # Errors
///
/// [`Error::Usage`] with one sentence if a shard is on another server, or on none although a platform is in it.
pub(crate) async fn check(pg: &Pg, may_lack: bool) -> Result<(), Error> {
    let pg = pg.acting_as_first_of(&[Role::App, Role::Auditor]).await?;
    let (mut shards, mut unknown) = (vec![], vec![]);
    for server in pg.servers() {
        match shards_on(&server).await {
            Ok((here, None)) => shards.extend(here),
            Ok((_, Some(stray))) => return Err(usage(&stray)),
            Err(error) if may_lack && error.is_outage() && !server.placement().has_home() => {
                tracing::warn!(server = %server.placement(), error = %Causes(&error), "a server is not available");
                unknown.push(server.placement());
            }
            Err(error) => return Err(error.into()),
        }
    }
    let is_unknown = |shard: &Shard| unknown.iter().any(|placement| placement.has(*shard));
    let named = named(&pg).await?;
    match named.into_iter().find(|shard| !shards.contains(shard) && !is_unknown(shard)) {
        Some(shard) => Err(usage(&Misplaced::Nowhere(shard))),
        None => Ok(()),
    }
}

/// Returns the shards that servers have at present, in order, without those of servers that are not available. A shard with
/// events on another server as well is left out.
///
/// # Errors
///
/// Fails if home is not available.
pub(crate) async fn available(log: &PostgresLog) -> Result<Vec<Shard>, daybook_log::Error> {
    let mut shards = vec![];
    for server in log.servers() {
        match shards_on(&server).await {
            Ok((here, None)) => shards.extend(here),
            Ok((_, Some(stray))) => tracing::error!(%stray, "the shards of a server are not served"),
            Err(error) if server.placement().has_home() => return Err(error),
            Err(error) => {
                tracing::warn!(server = %server.placement(), error = %Causes(&error), "a server is not available");
            }
        }
    }
    shards.sort_unstable();
    Ok(shards)
}

/// Returns the shards that a platform or a state names.
///
/// # Errors
///
/// Fails if the database is unavailable.
pub(crate) async fn named(pg: &Pg) -> Result<Vec<Shard>, Error> {
    let client = pg.home().client().await?;
    let statement = client.prepare_cached(include_str!("named_shards.sql")).await.map_err(PgError::from)?;
    let rows = client.query(&statement, &[]).await.map_err(PgError::from)?;
    rows.iter().map(|row| row.try_get("shard").map_err(|error| PgError::from(error).into())).collect()
}

fn usage(misplaced: &Misplaced) -> Error {
    Error::Usage(misplaced.to_string())
}
