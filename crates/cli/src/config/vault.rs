//! Options of `daybook vault`.

use std::path::PathBuf;

use clap::Subcommand;

use super::Database;

/// The vault: the keys of personal data, wrapped under the master key.
#[derive(Debug, Subcommand)]
pub enum Vault {
    /// Wrap every key again under a new master key, while the service runs; started again, it goes on. The service must
    /// have both keys by then.
    Rotate {
        /// File with the new master key, 32 random bytes; the old one is that of --master-key.
        #[arg(long)]
        new_master_key: PathBuf,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
}
