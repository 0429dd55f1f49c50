//! Preview: a file as it was read, in one documented shape for every format. Nothing is booked by it.

use daybook_domain::Currency;
use daybook_domain::calendar::Day;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::{BankFile, Codes, DayBalances, Line, Part, References, Standing, Statement};

/// Shape of a preview.
#[derive(Serialize)]
pub struct Preview<'a> {
    format: &'a str,
    /// Statements that state balances.
    statements: Vec<StatementView<'a>>,
    /// Lines of all statements.
    lines: Vec<LineView<'a>>,
    /// Says that nothing of the file is booked: `pending` or `test`.
    #[serde(skip_serializing_if = "Option::is_none")]
    books: Option<&'static str>,
}

#[derive(Serialize)]
struct StatementView<'a> {
    account: &'a str,
    currency: Currency,
    #[serde(flatten, serialize_with = "as_map")]
    marks: &'a [(&'static str, String)],
    days: Vec<DayView>,
}

#[derive(Serialize)]
struct DayView {
    date: Day,
    opening: i64,
    closing: i64,
    lines: usize,
    #[serde(flatten)]
    available: Option<Available>,
}

#[derive(Serialize)]
struct Available {
    opening_available: Option<i64>,
    closing_available: Option<i64>,
}

#[derive(Serialize)]
struct LineView<'a> {
    account: &'a str,
    currency: Currency,
    booking: Option<Day>,
    #[serde(skip_serializing_if = "Option::is_none")]
    booking_from: Option<&'static str>,
    value: Option<Day>,
    amount: i64,
    booked: bool,
    reversal: bool,
    #[serde(serialize_with = "as_map")]
    codes: &'a Codes,
    #[serde(serialize_with = "as_map")]
    references: &'a References,
    #[serde(rename = "return", skip_serializing_if = "Option::is_none")]
    return_reason: Option<&'a str>,
    text: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartView<'a>>,
    /// First byte of the line in the file, and the byte after its last one.
    bytes: [usize; 2],
}

#[derive(Serialize)]
struct PartView<'a> {
    amount: Option<i64>,
    #[serde(serialize_with = "as_map")]
    references: &'a References,
    #[serde(rename = "return", skip_serializing_if = "Option::is_none")]
    return_reason: Option<&'a str>,
    text: &'a str,
}

fn as_map<K: Serialize, S: Serializer>(
    pairs: &impl AsRef<[(K, String)]>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let pairs = pairs.as_ref();
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (kind, value) in pairs {
        map.serialize_entry(kind, value)?;
    }
    map.end()
}

impl<'a> From<&'a BankFile> for Preview<'a> {
    fn from(file: &'a BankFile) -> Self {
        let all = |standing| file.statements.iter().all(|statement| statement.standing == standing);
        let books = match () {
            () if file.statements.is_empty() => None,
            () if all(Standing::Pending) => Some("pending"),
            () if all(Standing::Test) => Some("test"),
            () => None,
        };
        let stated = file.statements.iter().filter(|statement| !statement.days.is_empty());
        let lines = file.statements.iter().flat_map(|of| of.lines.iter().map(move |line| view(of, line)));
        Self {
            format: &file.format,
            statements: stated.map(Into::into).collect(),
            lines: lines.collect(),
            books,
        }
    }
}

impl<'a> From<&'a Statement> for StatementView<'a> {
    fn from(Statement { account, currency, marks, days, .. }: &'a Statement) -> Self {
        let days = days.iter().map(|day| {
            let DayBalances { date, opening, closing, lines, available } = day.clone();
            let available = available.map(|[opening_available, closing_available]| Available {
                opening_available,
                closing_available,
            });
            DayView { date, opening, closing, lines, available }
        });
        Self { account, currency: *currency, marks, days: days.collect() }
    }
}

fn view<'a>(of: &'a Statement, line: &'a Line) -> LineView<'a> {
    let part = |part: &'a Part| PartView {
        amount: part.amount,
        references: &part.references,
        return_reason: part.return_reason.as_deref(),
        text: &part.text,
    };
    LineView {
        account: &of.account,
        currency: of.currency,
        booking: line.booking,
        booking_from: line.booking_from,
        value: line.value,
        amount: line.amount,
        booked: line.booked,
        reversal: line.reversal,
        codes: &line.codes,
        references: &line.references,
        return_reason: line.return_reason.as_deref(),
        text: &line.text,
        parts: line.parts.iter().map(part).collect(),
        bytes: [line.bytes.start, line.bytes.end],
    }
}
