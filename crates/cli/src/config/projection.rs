//! Options of `daybook projection`.

use clap::{Args, Subcommand};
use daybook_projector::Model;

use super::{Database, ShardOption};

/// Commands of `daybook projection`.
#[derive(Debug, Subcommand)]
pub enum Projection {
    /// Show the versions of all read models, with their stages.
    List {
        /// Shards to use.
        #[command(flatten)]
        of: ShardOption,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
    /// Build the next version of a read model beside the active one, or continue a build that was begun.
    Rebuild(Rebuild),
    /// Compare the new version with the active one; exit code 1 if they differ, 2 if a column was not compared.
    Diff(Diff),
    /// Switch reads to the new version, which must have been compared and found equal; the old one is kept up to date.
    Switch {
        /// Switch even if the versions differ or were not compared.
        #[arg(long)]
        although_it_differs: bool,
        /// Columns that are not compared.
        #[command(flatten)]
        uncompared: IgnoredColumns,
        /// Read model.
        #[command(flatten)]
        one: ProjectionOptions,
    },
    /// Switch reads back to the previous version.
    Rollback(ProjectionOptions),
    /// Drop the tables of versions that are not read; refused while a process may still query them.
    Drop {
        /// Number of the version; by default all that are not read.
        #[arg(long)]
        version: Option<u16>,
        /// Read model.
        #[command(flatten)]
        one: ProjectionOptions,
    },
}

/// One read model.
#[derive(Clone, Debug, Args)]
pub struct ProjectionOptions {
    /// Name of the read model, as `projection list` shows it.
    pub name: Model,
    /// Shards to use.
    #[command(flatten)]
    pub of: ShardOption,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
    /// Database to use.
    #[command(flatten)]
    pub database: Database,
}

/// Columns that only one of two versions has.
#[derive(Clone, Debug, Args)]
pub struct IgnoredColumns {
    /// Columns that changed on purpose and are not compared: TABLE.COLUMN, separated by commas.
    #[arg(long, value_name = "TABLE.COLUMN", value_delimiter = ',')]
    pub not_compared: Vec<String>,
}

/// Options of `projection rebuild`.
#[derive(Clone, Debug, Args)]
pub struct Rebuild {
    /// Maximum memory for a page of the log, in MiB.
    #[arg(long, default_value_t = 256)]
    pub memory: u64,
    /// Show how much would be read and written, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Read model.
    #[command(flatten)]
    pub one: ProjectionOptions,
}

/// Options of `projection diff`.
#[derive(Clone, Debug, Args)]
pub struct Diff {
    /// Maximum number of differing rows to show per table.
    #[arg(long, default_value_t = 20)]
    pub limit: u64,
    /// Columns that are not compared.
    #[command(flatten)]
    pub uncompared: IgnoredColumns,
    /// Read model.
    #[command(flatten)]
    pub one: ProjectionOptions,
}
