//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use daybook_cli::config::{Database, StateCache, parse_duration};

/// What Daybook does in a second, beside what PostgreSQL does
#[derive(Debug, Parser)]
#[command(name = "daybook-bench", version, args_conflicts_with_subcommands = true)]
pub struct Bench {
    /// What to measure; without it, every target beside its baseline.
    #[command(subcommand)]
    pub measure: Option<Measure>,
    /// Options of measuring targets.
    #[command(flatten)]
    pub suite: Suite,
}

/// What else is there to measure, and what it is measured on.
#[derive(Debug, Subcommand)]
pub enum Measure {
    /// Make a realistic history, by the engine itself, until the log has so many events; may be stopped and goes on.
    Load(Load),
    /// Measure what is done where two and five times as much is asked as can be done.
    Overload(Overload),
    /// Measure how fast the log is read, decoded, folded and projected, beside what PostgreSQL does alone.
    Replay(Replaying),
}

/// Options of measuring targets.
#[derive(Debug, Args)]
pub struct Suite {
    /// Measure only the targets with these numbers, and what they are compared with; see docs/PERFORMANCE.md.
    #[arg(long, value_delimiter = ',')]
    pub only: Vec<u8>,
    /// How often everything is measured; medians are printed.
    #[arg(long, default_value_t = 3)]
    pub runs: usize,
    /// How long each measurement takes, in whole seconds.
    #[arg(long, default_value = "3s", value_parser = parse_duration)]
    pub duration: Duration,
    /// Nodes that money moves between.
    #[arg(long, default_value_t = 10_000)]
    pub nodes: usize,
    /// Events that the log with the history has at least.
    #[arg(long, default_value_t = 1_000_000)]
    pub history: u64,
    /// Write the report as Markdown to this file, too.
    #[arg(long)]
    pub output: Option<PathBuf>,
    /// Write the report as JSON to this file.
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// Folder with PostgreSQL's server binaries; searched for if not given.
    #[arg(long, env = "DAYBOOK_PG_BIN")]
    pub pg_bin: Option<PathBuf>,
    /// Program that measures other ledgers on the same server: `tests/peers`.
    #[arg(long)]
    pub peers: Option<PathBuf>,
}

/// Options of `overload`.
#[derive(Clone, Debug, Args)]
pub struct Overload {
    /// How often everything is measured; medians are printed.
    #[arg(long, default_value_t = 1)]
    pub runs: usize,
    /// How long each measurement takes.
    #[arg(long, default_value = "8s", value_parser = parse_duration)]
    pub duration: Duration,
    /// Nodes that money moves between.
    #[arg(long, default_value_t = 1000)]
    pub nodes: usize,
    /// Connections that requests come on: more than commands may wait.
    #[arg(long, default_value_t = 6000)]
    pub connections: usize,
    /// Write the report as Markdown to this file, too.
    #[arg(long)]
    pub output: Option<PathBuf>,
    /// Write the report as JSON to this file.
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// Folder with PostgreSQL's server binaries; searched for if not given.
    #[arg(long, env = "DAYBOOK_PG_BIN")]
    pub pg_bin: Option<PathBuf>,
}

/// Options of `load`.
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
    /// How much the writer remembers.
    #[command(flatten)]
    pub cache: StateCache,
    /// Where the database is.
    #[command(flatten)]
    pub database: Database,
}

/// Options of `replay`.
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
    /// Where the database is: one that `load` filled.
    #[command(flatten)]
    pub database: Database,
}
