//! Options of `daybook shard`.

use clap::{Args, Subcommand};

use super::Database;

/// Shards that a command is about.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct ShardOption {
    /// Only this shard; by default all of them.
    #[arg(long, value_name = "N")]
    pub shard: Option<i16>,
}

/// Shard that a command is about.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct OneShard {
    /// Shard of the log; required if there are several.
    #[arg(long, value_name = "N")]
    pub shard: Option<i16>,
}

/// Commands of `daybook shard`.
#[derive(Debug, Subcommand)]
pub enum Shard {
    /// List the shards with their platforms, positions and origins.
    List {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
    /// Add shards, while the service runs; a shard cannot be removed. New platforms go to the shard with the fewest.
    Add {
        /// Number of shards to add.
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..))]
        count: u8,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
    /// Let a shard take new platforms again.
    Open {
        /// Number of the shard.
        shard: i16,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
    /// Let a shard take no new platforms. Those that it has stay, and their requests are served.
    Close {
        /// Number of the shard.
        shard: i16,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
    /// Check that a shard has all it needs; exit code 1 if it lacks something.
    Check {
        /// Number of the shard; by default all.
        shard: Option<i16>,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
}
