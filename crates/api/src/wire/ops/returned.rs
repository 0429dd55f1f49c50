//! Outcome of each entry of a bank's file of returns.

use daybook_engine::ops::{ProcessedReturn, ReturnOutcome};
use daybook_engine::rails::ach::{Content, EarlierEntry, Notice};
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::amount::Decimal;

/// An entry of a bank's file with its outcome.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Returned {
    amount: Decimal,
    code: String,
    /// Data of a notice that needs an operator's attention; null for every other entry.
    notice: Option<NoticeData>,
    outcome: &'static str,
    text: Option<String>,
    trace: String,
    trans_id: Option<String>,
}

/// Data of the record of a notification of change, of a dishonored or of a contested dishonored return. Absent data is
/// null.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
struct NoticeData {
    /// Corrected data of a notification of change, as written.
    corrected_data: Option<String>,
    /// The dishonored return, if it is contested.
    dishonored: Option<Earlier>,
    /// Additional text of a dishonored return.
    info: Option<String>,
    /// The return.
    returned: Option<Earlier>,
    /// Day of the return, if it is contested that it was dishonored.
    returned_on: Option<String>,
    /// Settlement day of the original entry, as the number of the day in its year.
    settlement_day: Option<u16>,
}

/// An earlier entry that a notice refers to.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = EarlierEntry)]
struct Earlier {
    code: String,
    /// Settlement day, as the number of the day in its year.
    settlement_day: Option<u16>,
    trace: String,
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
        ReturnOutcome::Corrected => ("corrected", None),
        ReturnOutcome::CorrectedBefore => ("corrected_before", None),
        ReturnOutcome::Contested(title) => ("contest_recorded", Some((*title).to_owned())),
        ReturnOutcome::ContestKnown => ("contest_recorded_before", None),
        ReturnOutcome::UnknownTrace => ("unknown_trace", Some("no entry of ours has this trace".to_owned())),
        ReturnOutcome::OtherAmount => ("other_amount", Some("the entry was of another amount".to_owned())),
        ReturnOutcome::Refused(refusal) => ("refused", Some(refusal.to_string())),
        ReturnOutcome::Notice(notice, title, reason) => {
            let text =
                reason.as_ref().map_or_else(|| (*title).to_owned(), |reason| format!("{title}; {reason}"));
            (outcome_of(*notice), Some(text))
        }
        ReturnOutcome::UnknownCode => ("unknown_code", Some("no rule knows this code".to_owned())),
        ReturnOutcome::NotUnderstood(error) => ("not_understood", Some(error.to_string())),
    };
    Returned {
        amount: Decimal(taken.amount()),
        code: taken.entry.code.clone(),
        notice: notice(&taken.entry.content).filter(|_| taken.needs_person()),
        outcome,
        text,
        trace: taken.entry.trace.clone(),
        trans_id: taken.transaction.map(|id| id.to_string()),
    }
}

/// Returns the data of a notice; none if its record has none that can be read.
fn notice(content: &Content) -> Option<NoticeData> {
    match content {
        Content::Changed(_, Ok(correction)) => {
            Some(NoticeData { corrected_data: Some(correction.text.clone()), ..NoticeData::default() })
        }
        Content::Dishonored(_, Ok(dishonored)) => Some(NoticeData {
            info: Some(dishonored.info.clone()),
            returned: Some(Earlier::of(&dishonored.returned)),
            ..NoticeData::default()
        }),
        Content::Contested(_, Ok(contested)) => Some(NoticeData {
            dishonored: Some(Earlier::of(&contested.dishonored)),
            returned: Some(Earlier::of(&contested.returned)),
            returned_on: contested.returned_on.map(|day| day.to_string()),
            settlement_day: contested.settlement_day,
            ..NoticeData::default()
        }),
        _ => None,
    }
}

impl Earlier {
    fn of(entry: &EarlierEntry) -> Self {
        let EarlierEntry { trace, settlement_day, code } = entry.clone();
        Self { code, settlement_day, trace }
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
