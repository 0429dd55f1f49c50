//! What a bank says about an account of ours on one day: balances, and every line between them.
//!
//! Comma-separated values: a row of names and one of values for the day, then a row of names and one for each line.

use std::collections::HashSet;

use daybook_domain::calendar::Day;
use daybook_domain::{Currency, Money};

use super::csv::{Row, Rows, push_row};
use super::file::FileError;

/// Lines that a statement has at most.
pub const MAX_LINES: usize = 100_000;

const DAY_COLUMNS: [&str; 4] = ["date", "opening_balance", "closing_balance", "currency"];
const LINE_COLUMNS: [&str; 4] = ["line_id", "amount", "reference", "description"];

/// The statement of one account for one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The day.
    pub date: Day,
    /// The currency of the account.
    pub currency: Currency,
    /// Minor units at its beginning.
    pub opening_minor: i64,
    /// Minor units at its end: the opening balance and the sum of the lines.
    pub closing_minor: i64,
    /// What happened, in the bank's order.
    pub lines: Vec<StatementLine>,
}

/// One line of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementLine {
    /// The bank's id of the line; once per statement.
    pub id: String,
    /// Minor units; above zero is money onto our account. A bank may write a line of zero.
    pub amount_minor: i64,
    /// The id of a transaction, or a trace, if the bank names one.
    pub reference: Option<String>,
    /// What the bank says about it.
    pub description: String,
}

/// The statement that a file holds. Amounts are decimal text with an optional sign, and are read exactly.
///
/// # Errors
///
/// [`FileError`] at the row that is not what must stand there, that repeats an id, or that is one too many; at the row
/// of the balances if opening balance and lines do not make the closing one.
pub fn parse(text: &str) -> Result<Statement, FileError> {
    if let Some((before, _)) = text.split_once('\0') {
        return Err(FileError { line: 1 + before.matches('\n').count(), text: "a character that is none" });
    }
    let mut rows = Rows::of(text);
    expect_names(&mut rows, DAY_COLUMNS)?;
    let (day_line, [date, opening, closing, currency]) = must_have_row(&mut rows)?;
    let error = |text| FileError { line: day_line, text };
    let currency = Currency::parse(&currency).ok_or(error("unknown currency"))?;
    let mut statement = Statement {
        date: date.parse().map_err(|_| error("not a date"))?,
        currency,
        opening_minor: parse_amount(&opening, currency, day_line)?,
        closing_minor: parse_amount(&closing, currency, day_line)?,
        lines: Vec::new(),
    };
    expect_names(&mut rows, LINE_COLUMNS)?;
    let (mut ids, mut sum) = (HashSet::new(), i128::from(statement.opening_minor));
    while let Some(row) = rows.next_row()? {
        let (line, [id, amount, reference, description]) = fields(row)?;
        if statement.lines.len() == MAX_LINES {
            return Err(FileError { line, text: "more than 100,000 lines" });
        }
        if !is_id(&id) || !ids.insert(id.clone()) {
            return Err(FileError { line, text: "no id, or one that was there before" });
        }
        let amount_minor = parse_amount(&amount, currency, line)?;
        sum += i128::from(amount_minor);
        let reference = (!reference.is_empty()).then_some(reference);
        statement.lines.push(StatementLine { id, amount_minor, reference, description });
    }
    if sum == i128::from(statement.closing_minor) {
        Ok(statement)
    } else {
        Err(error("opening balance and lines do not make the closing balance"))
    }
}

/// Whether it can be the id of a line: 1 to 64 letters, digits, `.`, `_` and `-`. It is kept in the clear, so there is no
/// room in it for a name and a number.
fn is_id(text: &str) -> bool {
    let is_plain = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'.' | b'_' | b'-');
    (1..=64).contains(&text.len()) && text.bytes().all(is_plain)
}

