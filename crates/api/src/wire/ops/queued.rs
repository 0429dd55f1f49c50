//! Record of a queued transaction for operators: with reasons, without names.

use daybook_domain::transaction::{QueueReason, Transaction};
use daybook_domain::{Timestamp, TransactionId};
use serde::Serialize;
use utoipa::ToSchema;

use super::side::{self, Side};
use crate::wire::Listed;
use crate::wire::amount::Amount;

/// A queued transaction: it is held back until its reasons are gone or it is released.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Queued {
    #[serde(rename = "_id")]
    id: String,
    amount: Amount,
    created_on: i64,
    from: Side,
    queued_on: Option<i64>,
    reasons: Vec<Reason>,
    to: Side,
}

impl Listed for Queued {
    const KEYS: (&'static str, &'static str) = ("queued", "queued_count");
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = QueuedReason)]
struct Reason {
    code: &'static str,
    #[schema(value_type = String)]
    reason: QueueReason,
}

/// Renders the record.
#[must_use]
pub fn render(id: TransactionId, transaction: &Transaction) -> Queued {
    Queued {
        id: id.to_string(),
        amount: transaction.amount.into(),
        created_on: transaction.created_at.ms(),
        from: side::render(&transaction.from),
        queued_on: transaction.queued_at.map(|(since, _)| Timestamp::ms(since)),
        reasons: transaction.queue.iter().map(|&reason| Reason { code: reason.code(), reason }).collect(),
        to: side::render(&transaction.to),
    }
}
