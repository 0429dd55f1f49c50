//! Records of a bank's file and of the statements in it, with what each of their lines explains.

use daybook_domain::calendar::Day;
use daybook_domain::custody::Booked;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::{Currency, Money};
use daybook_engine::statements::{ExplainedItem, StatementView, TakenFile};
use serde::Serialize;
use utoipa::ToSchema;

use crate::description::values::CurrencyCode;
use crate::wire::Listed;
use crate::wire::amount::Decimal;

/// A file of the bank. `file` is its SHA-256. `books` says that none of its lines is booked, because the bank has not
/// booked them (`pending`) or the file is a test (`test`). `repeated` is true if the file was accepted before, so that
/// nothing happened.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BankFileTaken)]
pub struct File {
    books: Option<&'static str>,
    file: String,
    format: String,
    repeated: bool,
    statements: Vec<Statement>,
}

/// The bank's statement of one day. `booked_line_count` of `line_count` lines are booked. `suspense` is the sum of the
/// booked lines that explain no open item.
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
    line_count: u32,
    lines: Vec<Line>,
    opening_balance: Decimal,
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

#[derive(Clone, Debug, Serialize, ToSchema)]
struct Explained {
    #[schema(value_type = String)]
    account: LedgerAccount,
    still_open: Decimal,
    trans_id: String,
}

/// Renders the record of a file.
#[must_use]
pub fn file(taken: &TakenFile) -> File {
    File {
        books: taken.books,
        file: taken.hash.clone(),
        format: taken.format.clone(),
        repeated: taken.is_repeated,
        statements: taken.statements.iter().map(render).collect(),
    }
}

/// Renders the record of a statement. `still_open` is the rest of an open item.
#[must_use]
pub fn render(view: &StatementView) -> Statement {
    let statement = &view.statement;
    let decimal = |minor| Decimal(Money::new(minor, statement.currency));
    let explained = |explains: &ExplainedItem| Explained {
        account: explains.account,
        still_open: decimal(explains.still_open),
        trans_id: explains.transaction.to_string(),
    };
    let line = |(line, explains): &(Booked, Option<ExplainedItem>)| Line {
        amount: decimal(line.amount),
        explains: explains.as_ref().map(explained),
        line_id: line.id.clone(),
        suspense: line.explains.is_none() && line.amount != 0,
    };
    Statement {
        id: view.id.to_string(),
        booked_line_count: statement.booked,
        closing_balance: decimal(statement.closing),
        currency: statement.currency,
        date: statement.day,
        line_count: statement.lines,
        lines: view.lines.iter().map(line).collect(),
        opening_balance: decimal(statement.opening),
        suspense: decimal(statement.suspended),
    }
}
