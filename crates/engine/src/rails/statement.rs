//! Bank statements: the balances of one of our accounts on one day, and every line between them.
//!
//! The format is comma-separated values: a row of column names and a row of values for the day, then a row of column
//! names and one row for each line.

use std::collections::HashSet;

use daybook_domain::calendar::Day;
use daybook_domain::{Currency, Money};

use super::csv::{Row, Rows, push_row};
use super::file::FileError;
use super::incoming::{ends_early, error};

/// Maximum number of lines in a statement.
pub const MAX_LINES: usize = 100_000;

const DAY_COLUMNS: [&str; 4] = ["date", "opening_balance", "closing_balance", "currency"];
/// Names of the rows in errors.
const NAMES: &str = "names of columns";
const BALANCES: &str = "balances";
const LINE: &str = "line";
const LINE_COLUMNS: [&str; 4] = ["line_id", "amount", "reference", "description"];

/// The statement of one account for one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Day of the statement.
    pub date: Day,
    /// Currency of the account.
    pub currency: Currency,
    /// Opening balance in minor units.
    pub opening_minor: i64,
    /// Closing balance in minor units: the opening balance plus the sum of the lines.
    pub closing_minor: i64,
    /// Lines, in the bank's order.
    pub lines: Vec<StatementLine>,
}

/// A line of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementLine {
    /// The bank's id of the line, unique within the statement.
    pub id: String,
    /// Amount in minor units; a positive amount is money received. A bank may write a line of zero.
    pub amount_minor: i64,
    /// Id of a transaction, or a trace, if the bank names one.
    pub reference: Option<String>,
    /// The bank's description.
    pub description: String,
}

/// Parses a statement. Amounts are decimal text with an optional sign, and are read exactly.
///
/// # Errors
///
/// [`FileError`] at a row that is invalid, repeats an id, or exceeds [`MAX_LINES`]; at the row of balances if the
/// opening balance and the lines do not add up to the closing balance.
pub fn parse(text: &str) -> Result<Statement, FileError> {
    if let Some((before, _)) = text.split_once('\0') {
        let line = 1 + before.matches('\n').count();
        return Err(error(line, ("row", "field"), "characters", "\0"));
    }
    let mut rows = Rows::of(text);
    expect_names(&mut rows, DAY_COLUMNS)?;
    let (line, [date, opening, closing, currency]) = must_have_row(&mut rows, BALANCES)?;
    let known = Currency::parse(&currency);
    let currency =
        known.ok_or_else(|| error(line, (BALANCES, "currency"), "a code of ISO 4217", &currency))?;
    let opening_minor = parse_amount(&opening, currency, line, (BALANCES, "opening_balance"))?;
    let closing_minor = parse_amount(&closing, currency, line, (BALANCES, "closing_balance"))?;
    let no_date = |_| error(line, (BALANCES, "date"), "a date such as 2026-01-31", &date);
    let date = date.parse().map_err(no_date)?;
    let mut statement = Statement { date, currency, opening_minor, closing_minor, lines: Vec::new() };
    expect_names(&mut rows, LINE_COLUMNS)?;
    let mut sum = i128::from(statement.opening_minor);
    let mut ids = HashSet::new();
    while let Some(row) = rows.next_row()? {
        let line = read_line(row, currency, &mut ids)?;
        sum += i128::from(line.amount_minor);
        statement.lines.push(line);
    }
    if sum == i128::from(statement.closing_minor) {
        return Ok(statement);
    }
    let made = i64::try_from(sum).map(|sum| Money::new(sum, currency).to_string());
    let made = made.unwrap_or_else(|_| "more than there can be".to_owned());
    let expected = format!("{made}, the opening balance and the lines");
    Err(error(line, (BALANCES, "closing_balance"), expected, &closing))
}

