//! `daybook projection`: builds, compares and switches versions of read models while the service runs (blue-green
//! rebuild).

mod choose;
pub(crate) mod diff;
mod list;
pub(crate) mod rebuild;

use std::sync::Arc;

use daybook_domain::Kind;
use daybook_log::Log;
use daybook_log::postgres::PostgresLog;
use daybook_pg::{Pg, Role};
use daybook_projector::{Allowed, Reads, Runner};
use tokio::sync::watch;

use crate::config::{Database as Options, Projection};
use crate::database::{Database, unless_stopped};
use crate::error::Error;

/// Runs the command.
///
/// # Errors
///
/// Fails if the database cannot be reached, versions differ, or the command is refused.
pub async fn run(command: Projection) -> Result<(), Error> {
    match command {
        Projection::List { json, database } => list::list(json, &database).await,
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

/// Runs `work` with the read models in the database of `options`. Events are projected meanwhile, so no service needs
/// to run.
async fn with_reads<T>(
    options: &Options,
    work: impl AsyncFnOnce(Reads) -> Result<T, Error>,
) -> Result<T, Error> {
    with_database(options, async |reads, _| unless_stopped(work(reads)).await).await
}

/// Runs `work` with the read models and the database. `work` itself reacts to a request to stop.
pub(crate) async fn with_database<T>(
    options: &Options,
    work: impl AsyncFnOnce(Reads, Pg) -> Result<T, Error>,
) -> Result<T, Error> {
    let database = Database::open(options).await?;
    let done = fed(&database, work).await;
    database.leave().await?;
    done
}

async fn fed<T>(
    database: &Database,
    work: impl AsyncFnOnce(Reads, Pg) -> Result<T, Error>,
) -> Result<T, Error> {
    let pg = database.pg.acting_as(Role::Projector);
    let log = PostgresLog::new(pg.clone()).omit_boxes_of(&Kind::LARGE_PAYLOADS.map(Kind::code));
    let log: Arc<dyn Log> = Arc::new(log);
    let reads = Reads::new(pg.clone(), log);
    unless_stopped(async { Ok(reads.versions().install(daybook_engine::SHARD).await?) }).await?;
    let (stop, stopped) = watch::channel(false);
    let runner = tokio::spawn(Runner::new(reads.store(), daybook_engine::SHARD).run(stopped));
    let done = work(reads, pg).await;
    stop.send_replace(true);
    runner.await.map_err(std::io::Error::other)?;
    done
}
