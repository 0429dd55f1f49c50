//! Record of a returned transaction for operators: with its return code, without names.

use daybook_domain::TransactionId;
use daybook_domain::transaction::Transaction;
use serde::Serialize;
use utoipa::ToSchema;

use super::side::{self, Side};
use crate::wire::Listed;
use crate::wire::amount::Amount;

/// A returned transaction.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReturnedTransaction {
    #[serde(rename = "_id")]
    id: String,
    amount: Amount,
    /// Return code: of the bank, such as `R01`, or of Daybook, such as `D01`, for a payment that could not be sent to a
    /// bank.
    code: String,
    created_on: i64,
    from: Side,
    /// Title of the return code.
    reason: &'static str,
    to: Side,
}

impl Listed for ReturnedTransaction {
    const KEYS: (&'static str, &'static str) = ("returned", "returned_count");
}

/// Renders the record; returns `None` for a transaction that was not returned.
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
