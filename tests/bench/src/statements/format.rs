//! Formats: writer and reader of each. CSV has a writer here only.

use daybook_domain::calendar::Day;
use daybook_statement::csv::{Column, Encoding, Mapping, Negative, Order, Role, Sign};
use daybook_statement::{BankFile, Line, ReferenceKind, Statement, bai2, camt, csv, mt940};

use crate::error::Error;
use crate::load::client::failed;

/// Format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Bai2,
    Camt,
    Mt940,
    Csv,
}

impl Format {
    pub(super) const ALL: [Self; 4] = [Self::Bai2, Self::Camt, Self::Mt940, Self::Csv];

    /// Name in the report, and of the file.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Bai2 => "BAI2",
            Self::Camt => "CAMT.053",
            Self::Mt940 => "MT940",
            Self::Csv => "CSV",
        }
    }
    /// Writes a statement.
    pub(super) fn render(self, statement: Statement) -> String {
        if self == Self::Csv {
            return rows(&statement);
        }
        let file = BankFile { format: "camt.053.001.08".to_owned(), statements: vec![statement] };
        match self {
            Self::Bai2 => bai2::render(&file),
            Self::Mt940 => mt940::render(&file),
            Self::Camt | Self::Csv => camt::render(&file),
        }
    }

    /// Reads a file.
    pub(super) fn read(self, bytes: &[u8]) -> Result<BankFile, Error> {
        let read = match self {
            Self::Bai2 => bai2::read(bytes),
            Self::Camt => camt::read(bytes),
            Self::Mt940 => mt940::read(bytes),
            Self::Csv => csv::read(bytes, &mapping()),
        };
        read.map_err(failed)
    }
}

/// Columns in the order of a row.
const COLUMNS: [Role; 7] =
    [Role::Booking, Role::Value, Role::Amount, Role::Balance, Role::Bank, Role::EndToEnd, Role::Text];

fn mapping() -> Mapping {
    let columns = COLUMNS.into_iter().zip(1..).map(|(role, number)| (role, Column::Number(number)));
    Mapping {
        separator: ',',
        quote: Some('"'),
        encoding: Encoding::Utf8,
        date: Some("%m/%d/%Y".to_owned()),
        decimal: Some('.'),
        thousands: None,
        sign: Sign::Signed,
        negative: Negative::Before,
        symbols: vec![],
        currency: Some("USD".to_owned()),
        account: Some("0001234567".to_owned()),
        skip_header: 0,
        skip_footer: 0,
        order: Order::OldestFirst,
        columns: columns.collect(),
        opening: None,
        closing: None,
    }
}

/// A row for each line, with the running balance.
fn rows(statement: &Statement) -> String {
    let mut balance = statement.days.first().map_or(0, |day| day.opening);
    let row = |line: &Line| {
        balance += line.amount;
        let [booking, value] = [line.booking, line.value].map(|day| day.map(date).unwrap_or_default());
        let reference =
            |kind| line.references.iter().find(|(known, _)| *known == kind).map_or("", |(_, value)| value);
        let [bank, end_to_end] = [ReferenceKind::Bank, ReferenceKind::EndToEnd].map(reference);
        let [amount, balance] = [line.amount, balance].map(dollars);
        format!("{booking},{value},{amount},{balance},{bank},{end_to_end},\"{}\"\r\n", line.text)
    };
    statement.lines.iter().map(row).collect()
}

fn date(day: Day) -> String {
    let date = day.date();
    format!("{:02}/{:02}/{}", date.month(), date.day(), date.year())
}

fn dollars(minor: i64) -> String {
    let sign = if minor < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", minor.unsigned_abs() / 100, minor.unsigned_abs() % 100)
}

#[cfg(test)]
mod tests {
    use super::super::model;
    use super::*;

    #[test]
    fn every_format_reads_its_own_file() {
        let model = model::statement(60);
        for format in Format::ALL {
            let read = format.read(format.render(model.clone()).as_bytes()).expect("is read");
            let lines = read.statements.iter().flat_map(|statement| &statement.lines);
            let of = |line: &Line| (line.booking, line.value, line.amount);
            assert_eq!(lines.map(of).collect::<Vec<_>>(), model.lines.iter().map(of).collect::<Vec<_>>());
            let closing = read.statements.last().and_then(|statement| statement.days.last());
            assert_eq!(closing.map(|day| day.closing), model.days.last().map(|day| day.closing));
        }
    }
}
