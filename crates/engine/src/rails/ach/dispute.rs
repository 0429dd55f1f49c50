//! Data of dishonored returns and of contested dishonored returns. Both have a layout of addenda 99 of their own.
//!
//! Source: Nacha Operating Rules, Appendix Four, addenda records of dishonored returns (R61 to R70) and of contested
//! dishonored returns (R71 to R77).

use daybook_domain::calendar::{Day, ReturnCode};
use daybook_domain::transaction::DishonorCode;

use super::lines::{Field, Record};
use crate::rails::file::{FileError, is_digits};
use crate::rails::incoming::error;

const DAYS_PER_YEAR: u16 = 366;

/// A bank's refusal of a return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dishonored {
    /// The return.
    pub returned: EarlierEntry,
    /// Additional text, at most 21 characters. With R69 it has the numbers of the invalid fields, such as `01*03`.
    pub info: String,
}

/// A bank's answer to a dishonored return of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contested {
    /// Day on which the original entry was returned; none if it is blank.
    pub returned_on: Option<Day>,
    /// Settlement day of the original entry, as in [`EarlierEntry`].
    pub settlement_day: Option<u16>,
    /// The return.
    pub returned: EarlierEntry,
    /// The dishonored return.
    pub dishonored: EarlierEntry,
}

/// An entry that an addenda record refers to, other than the original entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierEntry {
    /// Trace of the entry: fifteen digits.
    pub trace: String,
    /// Settlement day, as the number of the day in its year, 1 to 366; none if it is blank.
    pub settlement_day: Option<u16>,
    /// Code of the entry, such as R01.
    pub code: String,
}

impl Dishonored {
    pub(super) fn read(record: &Record) -> Result<Self, FileError> {
        let fields = ["trace of the return", "settlement day of the return", "code of the return"];
        let info = record.columns(59, 79).trim().to_owned();
        Ok(Self { returned: EarlierEntry::read(record, 39, fields)?, info })
    }

    /// Formats columns 22 to 79 of the addenda record. `bank` is that of the original entry.
    pub(super) fn columns(&self, bank: &str) -> String {
        format!("{:6}{bank}{:3}{}{:21.21}", "", "", self.returned.columns(), self.info)
    }
}

impl Contested {
    pub(super) fn read(record: &Record) -> Result<Self, FileError> {
        let first = ["trace of the return", "settlement day of the return", "code of the return"];
        let second = [
            "trace of the dishonored return",
            "settlement day of the dishonored return",
            "code of the dishonored return",
        ];
        let returned = EarlierEntry::read(record, 39, first)?;
        let dishonored = EarlierEntry::read(record, 59, second)?;
        let is_return = returned.code.parse::<ReturnCode>().is_ok();
        check(is_return, record, (57, first[2]), "that of a return, such as \"01\"")?;
        let is_dishonored = DishonorCode::parse(&dishonored.code).is_some();
        check(is_dishonored, record, (77, second[2]), "that of a dishonored return, such as \"68\"")?;
        Ok(Self {
            returned_on: date(record, 22, ("addenda", "date of the return"))?,
            settlement_day: day_of_year(record, 36, ("addenda", "settlement day of the original entry"))?,
            returned,
            dishonored,
        })
    }

    /// Formats columns 22 to 79 of the addenda record. `bank` is that of the original entry.
    pub(super) fn columns(&self, bank: &str) -> String {
        let date = self.returned_on.map_or_else(|| " ".repeat(6), super::record::date);
        let day = day_columns(self.settlement_day);
        format!("{date}{bank}{day}{}{} ", self.returned.columns(), self.dishonored.columns())
    }
}

impl EarlierEntry {
    /// Reads twenty columns from `first` on: trace, settlement day, and the digits of the code.
    fn read(record: &Record, first: usize, fields: [&'static str; 3]) -> Result<Self, FileError> {
        let [trace, day, code] = fields.map(|field| ("addenda", field));
        let digits = |digits: &str| is_digits(digits);
        let trace = record.such((first, first + 14), trace, "digits", digits)?.to_owned();
        let settlement_day = day_of_year(record, first + 15, day)?;
        let code = record.such((first + 18, first + 19), code, "digits", digits)?;
        Ok(Self { trace, settlement_day, code: format!("R{code}") })
    }

    fn columns(&self) -> String {
        let code = self.code.strip_prefix('R').unwrap_or_default();
        format!("{:>15.15}{}{code:>2.2}", self.trace, day_columns(self.settlement_day))
    }
}

/// Refuses the code in two columns from `first` on.
fn check(
    is_such: bool,
    record: &Record,
    (first, field): (usize, &'static str),
    expected: &'static str,
) -> Result<(), FileError> {
    if is_such {
        return Ok(());
    }
    Err(error(record.line, ("addenda", field), expected, record.columns(first, first + 1)))
}

fn day_columns(day: Option<u16>) -> String {
    day.map_or_else(|| " ".repeat(3), |day| format!("{day:03}"))
}

/// Reads three columns from `first` on.
fn day_of_year(record: &Record, first: usize, field: Field) -> Result<Option<u16>, FileError> {
    let text = record.columns(first, first + 2);
    if text.trim().is_empty() {
        return Ok(None);
    }
    let day = Some(text).filter(|text| is_digits(text)).and_then(|text| text.parse().ok());
    let day = day.filter(|day| (1..=DAYS_PER_YEAR).contains(day));
    let day = day.ok_or_else(|| error(record.line, field, "\"001\" to \"366\", or blanks", text))?;
    Ok(Some(day))
}

/// Reads six columns from `first` on: two digits each of year, month and day.
fn date(record: &Record, first: usize, field: Field) -> Result<Option<Day>, FileError> {
    let text = record.columns(first, first + 5);
    if text.trim().is_empty() {
        return Ok(None);
    }
    let written = match (text.get(..2), text.get(2..4), text.get(4..)) {
        (Some(year), Some(month), Some(day)) if is_digits(text) => format!("20{year}-{month}-{day}"),
        _ => String::new(),
    };
    let day = written.parse().map_err(|_| error(record.line, field, "a date or blanks", text))?;
    Ok(Some(day))
}
