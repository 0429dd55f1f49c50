//! Records of lines in suspense.

use daybook_domain::breaks::{Break as State, MatchSum};
use daybook_domain::calendar::Day;
use daybook_domain::{BreakId, Currency, Money};
use serde::Serialize;
use utoipa::ToSchema;

use crate::description::values::CurrencyCode;
use crate::wire::Listed;
use crate::wire::amount::Decimal;

/// A line of a bank's statement that no open item explained when it was booked. `left` is the part of its amount in
/// suspense; `matches` explain the rest. `statement_id` is null if the sandbox's bank stated the day without a file.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Break {
    #[serde(rename = "_id")]
    id: String,
    amount: Decimal,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    #[schema(value_type = String)]
    date: Day,
    left: Decimal,
    line_id: String,
    matches: Vec<Match>,
    statement_id: Option<String>,
}

/// A match of a line, and the part of the line that it explains.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BreakMatch)]
struct Match {
    amount: Decimal,
    r#match: u32,
}

impl Listed for Break {
    const KEYS: (&'static str, &'static str) = ("breaks", "break_count");
}

/// Renders the record of a break.
#[must_use]
pub fn render(id: BreakId, of: &State) -> Break {
    let decimal = |minor| Decimal(Money::new(minor, of.currency));
    let one = |it: &MatchSum| Match { amount: decimal(it.amount), r#match: it.number };
    Break {
        id: id.to_string(),
        amount: decimal(of.amount),
        currency: of.currency,
        date: of.day,
        left: decimal(of.left),
        line_id: of.line.clone(),
        matches: of.matches.iter().map(one).collect(),
        statement_id: of.statement.map(|id| id.to_string()),
    }
}
