//! Options of `key`.

use std::path::PathBuf;

use clap::Subcommand;

/// What `daybook key` can do.
#[derive(Debug, Subcommand)]
pub enum Key {
    /// Make a key, in a new file that its owner alone can read.
    Create {
        /// What the log is called, in checkpoints and for ever: a name of yours and the shard, as ledger.example/1.
        #[arg(long)]
        origin: String,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// The new file.
        file: PathBuf,
    },
    /// Show the public key, for everybody who verifies.
    Show {
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// The file with the key.
        file: PathBuf,
    },
}
