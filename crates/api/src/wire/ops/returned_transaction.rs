//! A transaction that came back, as operators see it: no names, but the code.

use daybook_domain::TransactionId;
use daybook_domain::transaction::Transaction;
use serde::Serialize;
use utoipa::ToSchema;

use super::side::{self, Side};
use crate::wire::Listed;
use crate::wire::amount::Amount;

/// A transaction that came back.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReturnedTransaction {
    #[serde(rename = "_id")]
    id: String,
    amount: Amount,
    /// Of the bank, `R01`; of ours, `D01`, where no bank could be told of it.
    code: String,
    created_on: i64,
    from: Side,
    /// The title of the code.
    reason: &'static str,
    to: Side,
}

impl Listed for ReturnedTransaction {
    const KEYS: (&'static str, &'static str) = ("returned", "returned_count");
}

/// The record; none of a transaction that did not come back.
#[must_use]
pub fn render(id: TransactionId, transaction: &Transaction) -> Option<ReturnedTransaction> {
    let code = transaction.return_code?;
    Some(ReturnedTransaction {
        id: id.to_string(),
        amount: transaction.amount.into(),
        code: code.to_string(),
        created_on: transaction.created_at.ms(),
        from: side::render(&transaction.from),
        reason: code.title(),
        to: side::render(&transaction.to),
    })
}
