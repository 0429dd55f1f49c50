//! `daybook-torture`: Daybook under faults, and whether it kept its promises.
#![allow(clippy::print_stderr, reason = "a program for the terminal")]

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use daybook_torture::commands;

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "daybook-torture", about = "Daybook under faults, and whether it kept its promises")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What it can do: a file each in `commands/`.
#[derive(Debug, Subcommand)]
enum Command {
    /// Run workloads under faults, then check.
    Run(commands::run::Options),
    /// See that the defect of a build is noticed.
    Mutant(commands::mutant::Options),
    /// Check a run again, from what it left in its folder.
    Check(commands::check::Options),
    /// Kill the primary under load and promote its standby, again and again.
    Failover(commands::failover::Options),
    /// Fill the disk of the data or that of the write-ahead log under load, again and again.
    DiskFull(commands::disk_full::Options),
    /// Tamper with a log in its database, and have it located.
    Tamper(commands::tamper::Options),
    /// Flip a byte on the disk, and have it noticed or harm nobody, again and again.
    Flip(commands::flip::Options),
    /// Restore a part of a backup, and have it told up to where it is whole, again and again.
    Restore(commands::restore::Options),
    /// Migrate the schema under load, with processes of two releases side by side.
    Migrate(commands::migrate::Options),
    /// Cut the power under load, again and again.
    PowerCut(commands::power_cut::Options),
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
    };
    done.unwrap_or_else(|error| {
        eprintln!("daybook-torture: {error}");
        ExitCode::from(2)
    })
}
