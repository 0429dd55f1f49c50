//! Options of `daybook bench`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::{Database, parse_duration};

/// Measuring.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Bench {
    /// What to measure; without it, creating transactions.
    #[command(subcommand)]
    pub measure: Option<Measure>,
    /// Options of creating transactions.
    #[command(flatten)]
    pub creation: Creation,
}

/// What else is there to measure, and what it is measured on.
#[derive(Debug, Subcommand)]
pub enum Measure {
    /// Make a realistic history, by the engine itself, until the log has so many events; may be stopped and goes on.
    Load(Load),
    /// Measure how fast the log is read, decoded, folded and projected, beside what PostgreSQL does alone.
    Replay(Replaying),
}

/// Options of creating transactions.
#[derive(Debug, Args)]
pub struct Creation {
    /// Connections that create transactions at the same time; several numbers are measured one after the other.
    #[arg(long, default_value = "64", value_delimiter = ',')]
    pub connections: Vec<usize>,
    /// How long each measurement takes.
    #[arg(long, default_value = "15s", value_parser = parse_duration)]
    pub duration: Duration,
    /// How often everything is measured; medians are printed.
    #[arg(long, default_value_t = 3)]
    pub runs: usize,
    /// Nodes that money moves between.
    #[arg(long, default_value_t = 1000)]
    pub nodes: usize,
    /// Folder with PostgreSQL's server binaries; searched for if not given.
    #[arg(long, env = "DAYBOOK_PG_BIN")]
    pub pg_bin: Option<PathBuf>,
    /// Write the table as Markdown to this file, too.
    #[arg(long)]
    pub output: Option<PathBuf>,
}

/// Options of `bench load`.
#[derive(Clone, Debug, Args)]
pub struct Load {
    /// How many events the log shall have at least.
    #[arg(long)]
    pub events: u64,
    /// Platforms that they are spread over.
    #[arg(long, default_value_t = 1)]
    pub platforms: u16,
    /// Nodes of all platforms together, but for their fee nodes and reserves.
    #[arg(long, default_value_t = 1000)]
    pub nodes: usize,
    /// What happens follows from it, but for ids and nonces.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Tell progress and result as JSON.
    #[arg(long)]
    pub json: bool,
    /// Where the database is.
    #[command(flatten)]
    pub database: Database,
}

/// Options of `bench replay`.
#[derive(Clone, Debug, Args)]
pub struct Replaying {
    /// How often everything is measured; medians are printed.
    #[arg(long, default_value_t = 3)]
    pub runs: usize,
    /// Measure only what has one of these in its name, and the baseline.
    #[arg(long, value_delimiter = ',')]
    pub only: Vec<String>,
    /// Write the table as Markdown to this file, too.
    #[arg(long)]
    pub output: Option<PathBuf>,
    /// Where the database is: one that `bench load` filled.
    #[command(flatten)]
    pub database: Database,
}
