//! Options of `daybook subject`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use daybook_domain::UserId;
use daybook_domain::calendar::Day;
use daybook_domain::user::{ErasureReason, HoldReason};

use super::{Database, Desk};

/// The persons whom data is about.
#[derive(Debug, Subcommand)]
pub enum Subject {
    /// Write everything about one person, boxes opened, as JSON: a record a line.
    Export {
        /// The user.
        user: UserId,
        /// File to write, which must not be there; it is made for its owner alone. Without it, standard output.
        #[arg(long)]
        output: Option<PathBuf>,
        /// Who asks, and where.
        #[command(flatten)]
        desk: Desk,
    },
    /// Set a legal hold, under which nobody is erased, or end it.
    Hold {
        /// The user.
        user: UserId,
        /// Why.
        #[arg(long, required_unless_present = "release")]
        reason: Option<Hold>,
        /// End it.
        #[arg(long, conflicts_with = "reason")]
        release: bool,
        /// Who asks, and where.
        #[command(flatten)]
        desk: Desk,
    },
    /// Say until when the records of a user must be kept.
    Retain {
        /// The user.
        user: UserId,
        /// The first day on which they need not be: 2031-03-01.
        #[arg(long)]
        until: Day,
        /// Who asks, and where.
        #[command(flatten)]
        desk: Desk,
    },
    /// Erase a user who is closed: nothing about the person can be read any more, anywhere, and nobody can undo it.
    Erase {
        /// The user.
        user: UserId,
        /// Why.
        #[arg(long)]
        reason: Reason,
        /// Close the user first, for good; it stays closed if it cannot be erased.
        #[arg(long)]
        close: bool,
        /// Who asks, and where.
        #[command(flatten)]
        desk: Desk,
    },
    /// Look in every table for what is left of a user who was erased; exit code 1 if something is.
    VerifyErased {
        /// The user.
        user: UserId,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
}

/// Why there is a legal hold.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Hold {
    /// A lawsuit, or one that is to be expected.
    Litigation,
    /// An investigation, of our own or of an authority.
    Investigation,
    /// A supervisor asked for it.
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

/// Why a user is erased.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Reason {
    /// The person asked for it.
    Requested,
    /// Its records need not be kept any longer.
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
