//! Record of a statement with its lines as the bank states them.

use daybook_domain::Money;
use daybook_domain::calendar::Day;
use daybook_domain::custody::Booked;
use daybook_engine::statements::{StatementLine, StatementPage, StatementView};
use serde::Serialize;
use utoipa::ToSchema;

use super::statement::{self, Explained, Statement};
use crate::page::Page;
use crate::wire::amount::Decimal;

/// The bank's statement of one day with a page of its lines. The texts of its lines are gone when
/// their retention has ended; amounts and what they clear stay.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BankStatementPage)]
pub struct Stated {
    limit: u32,
    lines: Vec<StatedLine>,
    page: u32,
    page_count: u64,
    statement: Statement,
}

/// A line as the bank states it. `bytes` are the first byte of the line in the file and the byte after its last one.
/// `booked` is false while the line is not booked, or after it was taken back. `text` is null after its retention.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = BankStatementStatedLine)]
struct StatedLine {
    amount: Decimal,
    booked: bool,
    #[schema(value_type = Option<Vec<u64>>)]
    bytes: Option<[u64; 2]>,
    codes: Vec<String>,
    explains: Option<Explained>,
    line_id: String,
    references: Vec<String>,
    suspense: bool,
    text: Option<String>,
    #[schema(value_type = Option<String>)]
    value_date: Option<Day>,
}

/// Renders the record of a page.
#[must_use]
pub fn render(found: &StatementPage, page: Page) -> Stated {
    let Page { number, per_page } = page;
    let StatementPage { view, stated } = found;
    let lines = match stated {
        Some(stated) => stated.iter().zip(0..).map(|(line, index)| of_line(view, index, line)).collect(),
        None => {
            view.lines.iter().zip(0..).map(|(booked, index)| without_text(view, index, &booked.0)).collect()
        }
    };
    Stated {
        limit: per_page,
        lines,
        page: number,
        page_count: page.count(u64::from(view.statement.lines)),
        statement: statement::render(view).without_lines(),
    }
}

fn of_line(view: &StatementView, index: usize, line: &StatementLine) -> StatedLine {
    let StatementLine { id, amount, value, references, codes, text, bytes } = line.clone();
    let booked = view.lines.get(index);
    StatedLine {
        amount: Decimal(Money::new(amount, view.statement.currency)),
        booked: booked.is_some(),
        bytes,
        codes,
        explains: booked.and_then(|(_, item)| Some(statement::explained(item.as_ref()?, view))),
        line_id: id,
        references,
        suspense: booked.is_some_and(|(line, _)| line.explains.is_none() && line.amount != 0),
        text: Some(text),
        value_date: value,
    }
}

/// A booked line whose text is gone.
fn without_text(view: &StatementView, index: usize, booked: &Booked) -> StatedLine {
    let line = StatementLine { id: booked.id.clone(), amount: booked.amount, ..StatementLine::default() };
    StatedLine { text: None, ..of_line(view, index, &line) }
}
