//! Account statements: one past month of one account.
//!
//! A statement contains no personal data and nothing that may change later: no name, nickname or note. These are in the
//! transaction's record.

mod csv;
mod id;

pub use self::csv::{head, rows, tail};
use daybook_domain::account::Event;
use daybook_domain::{Currency, Event as AnyEvent, Money, UserId};
use daybook_projector::{RecordedEvent, Statement};
pub use id::StatementId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::description::values::CurrencyCode;
use crate::page::Page;
use crate::wire::Listed;
use crate::wire::amount::Decimal;
use crate::wire::node::{self, Line};

/// Owner of a statement, and the base of its URLs.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// Public id of the platform.
    pub client_id: &'a str,
    /// Owner of the node.
    pub user: UserId,
    /// Base URL of the service, without a path.
    pub base_url: &'a str,
}

/// An account statement without its entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = StatementSummary)]
pub struct Summary {
    #[serde(rename = "_id")]
    id: String,
    client_id: String,
    user_id: String,
    node_id: String,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    date_start: i64,
    date_end: i64,
    opening_balance: Decimal,
    ending_balance: Decimal,
    entry_count: u32,
    position: u64,
    urls: Urls,
}

impl Listed for Summary {
    const KEYS: (&'static str, &'static str) = ("statements", "statements_count");
}

/// URLs of the statement as JSON and as CSV. Both require the same credentials as the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = StatementUrls)]
struct Urls {
    json: String,
    csv: String,
}

/// An account statement with one page of its entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Statement)]
pub struct Detailed {
    #[serde(flatten)]
    summary: Summary,
    entries: Vec<Entry>,
    limit: u32,
    page: u32,
    page_count: u64,
}

/// An entry of a statement with its kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = StatementEntry)]
struct Entry {
    kind: &'static str,
    #[serde(flatten)]
    line: Line,
}

/// Renders the statement for lists.
#[must_use]
pub fn summary(statement: &Statement, owner: Owner<'_>) -> Summary {
    let Statement { node, currency, month, .. } = *statement;
    let id = StatementId { node, currency, month }.to_string();
    let url = format!("{}/v3.1/users/{}/nodes/{node}/statements/{id}", owner.base_url, owner.user);
    Summary {
        client_id: owner.client_id.to_owned(),
        user_id: owner.user.to_string(),
        node_id: node.to_string(),
        currency,
        date_start: statement.begins.ms(),
        date_end: statement.ends.ms(),
        opening_balance: Decimal(Money::new(statement.opening, currency)),
        ending_balance: Decimal(Money::new(statement.ending, currency)),
        entry_count: statement.entries,
        position: statement.position,
        urls: Urls { csv: format!("{url}.csv"), json: url },
        id,
    }
}

/// Renders the statement with the entries of `page`.
#[must_use]
pub fn detailed(statement: &Statement, owner: Owner<'_>, entries: &[RecordedEvent], page: Page) -> Detailed {
    let entry = |happened| Some(Entry { kind: kind(happened)?, line: node::line(happened)? });
    Detailed {
        summary: summary(statement, owner),
        entries: entries.iter().filter_map(entry).collect(),
        limit: page.per_page,
        page: page.number,
        page_count: page.count(statement.entries.into()),
    }
}

/// Returns the kind of an entry; `None` if the event is not an entry.
fn kind(happened: &RecordedEvent) -> Option<&'static str> {
    let AnyEvent::Account(Event::Entry(entry)) = &happened.event else { return None };
    Some(match (entry.delta.signum(), entry.hold_delta.signum(), entry.pending_delta.signum()) {
        (1, ..) => "CREDIT",
        (-1, ..) => "DEBIT",
        (_, 1, _) => "HOLD",
        (_, -1, _) => "RELEASE",
        (_, _, 1) => "ANNOUNCED",
        _ => "WITHDRAWN",
    })
}
