//! `daybook reconcile replay`: folds the log again and compares the result with the read models that are served, in the
//! present or at a moment. Tables that are not read models are checked as far as the log permits, and the report names
//! everything that is not verified.

mod checks;
pub mod coverage;
mod now;
mod past;
mod report;

use daybook_api::wire::moment;
use daybook_engine::SHARD;
use daybook_pg::{Pg, Role};
use daybook_projector::{Model, Reads};
use report::Report;

use super::projection::with_database;
use crate::config::{Reconcile, Reconciliation};
use crate::database::unless_stopped;
use crate::error::Error;

/// Takes the lock that a reconciliation holds, so that none drops the tables of another: `reconcil` in ASCII. The
/// server releases the lock when the connection ends, even after a crash.
const TRY_LOCK: &str = "select pg_try_advisory_lock(x'7265636f6e63696c'::bigint)";

/// Runs the command.
///
/// # Errors
///
/// [`Error::Unbalanced`] if something differs or cannot be compared; or if the database cannot be reached.
pub async fn run(command: Reconcile) -> Result<(), Error> {
    match command {
        Reconcile::Replay(options) => replay(&options).await,
    }
}

async fn replay(options: &Reconciliation) -> Result<(), Error> {
    let at = options.at.as_deref().map(moment::parse).transpose().map_err(usage)?;
    let at = at.map(moment::recorded).transpose().map_err(usage)?.flatten();
    let mut models = if options.models.is_empty() { Model::ALL.to_vec() } else { options.models.clone() };
    models.sort_unstable();
    models.dedup();
    let report = with_database(&options.database, async |reads, pg| {
        let alone = pg.dedicated().await?;
        let row = alone.query_one(TRY_LOCK, &[]).await.map_err(daybook_pg::Error::from)?;
        if !row.try_get::<_, bool>(0).map_err(daybook_pg::Error::from)? {
            return Err(Error::Busy("another reconciliation runs on this database"));
        }
        // Tables that a killed reconciliation left behind.
        reads.versions().drop_scratch(SHARD).await?;
        let found = async {
            match at {
                Some(until) => past::compare(&reads, until, &models, options).await,
                None => now::compare(&reads, &models, options).await,
            }
        };
        let report = Box::pin(unless_stopped(found)).await;
        reads.versions().drop_scratch(SHARD).await?;
        unless_stopped(check(&reads, &pg.acting_as(Role::Auditor), report?, options)).await
    })
    .await?;
    report.end(options.json)
}

async fn check(
    reads: &Reads,
    pg: &Pg,
    mut report: Report,
    options: &Reconciliation,
) -> Result<Report, Error> {
    // These tables contain the present only, so they are not checked for a past moment, nor for a part of the models.
    if options.at.is_none() && options.models.is_empty() {
        for checked in checks::all(reads, pg, options.limit).await? {
            report.checked(checked, options.json)?;
        }
    } else {
        report.leave_out_checks();
    }
    Ok(report)
}

fn usage(error: impl std::fmt::Display) -> Error {
    Error::Usage(error.to_string().replacen("at ", "--at ", 1))
}
