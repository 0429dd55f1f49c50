//! Options of `daybook replay`.

use clap::Args;
use daybook_domain::{
    AttachmentId, CustodyId, Key, NodeId, OperationId, PlatformId, SubnetId, SubscriptionId, TransactionId,
    UserId,
};

use super::Database;

/// Options of `daybook replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// Position of the log or time (2026-03-01T12:00:00Z) up to which events count; by default the end of the log.
    #[arg(long)]
    pub until: Option<String>,
    /// Record to replay.
    #[command(flatten)]
    pub record: Record,
    /// Also show the events of the record.
    #[arg(long)]
    pub events: bool,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
    /// Database to use.
    #[command(flatten)]
    pub database: Database,
}

/// One record.
#[derive(Clone, Copy, Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Record {
    /// Id of a user.
    #[arg(long, value_name = "ID")]
    user: Option<UserId>,
    /// Id of a node; its ledger accounts are shown as well.
    #[arg(long, value_name = "ID")]
    node: Option<NodeId>,
    /// Id of a transaction.
    #[arg(long, value_name = "ID")]
    transaction: Option<TransactionId>,
    /// Id of a subnet: an account number of a node.
    #[arg(long, value_name = "ID")]
    subnet: Option<SubnetId>,
    /// Id of a subscription.
    #[arg(long, value_name = "ID")]
    subscription: Option<SubscriptionId>,
    /// Id of an operation.
    #[arg(long, value_name = "ID")]
    operation: Option<OperationId>,
    /// Id of an attachment: a paper, or an image of a document.
    #[arg(long, value_name = "ID")]
    attachment: Option<AttachmentId>,
    /// Id of a custody: an account at a bank.
    #[arg(long, value_name = "ID")]
    custody: Option<CustodyId>,
    /// Id of a platform.
    #[arg(long, value_name = "ID")]
    platform: Option<PlatformId>,
}

impl Record {
    /// Returns the kind of the named record and its stream. `None` only if the options were not parsed by clap.
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
