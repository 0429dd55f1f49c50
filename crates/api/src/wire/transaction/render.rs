//! Record of a transaction. Every field is always present; values that were not set are empty texts.

use daybook_domain::posting::Rail;
use daybook_domain::transaction::{self, Fee, Party};
use daybook_domain::{Money, TransactionId, UserId};
use daybook_engine::{Comment, TransactionDetails};
use daybook_projector::RecordedEvent;
use serde::Serialize;
use utoipa::ToSchema;

use super::timeline::{Entry, timeline};
use crate::description::values::NodeType;
use crate::wire::Listed;
use crate::wire::amount::{Amount, Decimal};
use crate::wire::record::{Client, Links};

/// Data that the record of a transaction is rendered from.
#[derive(Clone, Copy)]
pub struct TransactionView<'a> {
    /// Id of the transaction.
    pub id: TransactionId,
    /// User who sees the record: the owner of one of its sides.
    pub viewer: UserId,
    /// State of the transaction.
    pub transaction: &'a transaction::Transaction,
    /// Opened details; the default if they could not be opened.
    pub details: &'a TransactionDetails,
    /// Events of the transaction to show, oldest first.
    pub events: &'a [RecordedEvent],
    /// Opened comments among the events, in order.
    pub comments: &'a [Option<Comment>],
    /// Names of the sender; ignored for an external sender.
    pub from: Names<'a>,
    /// Names of the receiver.
    pub to: Names<'a>,
    /// Platform of the transaction.
    pub client: &'a Client,
    /// Base URL of the API.
    pub base_url: &'a str,
}

/// Names of one side of a transaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names<'a> {
    /// Nickname of the node.
    pub nickname: &'a str,
    /// Legal names of the owner.
    pub legal_names: &'a [String],
}

/// A transaction: a payment from one node to another, or between a node and an external account.
#[derive(Clone, Serialize, ToSchema)]
pub struct Transaction {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_links")]
    links: Links,
    #[serde(rename = "_v")]
    version: u8,
    amount: Amount,
    client: Client,
    extra: Extra,
    fees: Vec<FeeOut>,
    from: Side,
    recent_status: Entry,
    timeline: Vec<Entry>,
    to: Side,
}

impl Listed for Transaction {
    const KEYS: (&'static str, &'static str) = ("trans", "trans_count");
}

#[derive(Clone, Serialize, ToSchema)]
#[schema(as = TransactionExtra)]
struct Extra {
    created_on: i64,
    ip: String,
    latlon: &'static str,
    note: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Other>,
    process_on: i64,
    supp_id: String,
}

/// URLs of the attachments.
#[derive(Clone, Serialize, ToSchema)]
#[schema(as = Papers)]
struct Other {
    attachments: Vec<String>,
}

#[derive(Clone, Serialize, ToSchema)]
#[schema(as = Fee)]
struct FeeOut {
    fee: Decimal,
    note: String,
    to: FeeReceiver,
}

#[derive(Clone, Serialize, ToSchema)]
struct FeeReceiver {
    id: String,
}

#[derive(Clone, Serialize, ToSchema)]
#[schema(as = TransactionSide)]
struct Side {
    id: String,
    nickname: String,
    #[serde(rename = "type")]
    #[schema(value_type = NodeType)]
    kind: &'static str,
    user: Owner,
}

#[derive(Clone, Serialize, ToSchema)]
struct Owner {
    #[serde(rename = "_id")]
    id: String,
    legal_names: Vec<String>,
}

/// Renders the record.
#[must_use]
pub fn render(view: &TransactionView<'_>) -> Transaction {
    let TransactionView { id, transaction, details, .. } = *view;
    let timeline = timeline(view.events, view.comments, transaction.amount.currency);
    Transaction {
        id: id.to_string(),
        links: link(view),
        version: 2,
        amount: transaction.amount.into(),
        client: view.client.clone(),
        extra: Extra {
            created_on: transaction.created_at.ms(),
            ip: details.ip.clone().unwrap_or_default(),
            latlon: "0,0",
            note: details.note.clone().unwrap_or_default(),
            other: attachments(view),
            process_on: transaction.process_on.ms(),
            supp_id: details.supp_id.clone().unwrap_or_default(),
        },
        fees: fees(transaction, details),
        from: side(transaction.from, view.from),
        recent_status: timeline.last().cloned().unwrap_or_default(),
        timeline,
        to: side(transaction.to, view.to),
    }
}

/// Makes the link through the node that the viewer owns; through the sender's node if both belong to the viewer.
fn link(view: &TransactionView<'_>) -> Links {
    let sides = [view.transaction.from, view.transaction.to];
    let mut owned = sides.into_iter().filter_map(|side| side.user().zip(side.node()));
    let near = owned.find(|(user, _)| *user == view.viewer);
    let id = view.id;
    match near {
        Some((user, node)) => Links::to(view.base_url, format_args!("users/{user}/nodes/{node}/trans/{id}")),
        None => Links::to(view.base_url, format_args!("trans/{id}")),
    }
}

/// Returns the attachments if the viewer uploaded them.
fn attachments(view: &TransactionView<'_>) -> Option<Other> {
    let TransactionView { id, viewer, transaction, base_url, .. } = *view;
    let node = transaction.from.node().filter(|_| viewer == transaction.subject)?;
    let path = |attachment| {
        format!("{base_url}/v3.1/users/{viewer}/nodes/{node}/trans/{id}/attachments/{attachment}")
    };
    let attachments: Vec<_> = transaction.attachments.iter().map(path).collect();
    (!attachments.is_empty()).then_some(Other { attachments })
}

fn fees(transaction: &transaction::Transaction, details: &TransactionDetails) -> Vec<FeeOut> {
    let notes = details.fee_notes.iter().map(Option::as_deref).chain(std::iter::repeat(None));
    let render = |(Fee { minor, to }, note): (&Fee, Option<&str>)| FeeOut {
        fee: Decimal(Money::new(*minor, transaction.amount.currency)),
        note: note.unwrap_or_default().to_owned(),
        to: FeeReceiver { id: to.to_string() },
    };
    transaction.fees.iter().zip(notes).map(render).collect()
}

fn side(party: Party, names: Names<'_>) -> Side {
    match party {
        Party::Node { id, user, kind } => Side {
            id: id.to_string(),
            nickname: names.nickname.to_owned(),
            kind: kind.as_str(),
            user: Owner { id: user.to_string(), legal_names: names.legal_names.to_vec() },
        },
        Party::Outside { rail } => Side {
            id: String::new(),
            nickname: "External account".to_owned(),
            kind: match rail {
                Rail::Ach => "ACH-US",
                Rail::Wire => "WIRE-US",
                Rail::Check => "CHECK-US",
            },
            user: Owner { id: String::new(), legal_names: Vec::new() },
        },
    }
}

#[cfg(test)]
mod tests;
