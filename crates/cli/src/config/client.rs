//! Options of `daybook client`.

use std::time::Duration;

use clap::Subcommand;
use daybook_domain::Timestamp;

use super::{Database, parse_duration, parse_time, parse_time_zone};

/// Commands of `daybook client`.
#[derive(Debug, Subcommand)]
pub enum Client {
    /// Create a platform and show its credentials; the secret is shown only once.
    Create {
        /// Name of the company.
        name: String,
        /// Simulate banks and identity checks.
        #[arg(long)]
        sandbox: bool,
        /// Shard of the platform; it cannot be changed. By default the open one with the fewest platforms.
        #[arg(long)]
        shard: Option<i16>,
        /// Time zone in which the months of the platform begin and end; it cannot be changed: Europe/Berlin.
        #[arg(long, default_value = "UTC", value_parser = parse_time_zone)]
        time_zone: String,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
    /// List all platforms and their secrets, including expired and revoked ones.
    List {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
    /// Create a further secret and show it once; the previous one stays valid for a while.
    Rotate {
        /// Public half of the credentials: `client_id_…`.
        id: String,
        /// Time for which the previous secret stays valid: 0s, 24h.
        #[arg(long, default_value = "24h", value_parser = parse_duration)]
        overlap: Duration,
        /// Time at which the previous secret ends, instead of --overlap: 2026-03-01T12:00:00Z.
        #[arg(long, conflicts_with = "overlap", value_parser = parse_time)]
        until: Option<Timestamp>,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
    /// Revoke the secrets of a platform, and the keys that were issued under them, immediately and permanently.
    Revoke {
        /// Public half of the credentials: `client_id_…`.
        id: String,
        /// Number of one secret, as `list` shows it; by default all of them.
        #[arg(long)]
        secret: Option<i32>,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
}
