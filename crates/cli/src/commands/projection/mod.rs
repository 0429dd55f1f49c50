//! `daybook projection`: builds, compares and switches versions of read models while the service runs (blue-green
//! rebuild).

mod choose;
pub(crate) mod diff;
mod list;
pub(crate) mod rebuild;

use std::sync::Arc;

use daybook_domain::Kind;
use daybook_log::postgres::PostgresLog;
use daybook_log::{Log, Shard};
use daybook_pg::{Pg, Role};
use daybook_projector::{Allowed, Reads, Runner};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::config::{Database as Options, Projection, ProjectionOptions, ShardOption};
use crate::database::{Database, unless_stopped};
use crate::error::Error;
use crate::shards::chosen;

/// Runs the command.
///
/// # Errors
///
/// Fails if the database cannot be reached, versions differ, or the command is refused.
pub async fn run(command: Projection) -> Result<(), Error> {
    match command {
        Projection::List { of, json, database } => list::list(of, json, &database).await,
        Projection::Rebuild(options) => rebuild::rebuild(&options).await,
        Projection::Diff(options) => diff::diff(&options).await,
        Projection::Switch { although_it_differs: differences, uncompared, one } => {
            let allowed = Allowed { differences, not_compared: uncompared.not_compared };
            choose::switch(&allowed, &one).await
        }
        Projection::Rollback(one) => choose::roll_back(&one).await,
        Projection::Drop { version, one } => choose::drop(version, &one).await,
    }
}

/// Runs `work` for each of the shards that `one` names, with the read models in its database. Events are projected
/// meanwhile, so no service needs to run. Returns the results by shard.
async fn with_reads<T>(
    one: &ProjectionOptions,
    work: impl AsyncFn(&Reads, Shard) -> Result<T, Error>,
) -> Result<Vec<(Shard, T)>, Error> {
    with_database(&one.database, one.of, async |reads, _, shards| {
        let mut results = vec![];
        for shard in shards {
            results.push((shard, unless_stopped(work(&reads, shard)).await?));
        }
        Ok(results)
    })
    .await
}

/// Runs `work` with the read models, the database and the shards that `of` names. `work` itself reacts to a request to
/// stop.
pub(crate) async fn with_database<T>(
    options: &Options,
    of: ShardOption,
    work: impl AsyncFnOnce(Reads, Pg, Vec<Shard>) -> Result<T, Error>,
) -> Result<T, Error> {
    let database = Database::open(options).await?;
    let done = fed(&database, of, work).await;
    database.leave().await?;
    done
}

async fn fed<T>(
    database: &Database,
    of: ShardOption,
    work: impl AsyncFnOnce(Reads, Pg, Vec<Shard>) -> Result<T, Error>,
) -> Result<T, Error> {
    let pg = database.pg.acting_as(Role::Projector);
    let log = PostgresLog::new(pg.clone()).omit_boxes_of(&Kind::LARGE_PAYLOADS.map(Kind::code));
    let shards = unless_stopped(chosen(&log, of.shard)).await?;
    let log: Arc<dyn Log> = Arc::new(log);
    let reads = Reads::new(pg.clone(), log);
    pg.serves(&shards);
    let stop = watch::Sender::new(false);
    let mut runners = JoinSet::new();
    for shard in &shards {
        unless_stopped(async { Ok(reads.versions().install(*shard).await?) }).await?;
        runners.spawn(Runner::new(reads.store(), *shard).run(stop.subscribe()));
    }
    let done = work(reads, pg, shards).await;
    stop.send_replace(true);
    while let Some(ended) = runners.join_next().await {
        ended.map_err(std::io::Error::other)?;
    }
    done
}
