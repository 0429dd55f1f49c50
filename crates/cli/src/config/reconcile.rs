//! Options of `daybook reconcile`.

use clap::{Args, Subcommand};
use daybook_projector::Model;

use super::Database;

/// How many differing rows of each table are shown.
const LIMIT: u64 = 20;
/// How much memory a page of the log may take, in MiB.
const MEMORY: u64 = 256;

/// Proving that what is served is what the log says.
#[derive(Debug, Subcommand)]
pub enum Reconcile {
    /// Fold the log anew and compare with what is served; exit code 1 if they differ.
    Replay(Reconciliation),
}

/// What to reconcile.
#[derive(Clone, Debug, Args)]
pub struct Reconciliation {
    /// What was served at a position of the log or a time (2026-03-01T12:00:00Z); what is served now without it.
    #[arg(long)]
    pub at: Option<String>,
    /// Only this read model, as `projection list` shows it; may be named several times.
    #[arg(long = "model", value_name = "NAME")]
    pub models: Vec<Model>,
    /// How many differing rows of each table are shown.
    #[arg(long, default_value_t = LIMIT)]
    pub limit: u64,
    /// How much memory a page of the log may take, in MiB.
    #[arg(long, default_value_t = MEMORY)]
    pub memory: u64,
    /// Answer as JSON lines: every difference, every table, a summary.
    #[arg(long)]
    pub json: bool,
    /// Where the database is.
    #[command(flatten)]
    pub database: Database,
}

impl Reconciliation {
    /// Everything, as it is served now.
    #[must_use]
    pub const fn of_all(json: bool, database: Database) -> Self {
        Self { at: None, models: vec![], limit: LIMIT, memory: MEMORY, json, database }
    }
}
