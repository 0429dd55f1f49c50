//! What became of each entry of a file of returns.

use daybook_engine::ops::{Fate, TakenReturn};
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::amount::Decimal;

/// An entry that came back.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Returned {
    amount: Decimal,
    code: String,
    outcome: &'static str,
    text: Option<String>,
    trace: String,
    trans_id: Option<String>,
}

/// The record. Files of returns are in dollars.
#[must_use]
pub fn render(taken: &TakenReturn) -> Returned {
    let (outcome, text) = match &taken.fate {
        Fate::Returned => ("returned", None),
        Fate::Known => ("returned_before", None),
        Fate::UnknownTrace => ("unknown_trace", Some("no entry of ours has this trace".to_owned())),
        Fate::OtherAmount => ("other_amount", Some("the entry was of another amount".to_owned())),
        Fate::Refused(refusal) => ("refused", Some(refusal.to_string())),
    };
    Returned {
        amount: Decimal(taken.amount()),
        code: taken.entry.code.to_string(),
        outcome,
        text,
        trace: taken.entry.trace.clone(),
        trans_id: taken.transaction.map(|id| id.to_string()),
    }
}
