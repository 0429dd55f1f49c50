//! Options of `daybook projection`.

use clap::{Args, Subcommand};
use daybook_projector::Model;

use super::Database;

/// Versions of read models.
#[derive(Debug, Subcommand)]
pub enum Projection {
    /// Show every read model's versions and their stages.
    List {
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
    /// Make the next version of a read model beside the one that is read, or go on with the one that was begun.
    Rebuild(Rebuild),
    /// Compare the version beside the one that is read with it; exit code 1 if they differ, 2 if a column was not
    /// compared.
    Diff(Diff),
    /// Read the new version, which must have been compared and found the same; the old one is fed on.
    Switch {
        /// Even if it differs, or was not compared.
        #[arg(long)]
        although_it_differs: bool,
        /// What `projection diff` does not compare, and may be new.
        #[command(flatten)]
        uncompared: Uncompared,
        /// Which one.
        #[command(flatten)]
        one: One,
    },
    /// Read the version again that was read before.
    Rollback(One),
    /// Drop the tables of versions that are not read; refused while a process may still ask for them.
    Drop {
        /// Its number; without it, all that are not read.
        #[arg(long)]
        version: Option<u16>,
        /// Which one.
        #[command(flatten)]
        one: One,
    },
}

/// One read model.
#[derive(Clone, Debug, Args)]
pub struct One {
    /// Its name, as `projection list` shows it.
    pub name: Model,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
    /// Where the database is.
    #[command(flatten)]
    pub database: Database,
}

/// Columns that two versions do not share.
#[derive(Clone, Debug, Args)]
pub struct Uncompared {
    /// Columns that changed on purpose and are not compared: TABLE.COLUMN, several with commas between them.
    #[arg(long, value_name = "TABLE.COLUMN", value_delimiter = ',')]
    pub not_compared: Vec<String>,
}

/// Options of `projection rebuild`.
#[derive(Clone, Debug, Args)]
pub struct Rebuild {
    /// How much memory a page of the log may take, in MiB.
    #[arg(long, default_value_t = 256)]
    pub memory: u64,
    /// Tell how much would be read and written, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Which one.
    #[command(flatten)]
    pub one: One,
}

/// Options of `projection diff`.
#[derive(Clone, Debug, Args)]
pub struct Diff {
    /// How many differing rows of each table are shown.
    #[arg(long, default_value_t = 20)]
    pub limit: u64,
    /// What is not compared, and need not be.
    #[command(flatten)]
    pub uncompared: Uncompared,
    /// Which one.
    #[command(flatten)]
    pub one: One,
}
