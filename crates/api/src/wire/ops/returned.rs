//! Outcome of each entry of a bank's file of returns.

use daybook_engine::ops::{ProcessedReturn, ReturnOutcome};
use daybook_engine::rails::ach::Notice;
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::amount::Decimal;

/// An entry of a bank's file with its outcome.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Returned {
    amount: Decimal,
    code: String,
    outcome: &'static str,
    text: Option<String>,
    trace: String,
    trans_id: Option<String>,
}

/// An imported file of returns.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ReturnsFile)]
pub struct Returns {
    limit: usize,
    /// Entries that were not processed and need an operator's attention.
    needs_person: Vec<Returned>,
    page: u32,
    page_count: u32,
    return_count: usize,
    /// All entries with their outcomes, in the order of the file.
    returns: Vec<Returned>,
    success: bool,
}

/// Renders the answer about a whole file.
#[must_use]
pub fn render_all(taken: &[ProcessedReturn]) -> Returns {
    let count = taken.len();
    Returns {
        limit: count.max(1),
        needs_person: taken.iter().filter(|taken| taken.needs_person()).map(render).collect(),
        page: 1,
        page_count: u32::from(count > 0),
        return_count: count,
        returns: taken.iter().map(render).collect(),
        success: true,
    }
}

/// Renders the record of an entry. Files of returns are in dollars.
#[must_use]
pub fn render(taken: &ProcessedReturn) -> Returned {
    let (outcome, text) = match &taken.fate {
        ReturnOutcome::Returned => ("returned", None),
        ReturnOutcome::Known => ("returned_before", None),
        ReturnOutcome::UnknownTrace => ("unknown_trace", Some("no entry of ours has this trace".to_owned())),
        ReturnOutcome::OtherAmount => ("other_amount", Some("the entry was of another amount".to_owned())),
        ReturnOutcome::Refused(refusal) => ("refused", Some(refusal.to_string())),
        ReturnOutcome::Notice(notice, title) => (outcome_of(*notice), Some((*title).to_owned())),
        ReturnOutcome::UnknownCode => ("unknown_code", Some("no rule knows this code".to_owned())),
        ReturnOutcome::NotUnderstood(error) => ("not_understood", Some(error.to_string())),
    };
    Returned {
        amount: Decimal(taken.amount()),
        code: taken.entry.code.clone(),
        outcome,
        text,
        trace: taken.entry.trace.clone(),
        trans_id: taken.transaction.map(|id| id.to_string()),
    }
}

/// Returns the outcome of a notice that a bank sends beside returns.
const fn outcome_of(notice: Notice) -> &'static str {
    match notice {
        Notice::Change => "notification_of_change",
        Notice::RefusedChange => "refused_notification",
        Notice::Dishonored => "dishonored",
        Notice::Contested => "contested",
    }
}
