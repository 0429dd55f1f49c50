//! `daybook-bench replay`: speed of reading, decoding, folding and projecting a log, side by side with PostgreSQL
//! alone.
//!
//! Each measurement has a file with one function. All are made one after the other in the same run on the same log, so
//! that their ratios are comparable. Data are written to a database of the benchmark on the same server, which is
//! dropped at the end.

pub(super) mod copy_out;
mod decode;
mod fold;
mod measurement;
mod pages;
mod project;
pub(super) mod rebuild;
mod report;
mod scratch;
mod tail;
pub(super) mod verify;

use std::sync::Arc;
use std::time::Instant;

use daybook_cli::database::Database;
use daybook_domain::Kind;
use daybook_engine::SHARD;
use daybook_log::Log;
use daybook_log::postgres::PostgresLog;
use daybook_pg::Pg;

use self::measurement::Measurement;
use self::report::Report;
use self::scratch::Scratch;
use super::load::client::failed;
use super::machine::Machine;
use crate::error::Error;
use crate::options::Replaying;
use crate::stopped;

/// The log under measurement.
pub(super) struct Stage {
    pg: Pg,
    log: Arc<dyn Log>,
    /// The same log, as raw rows.
    raw: PostgresLog,
    /// Last position at the beginning of the benchmark.
    head: u64,
}

impl Stage {
    /// Opens the log in the database of `pg`, which must not be empty.
    pub(super) async fn of(pg: &Pg) -> Result<Self, Error> {
        let log = PostgresLog::new(pg.clone()).omit_boxes_of(&Kind::LARGE_PAYLOADS.map(Kind::code));
        let head = log.head(SHARD).await.map_err(failed)?.position;
        if head == 0 {
            return Err(Error::Usage("the log is empty: `daybook-bench load` fills it".into()));
        }
        Ok(Self { pg: pg.clone(), log: Arc::new(log.clone()), raw: log, head })
    }
}

/// Number of events, and the time that they took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure {
    pub(super) events: u64,
    pub(super) seconds: f64,
}

impl Figure {
    /// Creates the figure of `events` that took the time since `begun`.
    fn since(begun: Instant, events: u64) -> Self {
        Self { events, seconds: begun.elapsed().as_secs_f64() }
    }

    pub(super) fn per_second(self) -> f64 {
        super::figures::count(self.events) / self.seconds
    }
}

/// Measures and prints the table. The log does not change.
///
/// # Errors
///
/// Fails if there is no log, or a measurement fails.
pub(super) async fn run(options: &Replaying) -> Result<(), Error> {
    if options.runs == 0 {
        return Err(Error::Usage("at least one run is needed".into()));
    }
    let database = Database::open(&options.database).await?;
    let measured = tokio::select! {
        measured = measure(options, &database.pg) => measured,
        stopped = stopped("stopped before the end") => stopped,
    };
    database.leave().await?;
    let report = measured?.to_string();
    println!("{report}");
    if let Some(path) = &options.output {
        std::fs::write(path, report)?;
    }
    Ok(())
}

async fn measure(options: &Replaying, pg: &Pg) -> Result<Report, Error> {
    let stage = Stage::of(pg).await?;
    let scratch = Scratch::make(pg).await?;
    let measured = all(options, &stage, &scratch).await;
    scratch.remove(pg).await?;
    let runs = measured?;
    let machine = Machine::look(pg, &options.database.data_dir).await?;
    Ok(Report { head: stage.head, runs, machine })
}

/// Makes the wanted measurements in each run. The first one of a run is the base of its ratios.
async fn all(
    options: &Replaying,
    stage: &Stage,
    scratch: &Scratch,
) -> Result<Vec<Vec<(Measurement, Figure)>>, Error> {
    let wanted: Vec<_> = Measurement::all().filter(|it| it.is_wanted(&options.only)).collect();
    let mut runs = vec![];
    for number in 1..=options.runs {
        eprintln!("run {number} of {}", options.runs);
        let mut run = vec![];
        for &measurement in &wanted {
            run.push((measurement, measurement.take(stage, scratch).await?));
        }
        runs.push(run);
    }
    Ok(runs)
}
