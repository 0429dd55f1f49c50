//! Options of `daybook key`.

use std::path::PathBuf;

use clap::Subcommand;

/// Commands of `daybook key`.
#[derive(Debug, Subcommand)]
pub enum Key {
    /// Create a signing key in a new file that only its owner can read.
    Create {
        /// Permanent name of the log in checkpoints: a name that you own, and the shard, such as ledger.example/1.
        #[arg(long)]
        origin: String,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// New file.
        file: PathBuf,
    },
    /// Show the public key, which verifiers need.
    Show {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// File with the signing key.
        file: PathBuf,
    },
}
