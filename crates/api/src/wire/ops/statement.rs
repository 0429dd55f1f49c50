//! Records of a bank's file and of the statements in it, with what each of their lines explains.

use daybook_domain::calendar::Day;
use daybook_domain::custody::Booked;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::{Currency, Money, OperationId};
use daybook_engine::statements::{ExplainedItem, StatementView, TakenFile};
use serde::Serialize;
use utoipa::ToSchema;

use crate::description::values::CurrencyCode;
use crate::wire::Listed;
use crate::wire::amount::Decimal;

/// A file of the bank. `file` is its SHA-256. `operation_id` is the operation that states days anew; it may wait for another
/// operator, and nothing is accepted until then. `books` says that none of its lines is booked, because the bank has not
/// booked them (`pending`) or the file is a test (`test`). `repeated` is true if the file was accepted before, so that
/// nothing happened. `skipped_accounts` are the accounts whose statements were left out.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BankFileTaken)]
pub struct File {
    books: Option<&'static str>,
    file: String,
    format: String,
    operation_id: Option<String>,
    repeated: bool,
    skipped_accounts: Vec<String>,
    statements: Vec<Statement>,
}

/// The bank's statement of one day. `booked_line_count` of `line_count` lines are booked. `suspense` is the sum of the
/// booked lines that explain no open item. `file` is the SHA-256 of the bank's file. If the bank stated the day anew,
/// `replaces` is the id of the statement before, whose `replaced_by` is the new one; its lines are taken back.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BankStatement)]
pub struct Statement {
    #[serde(rename = "_id")]
    id: String,
    booked_line_count: u32,
    closing_balance: Decimal,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    #[schema(value_type = String)]
    date: Day,
    file: String,
    format: String,
    line_count: u32,
    lines: Vec<Line>,
    opening_balance: Decimal,
    replaced_by: Option<String>,
    replaces: Option<String>,
    suspense: Decimal,
}

impl Listed for Statement {
    const KEYS: (&'static str, &'static str) = ("statements", "statement_count");
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BankStatementLine)]
struct Line {
    amount: Decimal,
    explains: Option<Explained>,
    line_id: String,
    suspense: bool,
}

/// The open item that a line of a statement clears.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Explained {
    #[schema(value_type = String)]
    account: LedgerAccount,
    still_open: Decimal,
    trans_id: String,
}

impl Statement {
    /// The record without its lines.
    pub(super) fn without_lines(self) -> Self {
        Self { lines: vec![], ..self }
    }
}

/// Renders the record of a file, with the operation that states days anew, if any.
#[must_use]
pub fn file(taken: &TakenFile, operation: Option<OperationId>) -> File {
    File {
        books: taken.books,
        file: taken.hash.clone(),
        format: taken.format.clone(),
        operation_id: operation.map(|id| id.to_string()),
        repeated: taken.is_repeated,
        skipped_accounts: taken.skipped_accounts.clone(),
        statements: taken.statements.iter().map(render).collect(),
    }
}

/// Renders the record of a statement. `still_open` is the rest of an open item.
#[must_use]
pub fn render(view: &StatementView) -> Statement {
    let statement = &view.statement;
    let decimal = |minor| Decimal(Money::new(minor, statement.currency));
    let line = |(line, explains): &(Booked, Option<ExplainedItem>)| Line {
        amount: decimal(line.amount),
        explains: explains.as_ref().map(|item| explained(item, view)),
        line_id: line.id.clone(),
        suspense: line.explains.is_none() && line.amount != 0,
    };
    Statement {
        id: view.id.to_string(),
        booked_line_count: statement.booked,
        closing_balance: decimal(statement.closing),
        currency: statement.currency,
        date: statement.day,
        file: statement.file.clone(),
        format: statement.format.clone(),
        line_count: statement.lines,
        lines: view.lines.iter().map(line).collect(),
        opening_balance: decimal(statement.opening),
        replaced_by: statement.replaced_by.map(|id| id.to_string()),
        replaces: statement.replaces.map(|id| id.to_string()),
        suspense: decimal(statement.suspended),
    }
}

/// Renders the open item that a line of the statement clears.
pub(super) fn explained(item: &ExplainedItem, view: &StatementView) -> Explained {
    Explained {
        account: item.account,
        still_open: Decimal(Money::new(item.still_open, view.statement.currency)),
        trans_id: item.transaction.to_string(),
    }
}
