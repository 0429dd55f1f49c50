//! A benchmark: every target of performance beside its baseline, on the same server in the same run. Subcommands make a
//! long history and measure replaying it.
//!
//! Absolute figures of a shared machine tell little; ratios of what was measured side by side do. A run that was answered
//! with anything but 200, or after which a transaction is missing, is no result but an error.

mod baselines;
pub mod error;
mod figures;
mod history;
mod load;
mod machine;
pub mod options;
mod overload;
mod peers;
mod receipt;
mod replay;
mod stage;
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

/// Measures what is asked for.
///
/// # Errors
///
/// If the options make no sense, there is no database, or a run is not one to report.
pub async fn run(options: Bench) -> Result<(), Error> {
    match options.measure {
        None => targets(options.suite).await,
        Some(Measure::Overload(options)) => overloaded(options).await,
        Some(Measure::Load(load)) => history::load(&load).await,
        Some(Measure::Replay(replay)) => replay::run(&replay).await,
    }
}

/// Measures the targets, prints the report, and leaves nothing behind.
async fn targets(options: Suite) -> Result<(), Error> {
    check(&options)?;
    let server = Server::prepare(options.pg_bin.clone()).await?;
    let report = to_its_end(Box::pin(suite::measure(&options, &server))).await;
    server.remove().await?;
    tell(&report?, options.output.as_deref(), options.json.as_deref())
}

/// Measures what is done where more is asked than can be done.
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

/// A measurement that was stopped is none.
async fn to_its_end(work: impl Future<Output = Result<Report, Error>>) -> Result<Report, Error> {
    tokio::select! {
        report = work => report,
        stopped = stopped("stopped before the end") => stopped,
    }
}

/// Waits for a signal to end, and answers why there is no result.
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
