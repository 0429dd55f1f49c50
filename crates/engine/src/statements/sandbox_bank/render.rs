//! Text of a statement in each format.

use daybook_statement::{BankFile, Line, ReferenceKind, bai2, camt, mt940};

use super::Format;
use crate::rails::statement as own;

/// Renders a file with one statement of one day.
pub(super) fn render(file: &BankFile, format: Format) -> String {
    match format {
        Format::Bai2 => bai2::render(file),
        Format::Camt => camt::render(file),
        Format::Mt940 => mt940::render(file),
        Format::Csv => own_csv(file),
    }
}

/// Renders Daybook's own CSV. The id of a line is the one that the intake gives to lines of other formats.
fn own_csv(file: &BankFile) -> String {
    let stated = file.statements.first().and_then(|statement| Some((statement, statement.days.first()?)));
    let Some((statement, day)) = stated else { return String::new() };
    let line = |(line, number): (&Line, usize)| {
        let ours = line.references.iter().find(|(kind, _)| *kind != ReferenceKind::Bank);
        own::StatementLine {
            id: format!("{}.{number}", day.date),
            amount_minor: line.amount,
            reference: ours.map(|(_, text)| text.clone()),
            description: line.text.clone(),
        }
    };
    own::render(&own::Statement {
        date: day.date,
        currency: statement.currency,
        opening_minor: day.opening,
        closing_minor: day.closing,
        lines: statement.lines.iter().zip(1..).map(line).collect(),
    })
}
