//! `daybook reconcile replay`: folds the log again and compares the result with the read models that are served, in the
//! present or at a moment. Tables that are not read models are checked as far as the log permits, and the report names
//! everything that is not verified. `daybook reconcile bank` reconciles a platform with its bank.

mod bank;
mod checks;
pub mod coverage;
mod now;
mod past;
mod report;

use daybook_api::wire::moment;
use daybook_log::Shard;
use daybook_log::postgres::PostgresLog;
use daybook_pg::{Pg, Role};
use daybook_projector::{Model, Reads, Until};
use report::Report;

use super::projection::with_database;
use crate::config::{Reconcile, Reconciliation};
use crate::database::unless_stopped;
use crate::error::Error;
use crate::shards::{only, print_heading};

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
        Reconcile::Bank(options) => bank::bank(&options).await,
    }
}

async fn replay(options: &Reconciliation) -> Result<(), Error> {
    let at = options.at.as_deref().map(moment::parse).transpose().map_err(usage)?;
    let at = at.map(moment::recorded).transpose().map_err(usage)?.flatten();
    let mut models = if options.models.is_empty() { Model::ALL.to_vec() } else { options.models.clone() };
    models.sort_unstable();
    models.dedup();
    let report = with_database(&options.database, options.of, async |reads, pg, shards| {
        let alone = pg.dedicated().await?;
        let row = alone.query_one(TRY_LOCK, &[]).await.map_err(daybook_pg::Error::from)?;
        if !row.try_get::<_, bool>(0).map_err(daybook_pg::Error::from)? {
            return Err(Error::Busy("another reconciliation runs on this database"));
        }
        if matches!(at, Some(Until::Position(_))) {
            // Positions of two shards have nothing in common.
            only(&PostgresLog::new(pg.clone()), options.of.shard).await?;
        }
        let auditor = pg.acting_as(Role::Auditor);
        let mut report = Report::new(&models);
        if at.is_some() {
            report.leave_out_now_alone(&models);
        }
        // These tables contain the present only, so they are not checked for a past moment, nor for a part of the models.
        let has_checks = at.is_none() && options.models.is_empty();
        for shard in &shards {
            print_heading(&shards, *shard, options.json)?;
            // Tables that a killed reconciliation left behind.
            reads.versions().drop_scratch(*shard).await?;
            let compare = compare(&reads, *shard, at, (&models, options), &mut report);
            let compared = Box::pin(unless_stopped(compare)).await;
            reads.versions().drop_scratch(*shard).await?;
            compared?;
            if has_checks {
                unless_stopped(check(&reads, &auditor, *shard, &mut report, options)).await?;
            }
        }
        if has_checks {
            let all = PostgresLog::new(auditor.clone()).shards().await?;
            let checked = unless_stopped(checks::versions(&reads, &auditor, &all)).await?;
            report.checked(None, checked, options.json)?;
        } else {
            report.leave_out_checks();
        }
        Ok(report)
    })
    .await?;
    report.end(options.json)
}

/// Folds the log of a shard again and compares the result.
async fn compare(
    reads: &Reads,
    shard: Shard,
    at: Option<Until>,
    (models, options): (&[Model], &Reconciliation),
    report: &mut Report,
) -> Result<(), Error> {
    match at {
        Some(until) => past::compare(reads, shard, until, (models, options), report).await,
        None => now::compare(reads, shard, (models, options), report).await,
    }
}

/// Checks the other tables of a shard.
async fn check(
    reads: &Reads,
    pg: &Pg,
    shard: Shard,
    report: &mut Report,
    options: &Reconciliation,
) -> Result<(), Error> {
    for checked in checks::of_shard(reads, pg, shard, options.limit).await? {
        report.checked(Some(shard), checked, options.json)?;
    }
    Ok(())
}

fn usage(error: impl std::fmt::Display) -> Error {
    Error::Usage(error.to_string().replacen("at ", "--at ", 1))
}
