//! Options of `daybook subject`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use daybook_domain::UserId;
use daybook_domain::calendar::Day;
use daybook_domain::user::{ErasureReason, HoldReason};

use super::{Database, OperatorOptions};

/// Commands of `daybook subject`.
#[derive(Debug, Subcommand)]
pub enum Subject {
    /// Export all data about a person as JSON, with opened boxes, one record per line.
    Export {
        /// Id of the user.
        user: UserId,
        /// File to write, which must not exist; only its owner can read it. By default standard output.
        #[arg(long)]
        output: Option<PathBuf>,
        /// Operator, platform and database.
        #[command(flatten)]
        desk: OperatorOptions,
    },
    /// Set a legal hold, which prevents the erasure of a user, or end it.
    Hold {
        /// Id of the user.
        user: UserId,
        /// Reason for the legal hold.
        #[arg(long, required_unless_present = "release")]
        reason: Option<Hold>,
        /// End the legal hold.
        #[arg(long, conflicts_with = "reason")]
        release: bool,
        /// Operator, platform and database.
        #[command(flatten)]
        desk: OperatorOptions,
    },
    /// Set the date until which the records of a user must be kept.
    Retain {
        /// Id of the user.
        user: UserId,
        /// First day on which the records need not be kept: 2031-03-01.
        #[arg(long)]
        until: Day,
        /// Operator, platform and database.
        #[command(flatten)]
        desk: OperatorOptions,
    },
    /// Erase a closed user by destroying its keys (crypto-shredding): no personal data can be read any more, and this
    /// cannot be undone.
    Erase {
        /// Id of the user.
        user: UserId,
        /// Reason for the erasure.
        #[arg(long)]
        reason: Reason,
        /// Close the user first, permanently; it stays closed even if it cannot be erased.
        #[arg(long)]
        close: bool,
        /// Operator, platform and database.
        #[command(flatten)]
        desk: OperatorOptions,
    },
    /// Search every table for remaining data of an erased user; exit code 1 if there is some.
    VerifyErased {
        /// Id of the user.
        user: UserId,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
}

/// Reason for a legal hold.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Hold {
    /// A lawsuit that is pending or expected.
    Litigation,
    /// An investigation by the company or by an authority.
    Investigation,
    /// A request of a supervisor.
    Regulator,
}

impl From<Hold> for HoldReason {
    fn from(hold: Hold) -> Self {
        match hold {
            Hold::Litigation => Self::Litigation,
            Hold::Investigation => Self::Investigation,
            Hold::Regulator => Self::Regulator,
        }
    }
}

/// Reason for an erasure.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Reason {
    /// The person requested it.
    Requested,
    /// The retention period of the person's records is over.
    RetentionOver,
    /// A court or an authority ordered it.
    Ordered,
}

impl From<Reason> for ErasureReason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Requested => Self::Requested,
            Reason::RetentionOver => Self::RetentionOver,
            Reason::Ordered => Self::Ordered,
        }
    }
}
