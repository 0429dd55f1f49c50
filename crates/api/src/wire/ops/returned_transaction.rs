//! Record of a returned transaction for operators: with its return code, without names.

use daybook_domain::TransactionId;
use daybook_domain::transaction::{ReturnContested, Transaction};
use daybook_engine::rails::ach::Notice;
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
    /// Notices in which the bank of the other account insists on a return that was dishonored; empty for most returns.
    contests: Vec<Contest>,
    created_on: i64,
    from: Side,
    /// Title of the return code.
    reason: &'static str,
    to: Side,
}

/// A contested dishonored return.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct Contest {
    /// Code of the notice, such as `R73`.
    code: &'static str,
    /// Code of the dishonored return, such as `R68`.
    dishonored_code: &'static str,
    /// Trace of the dishonored return.
    dishonored_trace: String,
    /// Title of the code.
    reason: &'static str,
    /// Code of the return, such as `R01`.
    returned_code: String,
    /// Day of the return; null if the bank does not state it.
    returned_on: Option<String>,
    /// Trace of the return.
    returned_trace: String,
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
        contests: transaction.contests.iter().map(Contest::of).collect(),
        created_on: transaction.created_at.ms(),
        from: side::render(&transaction.from),
        reason: code.title(),
        to: side::render(&transaction.to),
    })
}

impl Contest {
    fn of(notice: &ReturnContested) -> Self {
        let trace = |trace: u64| format!("{trace:015}");
        let code = notice.code.as_str();
        Self {
            code,
            dishonored_code: notice.dishonored.code.as_str(),
            dishonored_trace: trace(notice.dishonored.trace),
            reason: Notice::title(code).unwrap_or_default(),
            returned_code: notice.returned.code.to_string(),
            returned_on: notice.returned_on.map(|day| day.to_string()),
            returned_trace: trace(notice.returned.trace),
        }
    }
}
