//! Options of `daybook webhook`.

use clap::Subcommand;
use daybook_domain::SubscriptionId;

use super::Database;

/// Commands of `daybook webhook`.
#[derive(Debug, Subcommand)]
pub enum Webhook {
    /// Redeliver a subscription's events from a position on; the running service delivers them.
    Replay {
        /// Id of the subscription.
        subscription: SubscriptionId,
        /// First position to redeliver.
        #[arg(long)]
        from: u64,
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Database to use.
        #[command(flatten)]
        database: Database,
    },
}
