//! Record of a booked bank statement, with what each of its lines explains.

use daybook_domain::calendar::Day;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::{Currency, Money};
use daybook_engine::ops::{ExplainedItem, ProcessedStatement};
use serde::Serialize;
use utoipa::ToSchema;

use crate::description::values::CurrencyCode;
use crate::wire::amount::Decimal;

/// The bank's statement of one day. `suspense` is the sum of the lines that explain no open item.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BankStatement)]
pub struct Statement {
    closing_balance: Decimal,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    #[schema(value_type = String)]
    date: Day,
    lines: Vec<Line>,
    opening_balance: Decimal,
    suspense: Decimal,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BankStatementLine)]
struct Line {
    amount: Decimal,
    explains: Option<Explained>,
    line_id: String,
    suspense: bool,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
struct Explained {
    #[schema(value_type = String)]
    account: LedgerAccount,
    still_open: Decimal,
    trans_id: String,
}

/// Renders the record. `suspense` is the sum of the unexplained lines; `still_open` is the rest of an open item.
#[must_use]
pub fn render(taken: &ProcessedStatement) -> Statement {
    let booked = &taken.booked;
    let decimal = |minor| Decimal(Money::new(minor, booked.currency));
    let explained = |explains: &ExplainedItem| Explained {
        account: explains.account,
        still_open: decimal(explains.still_open),
        trans_id: explains.transaction.to_string(),
    };
    let lines = booked.lines.iter().zip(&taken.explains).map(|(line, explains)| Line {
        amount: decimal(line.amount),
        explains: explains.as_ref().map(explained),
        line_id: line.id.clone(),
        suspense: explains.is_none() && line.amount != 0,
    });
    Statement {
        closing_balance: decimal(booked.closing),
        currency: booked.currency,
        date: booked.day,
        lines: lines.collect(),
        opening_balance: decimal(booked.opening),
        suspense: decimal(taken.suspense_minor()),
    }
}
