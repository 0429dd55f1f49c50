//! Options of `daybook ledger`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{Database, ShardOption};

/// Commands of `daybook ledger`.
#[derive(Debug, Subcommand)]
pub enum Ledger {
    /// Show the sums of every ledger account; exit code 1 if debits and credits differ.
    TrialBalance(Report),
    /// Show both sides of the custody identity; exit code 1 if they differ.
    Custody(Report),
    /// Export every event that moves money as a transaction of plain-text accounting, with balance assertions.
    Export {
        /// Program that reads the file.
        #[arg(long, value_enum)]
        format: Format,
        /// File to write.
        #[arg(short, long)]
        output: PathBuf,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Part of the log to read.
        #[command(flatten)]
        extent: ReportOptions,
    },
}

/// Options of a report.
#[derive(Clone, Debug, Args)]
pub struct Report {
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
    /// Part of the log to read.
    #[command(flatten)]
    pub extent: ReportOptions,
}

/// Part of the log.
#[derive(Clone, Debug, Args)]
pub struct ReportOptions {
    /// Only this platform, by its client id or its own id; by default all platforms.
    #[arg(long)]
    pub platform: Option<String>,
    /// Shards to use; that of the platform, if one is named.
    #[command(flatten)]
    pub of: ShardOption,
    /// Position of the log, time (2026-03-01T12:00:00Z) or effective day (2026-03-01, at its end); by default now.
    #[arg(long)]
    pub at: Option<String>,
    /// Database to use.
    #[command(flatten)]
    pub database: Database,
}

/// Program for plain-text accounting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// hledger 1.25 or newer.
    Hledger,
    /// Beancount 2 or 3.
    Beancount,
}
