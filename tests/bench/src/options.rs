//! Command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use daybook_cli::config::{Database, StateCache, parse_duration};

/// Measures the performance of Daybook, side by side with PostgreSQL alone
#[derive(Debug, Parser)]
#[command(name = "daybook-bench", version, args_conflicts_with_subcommands = true)]
pub struct Bench {
    /// Measurement to make; without it, every target with its baseline.
    #[command(subcommand)]
    pub measure: Option<Measure>,
    /// Options of the targets.
    #[command(flatten)]
    pub suite: Suite,
}

/// Further measurements, and the generator of a history for them.
#[derive(Debug, Subcommand)]
pub enum Measure {
    /// Generate a realistic history through the engine, until the log has a number of events; can be stopped and
    /// continued.
    Load(Load),
    /// Measure the throughput at one, two and five times the capacity of the service.
    Overload(Overload),
    /// Measure the speed of reading, decoding, folding and projecting the log, side by side with PostgreSQL alone.
    Replay(Replaying),
    /// Measure payments through one shard, four shards, and four shards on two servers, in turn.
    Shards(Shards),
    /// Measure time and memory of reading one statement as BAI2, CAMT.053, MT940 and CSV; needs no database.
    Statements(Statements),
    /// Measure the latencies of payments while the lines of a long statement are booked.
    Booking(Booking),
    /// Measure time and memory of matching the lines of a statement with open items; needs no database.
    Reconcile(Reconcile),
}

/// Options of `statements`.
#[derive(Clone, Debug, Args)]
pub struct Statements {
    /// Number of times that each file is read; medians are printed.
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// Numbers of lines.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 10_000, 100_000])]
    pub lines: Vec<usize>,
    /// File to read once in this process, which then prints its memory. The measurement starts itself with it.
    #[arg(long, hide = true)]
    pub file: Option<PathBuf>,
}

/// Options of `reconcile`.
#[derive(Clone, Debug, Args)]
pub struct Reconcile {
    /// Number of runs; medians are printed.
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// Numbers of lines, each with as many open items.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 10_000, 100_000])]
    pub lines: Vec<usize>,
    /// Number of lines to match once in this process, which then prints its figures. The measurement starts itself with it.
    #[arg(long, hide = true)]
    pub alone: Option<usize>,
}

/// Options of `booking`.
#[derive(Clone, Debug, Args)]
pub struct Booking {
    /// Number of runs; medians are printed.
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// Duration of each load; shorter than the booking of the lines.
    #[arg(long, default_value = "3s", value_parser = parse_duration)]
    pub duration: Duration,
    /// Number of lines of the statement.
    #[arg(long, default_value_t = 100_000)]
    pub lines: usize,
    /// Number of nodes between which money moves.
    #[arg(long, default_value_t = 1_000)]
    pub nodes: usize,
    /// Folder with PostgreSQL's server binaries; searched if not given.
    #[arg(long, env = "DAYBOOK_PG_BIN")]
    pub pg_bin: Option<PathBuf>,
}

/// Options of `shards`.
#[derive(Clone, Debug, Args)]
pub struct Shards {
    /// Number of rounds, in each of which every layout is measured.
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// Duration of each measurement.
    #[arg(long, default_value = "5s", value_parser = parse_duration)]
    pub duration: Duration,
    /// Number of callers that wait for their commits at the same time, on all shards together.
    #[arg(long, default_value_t = 256)]
    pub callers: usize,
    /// Number of nodes of each platform.
    #[arg(long, default_value_t = 500)]
    pub nodes: usize,
    /// Folder with PostgreSQL's server binaries; searched if not given.
    #[arg(long, env = "DAYBOOK_PG_BIN")]
    pub pg_bin: Option<PathBuf>,
}

/// Options of the targets.
#[derive(Debug, Args)]
pub struct Suite {
    /// Numbers of the targets to measure, together with their baselines; see docs/PERFORMANCE.md.
    #[arg(long, value_delimiter = ',')]
    pub only: Vec<u8>,
    /// Number of runs; medians are printed.
    #[arg(long, default_value_t = 3)]
    pub runs: usize,
    /// Duration of each measurement, in whole seconds.
    #[arg(long, default_value = "3s", value_parser = parse_duration)]
    pub duration: Duration,
    /// Number of nodes between which money moves.
    #[arg(long, default_value_t = 10_000)]
    pub nodes: usize,
    /// Minimum number of events in the log with the history.
    #[arg(long, default_value_t = 1_000_000)]
    pub history: u64,
    /// File for the report as Markdown; it is also printed.
    #[arg(long)]
    pub output: Option<PathBuf>,
    /// File for the report as JSON.
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// Folder with PostgreSQL's server binaries; searched if not given.
    #[arg(long, env = "DAYBOOK_PG_BIN")]
    pub pg_bin: Option<PathBuf>,
    /// Program that measures other ledgers on the same server: `tests/peers`.
    #[arg(long)]
    pub peers: Option<PathBuf>,
}

/// Options of `overload`.
#[derive(Clone, Debug, Args)]
pub struct Overload {
    /// Number of runs; medians are printed.
    #[arg(long, default_value_t = 1)]
    pub runs: usize,
    /// Duration of each measurement.
    #[arg(long, default_value = "8s", value_parser = parse_duration)]
    pub duration: Duration,
    /// Number of nodes between which money moves.
    #[arg(long, default_value_t = 1000)]
    pub nodes: usize,
    /// Number of connections; should exceed the number of commands that may wait.
    #[arg(long, default_value_t = 6000)]
    pub connections: usize,
    /// File for the report as Markdown; it is also printed.
    #[arg(long)]
    pub output: Option<PathBuf>,
    /// File for the report as JSON.
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// Folder with PostgreSQL's server binaries; searched if not given.
    #[arg(long, env = "DAYBOOK_PG_BIN")]
    pub pg_bin: Option<PathBuf>,
}

/// Options of `load`.
#[derive(Clone, Debug, Args)]
pub struct Load {
    /// Minimum number of events in the log at the end.
    #[arg(long)]
    pub events: u64,
    /// Number of platforms of the history.
    #[arg(long, default_value_t = 1)]
    pub platforms: u16,
    /// Number of nodes of all platforms together, without fee nodes and reserves.
    #[arg(long, default_value_t = 1000)]
    pub nodes: usize,
    /// Seed of the history; ids and nonces do not depend on it.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print progress and result as JSON.
    #[arg(long)]
    pub json: bool,
    /// Options of the writer's cache.
    #[command(flatten)]
    pub cache: StateCache,
    /// Options of the database.
    #[command(flatten)]
    pub database: Database,
}

/// Options of `replay`.
#[derive(Clone, Debug, Args)]
pub struct Replaying {
    /// Number of runs; medians are printed.
    #[arg(long, default_value_t = 3)]
    pub runs: usize,
    /// Parts of names of the measurements to make; the baseline is always measured.
    #[arg(long, value_delimiter = ',')]
    pub only: Vec<String>,
    /// File for the table as Markdown; it is also printed.
    #[arg(long)]
    pub output: Option<PathBuf>,
    /// Options of the database, which `load` has filled.
    #[command(flatten)]
    pub database: Database,
}
