//! Options of `daybook replay`.

use clap::Args;
use daybook_domain::{
    AttachmentId, CustodyId, Key, NodeId, OperationId, PlatformId, SubnetId, SubscriptionId, TransactionId,
    UserId,
};

use super::Database;

/// What to replay.
#[derive(Debug, Args)]
pub struct Replay {
    /// Up to a position of the log or a time (2026-03-01T12:00:00Z); up to its end without it.
    #[arg(long)]
    pub until: Option<String>,
    /// Whose events.
    #[command(flatten)]
    pub record: Record,
    /// Show the events that made it, too.
    #[arg(long)]
    pub events: bool,
    /// Answer as JSON.
    #[arg(long)]
    pub json: bool,
    /// Where the database is.
    #[command(flatten)]
    pub database: Database,
}

/// One record.
#[derive(Clone, Copy, Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Record {
    /// A user.
    #[arg(long, value_name = "ID")]
    user: Option<UserId>,
    /// A node, with its accounts.
    #[arg(long, value_name = "ID")]
    node: Option<NodeId>,
    /// A transaction.
    #[arg(long, value_name = "ID")]
    transaction: Option<TransactionId>,
    /// An account number of a node.
    #[arg(long, value_name = "ID")]
    subnet: Option<SubnetId>,
    /// A subscription.
    #[arg(long, value_name = "ID")]
    subscription: Option<SubscriptionId>,
    /// What an operator asked for.
    #[arg(long, value_name = "ID")]
    operation: Option<OperationId>,
    /// A paper, or an image of a document.
    #[arg(long, value_name = "ID")]
    attachment: Option<AttachmentId>,
    /// An account at a bank.
    #[arg(long, value_name = "ID")]
    custody: Option<CustodyId>,
    /// A platform.
    #[arg(long, value_name = "ID")]
    platform: Option<PlatformId>,
}

impl Record {
    /// What was named: the word for it and its stream; none only if the command line was made by hand.
    #[must_use]
    pub fn named(&self) -> Option<(&'static str, Key)> {
        let named = [
            ("user", self.user.map(Key::from)),
            ("node", self.node.map(Key::from)),
            ("transaction", self.transaction.map(Key::from)),
            ("subnet", self.subnet.map(Key::from)),
            ("subscription", self.subscription.map(Key::from)),
            ("operation", self.operation.map(Key::from)),
            ("attachment", self.attachment.map(Key::from)),
            ("custody", self.custody.map(Key::from)),
            ("platform", self.platform.map(Key::from)),
        ];
        named.into_iter().find_map(|(word, key)| Some((word, key?)))
    }
}
