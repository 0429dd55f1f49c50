//! Options of `daybook webhook`.

use clap::Subcommand;
use daybook_domain::SubscriptionId;

use super::Database;

/// What `daybook webhook` can do.
#[derive(Debug, Subcommand)]
pub enum Webhook {
    /// Have a subscription told again of everything from a position on; the service that runs does it.
    Replay {
        /// The subscription.
        subscription: SubscriptionId,
        /// The first position.
        #[arg(long)]
        from: u64,
        /// Answer as JSON.
        #[arg(long)]
        json: bool,
        /// Where the database is.
        #[command(flatten)]
        database: Database,
    },
}