/// The statement as a file, for the sandbox's bank and for tests.
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
        // The one character that no statement may hold.
        let fields = [&line.id, &amount(line.amount_minor), reference, &line.description]
            .map(|f| f.replace('\0', " "));
        push_row(&mut csv, fields.iter().map(String::as_str));
    }
    csv
}

fn expect_names(rows: &mut Rows<'_>, names: [&str; 4]) -> Result<(), FileError> {
    let (line, found) = must_have_row(rows)?;
    if found == names { Ok(()) } else { Err(FileError { line, text: "the names of the columns are others" }) }
}

fn must_have_row(rows: &mut Rows<'_>) -> Result<(usize, [String; 4]), FileError> {
    let row = rows.next_row()?.ok_or(FileError { line: rows.line(), text: "the file ends early" })?;
    fields(row)
}

fn fields(row: Row) -> Result<(usize, [String; 4]), FileError> {
    let line = row.line;
    Ok((line, row.fields.try_into().map_err(|_| FileError { line, text: "a row has four fields" })?))
}

fn parse_amount(text: &str, currency: Currency, line: usize) -> Result<i64, FileError> {
    let unsigned =
        text.strip_prefix('+').filter(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()));
    let money = Money::parse(unsigned.unwrap_or(text), currency);
    money.map(|money| money.minor).map_err(|_| FileError { line, text: "not an amount of the currency" })
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
    fn a_statement_is_written_and_read() {
        assert_eq!(render(&good()), GOOD);
        assert_eq!(parse(GOOD), Ok(good()));
        assert_eq!(parse(&GOOD.replace('\r', "").replace("0.10", "+0.1")), Ok(good()));
    }

    #[test]
    fn whatever_a_statement_says_reads_back() {
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
    fn damage_is_found_where_it_is() {
        let table = [
            ("date,", "day,", 1, "the names of the columns are others"),
            ("2026-01-05", "2026-02-30", 2, "not a date"),
            ("USD", "usd", 2, "unknown currency"),
            ("100.00,", "100.001,", 2, "not an amount of the currency"),
            ("-23.46", "", 2, "not an amount of the currency"),
            ("-23.46", "-23.47", 2, "opening balance and lines do not make the closing balance"),
            ("-23.46,USD", "-23.46", 2, "a row has four fields"),
            ("line_id", "id", 3, "the names of the columns are others"),
            ("1,0.10", "1,+-0.10", 4, "not an amount of the currency"),
            ("1,0.10", "1,99999999999999999999", 4, "not an amount of the currency"),
            (",ACH", "", 4, "a row has four fields"),
            ("ACH", "A\0H", 4, "a character that is none"),
            ("2,-", "1,-", 5, "no id, or one that was there before"),
            ("2,-", ",-", 5, "no id, or one that was there before"),
            ("2,-", "Ann Lee,-", 5, "no id, or one that was there before"),
            ("\"\"\"\r\n", "\"\"", 5, "a quote is not closed"),
        ];
        for (good, bad, line, text) in table {
            assert_eq!(parse(&GOOD.replacen(good, bad, 1)), Err(FileError { line, text }), "{bad}");
        }
        assert_eq!(parse(""), Err(FileError { line: 1, text: "the file ends early" }));
        let cut = GOOD.split_inclusive('\n').take(2).collect::<String>();
        assert_eq!(parse(&cut), Err(FileError { line: 3, text: "the file ends early" }));
    }

    #[test]
    fn a_statement_has_an_end() {
        let head = "date,opening_balance,closing_balance,currency\n2026-01-05,0,0,USD\n";
        let lines: String = (0..MAX_LINES).map(|id| id.to_string() + ",0,,\n").collect();
        let mut csv = format!("{head}line_id,amount,reference,description\n{lines}");
        assert_eq!(parse(&csv).map(|statement| statement.lines.len()), Ok(MAX_LINES));
        csv.push_str("more,0,,\n");
        assert_eq!(parse(&csv), Err(FileError { line: MAX_LINES + 4, text: "more than 100,000 lines" }));
    }
}
