//! A benchmark: every performance target with its baseline, on the same server in the same run. Subcommands generate a
//! long history, and measure the replay of a log, the service under overload, and the readers of statements.
//!
//! Absolute figures of a shared machine mean little. Ratios of figures that were measured side by side are comparable.
//! A run with any answer other than 200, or with a missing transaction afterwards, is an error and not a result.

mod baselines;
mod booking;
pub mod error;
mod figures;
mod history;
mod load;
mod machine;
pub mod options;
mod overload;
mod peers;
mod receipt;
mod reconcile;
mod replay;
mod shards;
mod stage;
mod statements;
mod suite;
mod targets;
mod wanted;

use std::path::Path;
use std::time::Duration;

use daybook_cli::service::signal;

use self::figures::Report;
use self::load::client::failed;
use self::stage::server::Server;
use self::wanted::TARGETS;
use crate::error::Error;
use crate::options::{Bench, Measure, Overload, Suite};

/// Runs the measurement that the options name.
///
/// # Errors
///
/// Fails if the options are invalid, there is no database, or a run has no valid result.
pub async fn run(options: Bench) -> Result<(), Error> {
    match options.measure {
        None => targets(options.suite).await,
        Some(Measure::Overload(options)) => overloaded(options).await,
        Some(Measure::Load(load)) => history::load(&load).await,
        Some(Measure::Replay(replay)) => replay::run(&replay).await,
        Some(Measure::Shards(options)) => shards::run(&options).await,
        Some(Measure::Statements(options)) => statements::run(&options),
        Some(Measure::Booking(options)) => booking::run(&options).await,
        Some(Measure::Reconcile(options)) => reconcile::run(&options),
    }
}

/// Measures the targets, prints the report, and removes all data.
async fn targets(options: Suite) -> Result<(), Error> {
    check(&options)?;
    let server = Server::prepare(options.pg_bin.clone()).await?;
    let report = to_its_end(Box::pin(suite::measure(&options, &server))).await;
    server.remove().await?;
    tell(&report?, options.output.as_deref(), options.json.as_deref())
}

/// Measures the service under overload.
async fn overloaded(options: Overload) -> Result<(), Error> {
    if options.nodes < 2 || options.runs == 0 || options.connections == 0 || options.duration.is_zero() {
        return Err(Error::Usage(
            "at least two nodes, one run, one connection and some time are needed".into(),
        ));
    }
    let server = Server::prepare(options.pg_bin.clone()).await?;
    let report = to_its_end(Box::pin(overload::measure(&options, &server))).await;
    server.remove().await?;
    tell(&report?, options.output.as_deref(), options.json.as_deref())
}

/// Waits for a measurement; an interrupted one has no result.
async fn to_its_end(work: impl Future<Output = Result<Report, Error>>) -> Result<Report, Error> {
    tokio::select! {
        report = work => report,
        stopped = stopped("stopped before the end") => stopped,
    }
}

/// Waits for a signal to stop, and returns the reason for the missing result.
async fn stopped<T>(why: &str) -> Result<T, Error> {
    signal().await?;
    Err(Error::Failed(why.into()))
}

fn tell(report: &Report, output: Option<&Path>, json: Option<&Path>) -> Result<(), Error> {
    println!("{report}");
    write(output, &report.to_string())?;
    write(json, &serde_json::to_string_pretty(report).map_err(failed)?)
}

fn write(path: Option<&Path>, text: &str) -> Result<(), Error> {
    Ok(path.map_or(Ok(()), |path| std::fs::write(path, text.to_owned() + "\n"))?)
}

fn check(options: &Suite) -> Result<(), Error> {
    let usage = |text: &str| Err(Error::Usage(text.into()));
    if options.duration.subsec_nanos() != 0 || options.duration < Duration::from_secs(1) {
        return usage("pgbench counts in whole seconds: the duration must be 1s or a multiple of it");
    }
    if options.nodes < 2 {
        return usage("money moves between at least 2 nodes");
    }
    if options.runs == 0 {
        return usage("at least one run is needed");
    }
    if options.only.iter().any(|number| !TARGETS.contains(number)) {
        return usage("targets have the numbers 1 to 13");
    }
    Ok(())
}
