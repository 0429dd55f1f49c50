//! `daybook-torture`: runs Daybook under faults and checks its guarantees.
#![allow(clippy::print_stderr, reason = "a program for the terminal")]

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use daybook_torture::commands;

/// Command line.
#[derive(Debug, Parser)]
#[command(name = "daybook-torture", about = "Runs Daybook under faults and checks its guarantees")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Commands of the program, each with a file of its own in `commands/`.
#[derive(Debug, Subcommand)]
enum Command {
    /// Run workloads under faults, then check the guarantees.
    Run(commands::run::Options),
    /// Check that the torture notices the defect of a build.
    Mutant(commands::mutant::Options),
    /// Check a recorded run again, from the files in its folder.
    Check(commands::check::Options),
    /// Kill the primary under load and promote its standby, repeatedly.
    Failover(commands::failover::Options),
    /// Fill the disk of the data or of the write-ahead log under load, repeatedly.
    DiskFull(commands::disk_full::Options),
    /// Tamper with a log in its database, and check that the verification finds the place.
    Tamper(commands::tamper::Options),
    /// Flip a byte on the disk, and check that it is noticed or does no harm, repeatedly.
    Flip(commands::flip::Options),
    /// Restore a part of a backup, and check that the log is verified up to its exact end, repeatedly.
    Restore(commands::restore::Options),
    /// Migrate the schema under load, with processes of two releases side by side.
    Migrate(commands::migrate::Options),
    /// Cut the power under load, repeatedly.
    PowerCut(commands::power_cut::Options),
    /// Write through one service and read through another that answers from slowed standbys, pair after pair.
    Replicas(commands::replicas::Options),
    /// Kill one of three servers with shards, again and again, under load.
    Servers(commands::servers::Options),
    /// Pay at a fixed rate on running services, then compare every payment with the log (for tests/failover).
    Pay(commands::pay::Options),
}

#[tokio::main]
async fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run(options) => commands::run::run(options).await,
        Command::Mutant(options) => commands::mutant::run(options).await,
        Command::Check(options) => commands::check::run(&options),
        Command::Failover(options) => commands::failover::run(options).await,
        Command::DiskFull(options) => commands::disk_full::run(options).await,
        Command::Tamper(options) => commands::tamper::run(options).await,
        Command::Flip(options) => commands::flip::run(options).await,
        Command::Restore(options) => commands::restore::run(options).await,
        Command::Migrate(options) => commands::migrate::run(options).await,
        Command::PowerCut(options) => commands::power_cut::run(options).await,
        Command::Replicas(options) => commands::replicas::run(options).await,
        Command::Servers(options) => commands::servers::run(options).await,
        Command::Pay(options) => commands::pay::run(options).await,
    };
    done.unwrap_or_else(|error| {
        eprintln!("daybook-torture: {error}");
        ExitCode::from(2)
    })
}
