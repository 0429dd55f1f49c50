//! Rows of the lists of a reconciliation.

use daybook_domain::breaks::Strategy;
use daybook_domain::calendar::Day;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::{Currency, Money};
use daybook_engine::reconciliation::{MadeMatch, OpenBreak, OpenItem, StatedDay, WriteOff};
use serde::Serialize;
use utoipa::ToSchema;

use crate::description::values::CurrencyCode;
use crate::wire::amount::Decimal;

/// Statement of the period. `_id` and `file`, the SHA-256 of the file, are null if the sandbox's bank stated the day without
/// a file. A statement that `replaces` another one states its day anew.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ReconciledStatement)]
pub(super) struct StatementRow {
    #[serde(rename = "_id")]
    id: Option<String>,
    booked_line_count: u32,
    closing_balance: Decimal,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    #[schema(value_type = String)]
    date: Day,
    file: Option<String>,
    format: String,
    line_count: u32,
    opening_balance: Decimal,
    replaced_by: Option<String>,
    replaces: Option<String>,
}

/// Timing difference: an open item and its age in banking days; `overdue` if it is older than the bank takes to state it. A
/// debit is positive.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = TimingDifference)]
pub(super) struct OpenRow {
    #[schema(value_type = String)]
    account: LedgerAccount,
    age_banking_days: u32,
    amount: Decimal,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    overdue: bool,
    #[schema(value_type = String)]
    since: Day,
    trans_id: String,
}

/// Line of a statement that is in suspense by the amount `left`, and its age in banking days.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AgedBreak)]
pub(super) struct BreakRow {
    #[serde(rename = "_id")]
    id: String,
    age_banking_days: u32,
    amount: Decimal,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    #[schema(value_type = String)]
    date: Day,
    left: Decimal,
    line_id: String,
    statement_id: Option<String>,
}

/// Match that was made, or taken back: then `strategy` is null.
#[derive(Clone, Debug, Serialize)]
pub(super) struct MatchRow {
    amount: Decimal,
    break_id: String,
    by: String,
    currency: Currency,
    date: Day,
    line_id: String,
    r#match: u32,
    position: u64,
    strategy: Option<&'static str>,
}

/// Open item that a journal entry cleared.
#[derive(Clone, Debug, Serialize)]
pub(super) struct WriteOffRow {
    account: LedgerAccount,
    amount: Decimal,
    currency: Currency,
    date: Day,
    operation_id: String,
    position: u64,
    trans_id: String,
}

pub(super) fn statement(of: &StatedDay) -> StatementRow {
    let decimal = |minor| Decimal(Money::new(minor, of.currency));
    StatementRow {
        id: of.id.map(|id| id.to_string()),
        booked_line_count: of.booked,
        closing_balance: decimal(of.closing),
        currency: of.currency,
        date: of.day,
        file: of.file.clone(),
        format: of.format.clone(),
        line_count: of.lines,
        opening_balance: decimal(of.opening),
        replaced_by: of.replaced_by.map(|id| id.to_string()),
        replaces: of.replaces.map(|id| id.to_string()),
    }
}

pub(super) fn open(of: &OpenItem) -> OpenRow {
    OpenRow {
        account: of.account,
        age_banking_days: of.age,
        amount: Decimal(Money::new(of.amount, of.currency)),
        currency: of.currency,
        overdue: of.is_overdue(),
        since: of.since,
        trans_id: of.transaction.to_string(),
    }
}

pub(super) fn line(of: &OpenBreak) -> BreakRow {
    let decimal = |minor| Decimal(Money::new(minor, of.currency));
    BreakRow {
        id: of.id.to_string(),
        age_banking_days: of.age,
        amount: decimal(of.amount),
        currency: of.currency,
        date: of.day,
        left: decimal(of.left),
        line_id: of.line.clone(),
        statement_id: of.statement.map(|id| id.to_string()),
    }
}

pub(super) fn made(of: &MadeMatch) -> MatchRow {
    MatchRow {
        amount: Decimal(Money::new(of.amount, of.currency)),
        break_id: of.id.to_string(),
        by: of.by.to_string(),
        currency: of.currency,
        date: of.day,
        line_id: of.line.clone(),
        r#match: of.number,
        position: of.position,
        strategy: of.strategy.map(Strategy::as_str),
    }
}

pub(super) fn written_off(of: &WriteOff) -> WriteOffRow {
    WriteOffRow {
        account: of.account,
        amount: Decimal(Money::new(of.amount, of.currency)),
        currency: of.currency,
        date: of.day,
        operation_id: of.operation.to_string(),
        position: of.position,
        trans_id: of.transaction.to_string(),
    }
}
