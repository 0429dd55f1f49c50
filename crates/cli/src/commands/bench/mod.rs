//! `daybook bench`: durable transactions per second through HTTP, beside pgbench on the same server. Its subcommands
//! make a long history and measure replaying it.
//!
//! Absolute figures of a shared machine tell little; ratios of what was measured side by side do. So every run takes
//! the baseline first and Daybook right after it, and medians over the runs are reported. Creation alone is measured:
//! settlement is an hour away. A run that was answered with anything but 200, or after which a transaction is missing,
//! is no result but an error.

mod baseline;
mod client;
mod cpu;
mod history;
mod load;
mod machine;
mod nodes;
mod random;
mod replay;
mod report;
mod server;
mod target;

use std::time::Duration;

use self::baseline::Baseline;
use self::load::Traffic;
use self::machine::Machine;
use self::nodes::Nodes;
use self::report::Report;
use self::server::Server;
use self::target::{Measured, Target};
use crate::commands::Error;
use crate::config::{Bench, Creation, Measure};
use crate::service::signal;

/// What one run measured, in the order in which it did.
struct Run {
    baseline: Baseline,
    /// One for each number of connections.
    loads: Vec<Measured>,
}

/// Measures what is asked for.
///
/// # Errors
///
/// If the options make no sense, there is no database, or a run is not one to report.
pub async fn run(options: Bench) -> Result<(), Error> {
    match options.measure {
        None => creation(options.creation).await,
        Some(Measure::Load(load)) => history::load(&load).await,
        Some(Measure::Replay(replay)) => replay::run(&replay).await,
    }
}

/// Measures creating transactions, prints the table, and leaves nothing behind.
async fn creation(options: Creation) -> Result<(), Error> {
    check(&options)?;
    let server = Server::prepare(options.pg_bin.clone()).await?;
    let measured = tokio::select! {
        measured = measure(&options, &server) => measured,
        stopped = signal() => stopped.and(Err(Error::Bench("stopped before the end".into()))),
    };
    server.remove().await?;
    let report = measured?.to_string();
    println!("{report}");
    if let Some(path) = &options.output {
        std::fs::write(path, report)?;
    }
    Ok(())
}

fn check(options: &Creation) -> Result<(), Error> {
    let usage = |text: &str| Err(Error::Usage(text.into()));
    if options.duration.subsec_nanos() != 0 || options.duration < Duration::from_secs(1) {
        return usage("pgbench counts in whole seconds: the duration must be 1s or a multiple of it");
    }
    if options.nodes < 2 {
        return usage("money moves between at least 2 nodes");
    }
    if options.runs == 0 || options.connections.contains(&0) {
        return usage("at least one run and one connection are needed");
    }
    Ok(())
}

async fn measure<'a>(options: &'a Creation, server: &Server) -> Result<Report<'a>, Error> {
    server.start().await?;
    baseline::prepare(server).await?;
    let pg = server.daybook().await?;
    let target = Target::start(pg.clone(), server.pid()).await?;
    let nodes = Nodes::create(target.address, options.nodes).await?;
    let traffic = Traffic::between(&nodes, target.address)?;
    server.warm_up(&pg).await?;
    let mut runs = Vec::with_capacity(options.runs);
    for number in 1..=options.runs {
        eprintln!("run {number} of {}", options.runs);
        let baseline = baseline::measure(server, options.duration).await?;
        let mut loads = Vec::with_capacity(options.connections.len());
        for &connections in &options.connections {
            let label = format!("{number}-{connections}");
            loads.push(target.measure(&traffic, &nodes, connections, options.duration, &label).await?);
        }
        runs.push(Run { baseline, loads });
    }
    let machine = Machine::look(&pg, server.folder()).await?;
    target.stop().await;
    Ok(Report { options, machine, runs })
}