fn read_line(row: Row, currency: Currency, ids: &mut HashSet<String>) -> Result<StatementLine, FileError> {
    let (line, [id, amount, reference, description]) = fields(row, LINE)?;
    if ids.len() == MAX_LINES {
        return Err(error(line, (LINE, "line_id"), "at most 100,000 lines", &id));
    }
    if !is_id(&id) || !ids.insert(id.clone()) {
        let expected = "1 to 64 letters, digits, \".\", \"_\" and \"-\" that no line before has";
        return Err(error(line, (LINE, "line_id"), expected, &id));
    }
    let amount_minor = parse_amount(&amount, currency, line, (LINE, "amount"))?;
    let reference = (!reference.is_empty()).then_some(reference);
    Ok(StatementLine { id, amount_minor, reference, description })
}

/// Returns true for a valid line id: 1 to 64 letters, digits, `.`, `_` and `-`. The id is stored in plain text, so its
/// form leaves no room for a person's name.
fn is_id(text: &str) -> bool {
    let is_plain = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'.' | b'_' | b'-');
    (1..=64).contains(&text.len()) && text.bytes().all(is_plain)
}

/// Renders a statement as a file, for the sandbox bank and for tests.
#[must_use]
pub fn render(statement: &Statement) -> String {
    let amount = |minor| Money::new(minor, statement.currency).to_string();
    let mut csv = String::new();
    push_row(&mut csv, DAY_COLUMNS);
    let (opening, closing) = (amount(statement.opening_minor), amount(statement.closing_minor));
    push_row(&mut csv, [statement.date.to_string().as_str(), &opening, &closing, statement.currency.code()]);
    push_row(&mut csv, LINE_COLUMNS);
    for line in &statement.lines {
        let reference = line.reference.as_deref().unwrap_or_default();
        // A statement must not contain the NUL character.
        let fields = [&line.id, &amount(line.amount_minor), reference, &line.description]
            .map(|f| f.replace('\0', " "));
        push_row(&mut csv, fields.iter().map(String::as_str));
    }
    csv
}

fn expect_names(rows: &mut Rows<'_>, names: [&'static str; 4]) -> Result<(), FileError> {
    let (line, found) = must_have_row(rows, NAMES)?;
    let other = names.iter().zip(&found).find(|(name, found)| *name != found);
    other.map_or(Ok(()), |(name, found)| Err(error(line, (NAMES, name), format!("\"{name}\""), found)))
}

fn must_have_row(rows: &mut Rows<'_>, record: &'static str) -> Result<(usize, [String; 4]), FileError> {
    let row = rows.next_row()?.ok_or_else(|| ends_early(rows.line(), record))?;
    fields(row, record)
}

/// Returns the four fields of a row.
fn fields(row: Row, record: &'static str) -> Result<(usize, [String; 4]), FileError> {
    let (line, found) = (row.line, row.fields.len());
    let fields: Result<[String; 4], _> = row.fields.try_into();
    let fields = fields.map_err(|_| error(line, (record, "fields"), "four", &found.to_string()))?;
    Ok((line, fields))
}

