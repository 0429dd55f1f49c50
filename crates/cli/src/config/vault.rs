//! Options of `daybook vault`.

use std::path::PathBuf;

use clap::Subcommand;

use super::Database;

/// Commands of `daybook vault`. The vault contains the keys of personal data, wrapped under the master key.
#[derive(Debug, Subcommand)]
pub enum Vault {
    /// Rewrap all keys under a new master key, while the service runs; the service must have both master keys already.
    /// An interrupted rotation continues when it is started again.
    Rotate {
        /// File with the new master key, 32 random bytes; the old one is given by --master-key.
        #[arg(long)]
        new_master_key: PathBuf,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
}
