//! Options of `daybook ops`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Bank, Database};

/// What operators do.
#[derive(Debug, Subcommand)]
pub enum Ops {
    /// List the transactions that are held back, with the causes.
    Queued(Desk),
    /// List the transactions that came back, with the codes; D01 to D03 are our own.
    Returned(Desk),
    /// List what operators asked for.
    Operations {
        /// Only what waits for approval.
        #[arg(long)]
        waiting: bool,
        /// Who asks, and where.
        #[command(flatten)]
        desk: Desk,
    },
    /// Do something to the ledger, or ask for another operator's approval to do it.
    Operate {
        /// The act as JSON, as the API takes it.
        act: String,
        /// Why.
        #[arg(long)]
        reason: String,
        /// Who asks, and where.
        #[command(flatten)]
        desk: Desk,
    },
    /// Have done what another operator asked for.
    Approve {
        /// The operation.
        id: String,
        /// Who asks, and where.
        #[command(flatten)]
        desk: Desk,
    },
    /// Have it not done.
    Decline {
        /// The operation.
        id: String,
        /// Who asks, and where.
        #[command(flatten)]
        desk: Desk,
    },
    /// List what no statement has explained yet, with its age.
    OpenItems(Desk),
    /// List the files for the bank, or print one.
    Files {
        /// The file to print, as the bank gets it.
        id: Option<String>,
        /// Who asks, and where.
        #[command(flatten)]
        desk: Desk,
    },
    /// Take in a file of returns from the bank.
    Returns {
        /// The file.
        file: PathBuf,
        /// Who asks, and where.
        #[command(flatten)]
        desk: Desk,
    },
    /// Book the bank's statement of a day.
    Statement {
        /// The file.
        file: PathBuf,
        /// Who asks, and where.
        #[command(flatten)]
        desk: Desk,
    },
}

/// Who asks, and where. The operator's secret comes from `DAYBOOK_OPERATOR_SECRET` alone: a command line is seen by
/// everybody on the machine.
#[derive(Clone, Debug, Args)]
pub struct Desk {
    /// The platform: its client id, or its own.
    #[arg(long)]
    pub platform: String,
    /// The operator: `operator_id_…`.
    #[arg(long)]
    pub operator: String,
    /// Answer as JSON, a record a line; where nobody sits at a terminal that is the answer of `ops` anyway.
    #[arg(long)]
    pub json: bool,
    /// Where the database is.
    #[command(flatten)]
    pub database: Database,
    /// As whom the bank knows us; as for `serve`.
    #[command(flatten)]
    pub bank: Bank,
}
