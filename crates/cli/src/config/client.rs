//! Options of `daybook client`.

use std::time::Duration;

use clap::Subcommand;
use daybook_domain::Timestamp;

use super::{Database, parse_duration, parse_time, parse_time_zone};

/// Managing platforms.
#[derive(Debug, Subcommand)]
pub enum Client {
    /// Make a platform and show its credentials; the secret is shown this once.
    Create {
        /// The company's name.
        name: String,
        /// Simulate banks and identity checks.
        #[arg(long)]
        sandbox: bool,
        /// The time zone in which its months begin and end, for good: Europe/Berlin.
        #[arg(long, default_value = "UTC", value_parser = parse_time_zone)]
        time_zone: String,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
    /// List all platforms and their secrets, those that are good no more too.
    List {
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
    /// Make a further secret and show it this once; the one before stays good for a while.
    Rotate {
        /// The public half of the credentials: `client_id_…`.
        id: String,
        /// How long the secret before stays good: 0s, 24h.
        #[arg(long, default_value = "24h", value_parser = parse_duration)]
        overlap: Duration,
        /// Until when the secret before stays good, in place of how long: 2026-03-01T12:00:00Z.
        #[arg(long, conflicts_with = "overlap", value_parser = parse_time)]
        until: Option<Timestamp>,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
    /// Make a platform's secrets, and the keys that were issued under them, open nothing, at once and for good.
    Revoke {
        /// The public half of the credentials: `client_id_…`.
        id: String,
        /// The number of one secret, as `list` shows it; without it, all of them.
        #[arg(long)]
        secret: Option<i32>,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
}
