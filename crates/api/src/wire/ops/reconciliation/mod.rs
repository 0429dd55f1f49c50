//! Reconciliation with the bank: the tie-out per currency, and the lists that explain it. `daybook reconcile bank` writes
//! the same record.

mod period;
mod rows;
mod tied;

use daybook_domain::calendar::Day;
use daybook_engine::reconciliation::{Listing, Report};
pub use period::PeriodOf;
use rows::{BreakRow, MatchRow, OpenRow, StatementRow, WriteOffRow};
use serde::Serialize;
use tied::Tied;
use utoipa::ToSchema;

/// Reconciliation of a platform with its bank at a position of the log. `ages_on` is the day at whose end ages are counted,
/// in banking days. `booking` is true as long as lines of accepted statements wait to be booked. `tied_out` is true if it
/// is true of each currency; `provisional` is true if the bank is still to state a banking day of the period in one of them.
/// `rules_version` is that of the matching rules. `old_break_count` counts the breaks that are older than two banking days,
/// `overdue_item_count` the open items that are older than the bank takes to state them. Each list has at most 100 rows, the
/// oldest first; `…_count` is the number of all.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Reconciliation {
    #[schema(value_type = String)]
    ages_on: Day,
    booking: bool,
    break_count: u64,
    breaks: Vec<BreakRow>,
    #[schema(value_type = String)]
    from: Day,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    acts_after_position: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    match_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    matches: Option<Vec<MatchRow>>,
    old_break_count: u64,
    open_item_count: u64,
    open_items: Vec<OpenRow>,
    overdue_item_count: u64,
    platform_id: String,
    position: u64,
    provisional: bool,
    rules_version: u32,
    statement_count: u64,
    statements: Vec<StatementRow>,
    tie_outs: Vec<Tied>,
    tied_out: bool,
    #[schema(value_type = String)]
    to: Day,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    write_off_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    write_offs: Option<Vec<WriteOffRow>>,
}

/// Renders the record.
#[must_use]
pub fn render(report: &Report) -> Reconciliation {
    fn rows<T, R>(list: &Listing<T>, render: impl Fn(&T) -> R) -> Vec<R> {
        list.rows.iter().map(render).collect()
    }
    let acts = report.acts.as_ref();
    Reconciliation {
        ages_on: report.day,
        booking: report.is_booking,
        break_count: report.breaks.count,
        breaks: rows(&report.breaks, rows::line),
        from: report.period.from,
        acts_after_position: acts.map(|acts| acts.after),
        match_count: acts.map(|acts| acts.matches.len() as u64),
        matches: acts.map(|acts| acts.matches.iter().map(rows::made).collect()),
        old_break_count: report.old_breaks(),
        open_item_count: report.open.count,
        open_items: rows(&report.open, rows::open),
        overdue_item_count: report.overdue_items(),
        platform_id: report.platform.to_string(),
        position: report.position,
        provisional: report.is_provisional(),
        rules_version: report.rules,
        statement_count: report.statements.count,
        statements: rows(&report.statements, rows::statement),
        tie_outs: report.tie_outs.iter().map(tied::render).collect(),
        tied_out: report.is_tied_out(),
        to: report.period.to,
        write_off_count: acts.map(|acts| acts.write_offs.len() as u64),
        write_offs: acts.map(|acts| acts.write_offs.iter().map(rows::written_off).collect()),
    }
}
