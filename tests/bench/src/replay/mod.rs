//! `daybook-bench replay`: how fast a log is read, decoded, folded and projected, beside what PostgreSQL does alone.
//!
//! Each measurement is a file with one function; all are taken one after the other in the same run, on the same log,
//! so that their ratios mean something. What is written goes into a database of the benchmark's own on the same
//! server, and that goes with it.

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

/// What is measured on.
pub(super) struct Stage {
    pg: Pg,
    log: Arc<dyn Log>,
    /// The same log, row by row.
    raw: PostgresLog,
    /// The last position, when the benchmark began.
    head: u64,
}

impl Stage {
    /// The log in the database of `pg`, which is not empty.
    pub(super) async fn of(pg: &Pg) -> Result<Self, Error> {
        let log = PostgresLog::new(pg.clone()).without_boxes_of(&Kind::BULKY.map(Kind::code));
        let head = log.head(SHARD).await.map_err(failed)?.position;
        if head == 0 {
            return Err(Error::Usage("the log is empty: `daybook-bench load` fills it".into()));
        }
        Ok(Self { pg: pg.clone(), log: Arc::new(log.clone()), raw: log, head })
    }
}

/// How many events took how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure {
    pub(super) events: u64,
    pub(super) seconds: f64,
}

impl Figure {
    /// `events` took as long as it is since `begun`.
    fn since(begun: Instant, events: u64) -> Self {
        Self { events, seconds: begun.elapsed().as_secs_f64() }
    }

    pub(super) fn per_second(self) -> f64 {
        super::figures::count(self.events) / self.seconds
    }
}

/// Measures, prints the table, and leaves the log as it was.
///
/// # Errors
///
/// If there is no log to read, or a measurement fails.
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

/// Every measurement that is wanted, so many times; a run's first is what the others are compared with.
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