fn parse_amount(
    text: &str,
    currency: Currency,
    line: usize,
    field: (&'static str, &'static str),
) -> Result<i64, FileError> {
    let unsigned =
        text.strip_prefix('+').filter(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()));
    let money = Money::parse(unsigned.unwrap_or(text), currency);
    money.map(|money| money.minor).map_err(|_| error(line, field, "an amount of the currency", text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rails::file::tests::HOSTILE;

    const GOOD: &str = "\
date,opening_balance,closing_balance,currency\r\n\
2026-01-05,100.00,-23.46,USD\r\n\
line_id,amount,reference,description\r\n\
1,0.10,021000020000007,ACH\r\n\
2,-123.56,,\"Fee, \"\"January\"\"\"\r\n";

    fn good() -> Statement {
        let line = |id: &str, amount_minor, reference: Option<&str>, description: &str| StatementLine {
            id: id.into(),
            amount_minor,
            reference: reference.map(str::to_owned),
            description: description.into(),
        };
        Statement {
            date: "2026-01-05".parse().expect("a date"),
            currency: Currency::USD,
            opening_minor: 10_000,
            closing_minor: -2_346,
            lines: vec![
                line("1", 10, Some("021000020000007"), "ACH"),
                line("2", -12_356, None, "Fee, \"January\""),
            ],
        }
    }

    #[test]
    fn statement_is_written_and_parsed() {
        assert_eq!(render(&good()), GOOD);
        assert_eq!(parse(GOOD), Ok(good()));
        assert_eq!(parse(&GOOD.replace('\r', "").replace("0.10", "+0.1")), Ok(good()));
    }

    #[test]
    fn statements_round_trip() {
        let huge = [0, 1, -1, 99, -100, i64::MAX / 4, i64::MIN / 4];
        for code in ["USD", "JPY", "KWD"] {
            let mut statement = Statement {
                currency: Currency::parse(code).expect("ISO 4217"),
                opening_minor: -5,
                lines: Vec::new(),
                ..good()
            };
            for (index, (text, amount_minor)) in HOSTILE.into_iter().zip(huge.into_iter().cycle()).enumerate()
            {
                let text = text.replace('\0', "");
                let (id, reference) = (format!("L-{index}.a_Z"), Some(text.clone()));
                statement.lines.push(StatementLine { id, amount_minor, reference, description: text });
            }
            statement.closing_minor = statement.lines.iter().fold(-5, |sum, line| sum + line.amount_minor);
            assert_eq!(parse(&render(&statement)), Ok(statement));
        }
    }

    #[test]
    fn damage_is_reported_at_its_place() {
        let id = "1 to 64 letters, digits, \".\", \"_\" and \"-\" that no line before has";
        let amount = "an amount of the currency";
        let table = [
            ("date,", "day,", 1, (NAMES, "date"), "\"date\"", "day"),
            ("2026-01-05", "2026-02-30", 2, (BALANCES, "date"), "a date such as 2026-01-31", "2026-02-30"),
            ("USD", "usd", 2, (BALANCES, "currency"), "a code of ISO 4217", "usd"),
            ("100.00,", "100.001,", 2, (BALANCES, "opening_balance"), amount, "100.001"),
            ("-23.46", "", 2, (BALANCES, "closing_balance"), amount, ""),
            (
                "-23.46",
                "-23.47",
                2,
                (BALANCES, "closing_balance"),
                "-23.46, the opening balance and the lines",
                "-23.47",
            ),
            ("-23.46,USD", "-23.46", 2, (BALANCES, "fields"), "four", "3"),
            ("line_id", "id", 3, (NAMES, "line_id"), "\"line_id\"", "id"),
            ("1,0.10", "1,+-0.10", 4, (LINE, "amount"), amount, "+-0.10"),
            ("1,0.10", "1,99999999999999999999", 4, (LINE, "amount"), amount, "99999999999999999999"),
            (",ACH", "", 4, (LINE, "fields"), "four", "3"),
            ("ACH", "A\0H", 4, ("row", "field"), "characters", "\0"),
            ("2,-", "1,-", 5, (LINE, "line_id"), id, "1"),
            ("2,-", ",-", 5, (LINE, "line_id"), id, ""),
            ("2,-", "Ann Lee,-", 5, (LINE, "line_id"), id, "Ann Lee"),
            ("\"\"\"\r\n", "\"\"", 5, ("row", "field"), "a closing quote", ""),
        ];
        for (good, bad, line, field, expected, found) in table {
            let damaged = GOOD.replacen(good, bad, 1);
            assert_eq!(parse(&damaged), Err(error(line, field, expected, found)), "{bad}");
        }
        assert_eq!(parse(""), Err(ends_early(1, NAMES)));
        let cut = GOOD.split_inclusive('\n').take(2).collect::<String>();
        assert_eq!(parse(&cut), Err(ends_early(3, NAMES)));
    }

    #[test]
    fn statement_length_is_limited() {
        let head = "date,opening_balance,closing_balance,currency\n2026-01-05,0,0,USD\n";
        let lines: String = (0..MAX_LINES).map(|id| id.to_string() + ",0,,\n").collect();
        let mut csv = format!("{head}line_id,amount,reference,description\n{lines}");
        assert_eq!(parse(&csv).map(|statement| statement.lines.len()), Ok(MAX_LINES));
        csv.push_str("more,0,,\n");
        let more = error(MAX_LINES + 4, (LINE, "line_id"), "at most 100,000 lines", "more");
        assert_eq!(parse(&csv), Err(more));
    }
}
