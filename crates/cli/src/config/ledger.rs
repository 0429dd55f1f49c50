//! Options of `daybook ledger`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Database;

/// Reading the ledger as a whole.
#[derive(Debug, Subcommand)]
pub enum Ledger {
    /// Show the sums of every ledger account; exit code 1 if debits are not credits.
    TrialBalance(Report),
    /// Show both sides of the custody identity; exit code 1 if they differ.
    Custody(Report),
    /// Write every event that moves money as a transaction of plain-text accounting, with balance assertions.
    Export {
        /// For which program.
        #[arg(long, value_enum)]
        format: Format,
        /// File to write.
        #[arg(short, long)]
        output: PathBuf,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// What to read.
        #[command(flatten)]
        extent: Extent,
    },
}

/// Options of a report.
#[derive(Clone, Debug, Args)]
pub struct Report {
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
    /// What to read.
    #[command(flatten)]
    pub extent: Extent,
}

/// Which part of the log.
#[derive(Clone, Debug, Args)]
pub struct Extent {
    /// Only this platform's: its client id, or its own; everybody's without it.
    #[arg(long)]
    pub platform: Option<String>,
    /// As of a position of the log, a time (2026-03-01T12:00:00Z) or the end of an effective day (2026-03-01).
    #[arg(long)]
    pub at: Option<String>,
    /// Where the database is.
    #[command(flatten)]
    pub database: Database,
}

/// A program for plain-text accounting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// hledger 1.25 or newer.
    Hledger,
    /// Beancount 2 or 3.
    Beancount,
}
