//! Options of `daybook reconcile`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use daybook_domain::calendar::Day;
use daybook_projector::Model;

use super::{Bank, Database, ShardOption};

/// Default maximum of differing rows that are shown per table.
const MAX_ROWS_SHOWN: u64 = 20;
/// Default maximum of memory for a page of the log, in MiB.
const PAGE_MEMORY_MIB: u64 = 256;

/// Commands of `daybook reconcile`.
#[derive(Debug, Subcommand)]
pub enum Reconcile {
    /// Fold the log again and compare the result with the tables that are served; exit code 1 if they differ.
    Replay(Reconciliation),
    /// Reconcile a platform with its bank as of the last statement of a period: exit code 1 if it does not tie out, a break or
    /// an open item is too old, or the bank has not stated all days; 2 if that cannot be told.
    Bank(BankReconciliation),
}

/// Options of a reconciliation with the bank.
#[derive(Clone, Debug, Args)]
pub struct BankReconciliation {
    /// The platform, by its client id or its own id.
    #[arg(long)]
    pub platform: String,
    /// First day of the period (2026-03-01).
    #[arg(long, value_name = "DAY")]
    pub from: Day,
    /// Last day of the period.
    #[arg(long, value_name = "DAY")]
    pub to: Day,
    /// Format of the report; by default a table, or html, json and csv if a folder is named. CSV needs a folder.
    #[arg(long, value_enum)]
    pub format: Option<PackFormat>,
    /// Folder for the files of the report. It is created if it does not exist, and must be empty otherwise.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print or write JSON, as with --format json.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Repeat the matching of the period with the rules of a file, and print the lines that they would have explained
    /// otherwise. Nothing is written. Needs the master key, because texts of the bank are read.
    #[arg(long, requires = "rules", conflicts_with_all = ["output", "format"])]
    pub replay: bool,
    /// File with matching rules in TOML, as for `daybook ops rules`.
    #[arg(long, value_name = "FILE", requires = "replay")]
    pub rules: Option<PathBuf>,
    /// Database to use.
    #[command(flatten)]
    pub database: Database,
    /// Bank, with the same options as for `serve`.
    #[command(flatten)]
    pub bank: Bank,
}

/// Format of a reconciliation with the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PackFormat {
    /// Tables for a terminal.
    Table,
    /// One JSON record.
    Json,
    /// A file for each list.
    Csv,
    /// A page to print.
    Html,
}

/// Options of a reconciliation.
#[derive(Clone, Debug, Args)]
pub struct Reconciliation {
    /// Position of the log or time (2026-03-01T12:00:00Z) whose state is compared; by default now.
    #[arg(long)]
    pub at: Option<String>,
    /// Only this read model, as `projection list` shows it; may be given several times.
    #[arg(long = "model", value_name = "NAME")]
    pub models: Vec<Model>,
    /// Maximum number of differing rows to show per table.
    #[arg(long, default_value_t = MAX_ROWS_SHOWN)]
    pub limit: u64,
    /// Maximum memory for a page of the log, in MiB.
    #[arg(long, default_value_t = PAGE_MEMORY_MIB)]
    pub memory: u64,
    /// Shards to use.
    #[command(flatten)]
    pub of: ShardOption,
    /// Print JSON lines: every difference, every table, a summary.
    #[arg(long)]
    pub json: bool,
    /// Database to use.
    #[command(flatten)]
    pub database: Database,
}

impl Reconciliation {
    /// Reconciles all read models and tables of shards, in their present state.
    #[must_use]
    pub const fn of_all(of: ShardOption, json: bool, database: Database) -> Self {
        Self { at: None, models: vec![], limit: MAX_ROWS_SHOWN, memory: PAGE_MEMORY_MIB, of, json, database }
    }
}
