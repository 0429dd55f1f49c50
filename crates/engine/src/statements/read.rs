//! Reading of a bank's file in any format, into the statements that are accepted and the lines that are kept.

use std::collections::HashSet;

use daybook_domain::Currency;
use daybook_domain::calendar::Day;
use daybook_domain::statement::book::MAX_LINES_AT_ONCE;
use daybook_statement::csv::Mapping;
use daybook_statement::preview::Preview;
use daybook_statement::{BankFile, DayBalances, Fault, Line, Standing, Statement, bai2, camt, csv, mt940};

use crate::contents::StatementLine;
use crate::rails::FileError;
use crate::rails::incoming::text_of;
use crate::rails::statement as own;

/// Format of a file, as its sender names it.
#[derive(Clone, Debug, Default)]
pub enum StatementFormat {
    /// The format is recognized by the beginning of the file.
    #[default]
    Auto,
    /// BAI2.
    Bai2,
    /// CAMT.053, or CAMT.052 and CAMT.054, whose lines are pending.
    Camt,
    /// MT940, or MT942, whose lines are pending.
    Mt940,
    /// Daybook's own CSV.
    Own,
    /// CSV of a bank, by a mapping.
    Csv(Box<Mapping>),
}

/// Reason why nothing of a file is accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The file in Daybook's own CSV is invalid.
    #[error(transparent)]
    Own(#[from] FileError),
    /// The file is invalid.
    #[error(transparent)]
    Fault(Box<Fault>),
    /// The beginning of the file is that of no known format.
    #[error("the format of the file is not known; name it by format")]
    Format,
    /// The file is too large.
    #[error("the file has more than 64 MiB")]
    Size,
    /// The file states accounts that are not the platform's.
    #[error("{}, which {} not the platform's account at the bank", stated(.0), if .0.len() == 1 { "is" } else { "are" })]
    Account(Vec<String>),
    /// The file states accounts that no platform has.
    #[error("{}, which no platform has at the bank", stated(.0))]
    Nobody(Vec<String>),
    /// The file states an account that several platforms have.
    #[error(
        "the file states the account {0}, which several platforms have: give each its own, by daybook ops bank-account"
    )]
    Ambiguous(String),
    /// The file states no account, and there are several platforms.
    #[error(
        "the file states no account, and there are several platforms: hand it in by daybook ops statement"
    )]
    NoAccount,
    /// The file has some pages of a statement only.
    #[error(
        "the file has only some pages of the statement {of}: {missing} missing; put all pages one behind another"
    )]
    Pages {
        /// Name of the statement at the bank.
        of: String,
        /// The missing pages, with their verb.
        missing: String,
    },
    /// The bank states a day again.
    #[error("the file states {0} again; restate books it anew")]
    Restated(Day),
    /// The bank states too many days again.
    #[error("the file states more than {0} days")]
    ManyDays(usize),
    /// The texts of some lines are too long to be kept.
    #[error("the texts of 512 lines of {0} have more than 16 MiB")]
    Texts(Day),
    /// The lines of a statement cannot be assigned to its days.
    #[error("the lines of {0} do not make its closing balance")]
    Days(Day),
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self::Fault(Box::new(fault))
    }
}

/// Maximum size of the texts in a page of lines, which is kept as one attachment: 16 MiB.
const MAX_PAGE_BYTES: usize = 16 << 20;

/// Number of accounts that a refusal names.
const MAX_NAMED_ACCOUNTS: usize = 20;

/// Number of pages that a refusal names.
const MAX_NAMED_PAGES: usize = 20;

/// Returns the beginning of the text of a refusal because of accounts.
fn stated(accounts: &[String]) -> String {
    let named = accounts.iter().take(MAX_NAMED_ACCOUNTS).map(String::as_str).collect::<Vec<_>>().join(", ");
    match accounts.len() {
        0 | 1 => format!("the file states the account {named}"),
        2..=MAX_NAMED_ACCOUNTS => format!("the file states the accounts {named}"),
        count => format!("the file states the accounts {named} and {} others", count - MAX_NAMED_ACCOUNTS),
    }
}

/// Treatment of statements about accounts that are not the platform's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OtherAccounts {
    /// The file is refused.
    #[default]
    Refuse,
    /// The statements are left out.
    Skip,
}

/// Content of a file.
#[derive(Clone, Debug)]
pub(super) struct ReadFile {
    /// Format with its version.
    pub(super) format: String,
    /// Statements that can be accepted, in the order of the file.
    pub(super) days: Vec<ReadDay>,
    /// Numbers of the accounts whose statements are left out.
    pub(super) skipped: Vec<String>,
    /// Reason for which no line is booked: `pending` or `test`.
    pub(super) books: Option<&'static str>,
    /// First of the days that the bank itself declares as stated anew.
    pub(super) restates: Option<Day>,
}

/// Statement of one day.
#[derive(Clone, Debug)]
pub(super) struct ReadDay {
    pub(super) currency: Currency,
    pub(super) day: Day,
    pub(super) opening: i64,
    pub(super) closing: i64,
    pub(super) lines: Vec<StatementLine>,
}

/// Reads the statements of the account `own` in a file.
///
/// # Errors
///
/// [`Refused`] with the place of the first fault, or with the other accounts in the file.
pub(super) fn read(
    bytes: &[u8],
    format: &StatementFormat,
    own: &str,
    others: OtherAccounts,
) -> Result<ReadFile, Refused> {
    let Some(mut file) = bank_file(bytes, format)? else {
        return own_csv(&own::parse(&text_of(bytes.to_vec()))?);
    };
    let mut skipped = accounts_of(&file);
    skipped.retain(|account| account != own);
    if !skipped.is_empty() && others == OtherAccounts::Refuse {
        return Err(Refused::Account(skipped));
    }
    file.statements.retain(|statement| statement.account == own);
    Ok(ReadFile { skipped, ..content(&file)? })
}

/// Returns the numbers of the accounts that a file states, each once, in the order of the file; `None` for Daybook's own
/// CSV, which states none.
///
/// # Errors
///
/// [`Refused`] with the place of the first fault.
pub(super) fn accounts(bytes: &[u8], format: &StatementFormat) -> Result<Option<Vec<String>>, Refused> {
    Ok(bank_file(bytes, format)?.map(|file| accounts_of(&file)))
}

fn accounts_of(file: &BankFile) -> Vec<String> {
    let mut seen = HashSet::new();
    let stated = file.statements.iter().map(|statement| &statement.account);
    stated.filter(|account| seen.insert(*account)).cloned().collect()
}

/// Returns the lines of a file as they are read, as JSON of the documented shape; nothing is booked.
///
/// # Errors
///
/// [`Refused`] with the place of the first fault.
pub(super) fn preview(bytes: &[u8], format: &StatementFormat) -> Result<serde_json::Value, Refused> {
    let file = match bank_file(bytes, format)? {
        Some(file) => file,
        None => shown(&own::parse(&text_of(bytes.to_vec()))?),
    };
    // Strings and numbers only, so that it cannot fail.
    Ok(serde_json::to_value(Preview::from(&file)).unwrap_or_default())
}

/// Reads a file in a format of banks; `None` if it is in Daybook's own format.
fn bank_file(bytes: &[u8], format: &StatementFormat) -> Result<Option<BankFile>, Refused> {
    if bytes.len() > daybook_statement::MAX_BYTES {
        return Err(Refused::Size);
    }
    let file = match format {
        StatementFormat::Auto => return bank_file(bytes, &recognized(bytes)?),
        StatementFormat::Bai2 => bai2::read(bytes)?,
        StatementFormat::Camt => camt::read(bytes)?,
        StatementFormat::Mt940 => mt940::read(bytes)?,
        StatementFormat::Csv(mapping) => csv::read(bytes, mapping)?,
        StatementFormat::Own => return Ok(None),
    };
    Ok(Some(file))
}

fn recognized(bytes: &[u8]) -> Result<StatementFormat, Refused> {
    match () {
        () if bai2::is_format(bytes) => Ok(StatementFormat::Bai2),
        () if camt::is_format(bytes) => Ok(StatementFormat::Camt),
        () if mt940::is_format(bytes) => Ok(StatementFormat::Mt940),
        // Any other text is reported at its place by the reader of the own format.
        () if bytes.is_empty() => Err(Refused::Format),
        () => Ok(StatementFormat::Own),
    }
}

fn content(file: &BankFile) -> Result<ReadFile, Refused> {
    let (format, restates) = (file.format.clone(), None);
    let mut read = ReadFile { format, days: vec![], skipped: vec![], books: None, restates };
    if let Some(page) = file.statements.iter().find_map(camt::page) {
        return Err(missing_pages(file, page.of));
    }
    for statement in &file.statements {
        match statement.standing {
            Standing::Booked => read.days.extend(days(statement)?),
            Standing::Restated => {
                let day = statement.days.first().map(|day| day.date);
                read.restates = read.restates.or(day);
                read.days.extend(days(statement)?);
            }
            Standing::Pending => read.books = Some("pending"),
            Standing::Test => read.books = Some("test"),
        }
    }
    if !read.days.is_empty() {
        read.books = None;
    }
    Ok(read)
}

/// The refusal of a file that has some pages of the statement `of` only.
fn missing_pages(file: &BankFile, of: String) -> Refused {
    let pages: Vec<camt::Page> =
        file.statements.iter().filter_map(camt::page).filter(|it| it.of == of).collect();
    let highest = pages.iter().map(|page| page.number).max().unwrap_or_default();
    let has = |number: &u64| pages.iter().any(|page| page.number == *number);
    let mut missing: Vec<String> = (1..highest)
        .filter(|number| !has(number))
        .take(MAX_NAMED_PAGES)
        .map(|number| format!("page {number}"))
        .collect();
    if !pages.iter().any(|page| page.last) {
        missing.push("the last page".to_owned());
    }
    let verb = if missing.len() == 1 { "is" } else { "are" };
    Refused::Pages { of, missing: format!("{} {verb}", missing.join(", ")) }
}

/// Assigns the booked lines of a statement to its days.
fn days(statement: &Statement) -> Result<Vec<ReadDay>, Refused> {
    let is_only = statement.days.len() == 1;
    statement
        .days
        .iter()
        .map(|day| {
            let is_its = |line: &&Line| line.booked && (is_only || line.booking == Some(day.date));
            let lines: Vec<&Line> = statement.lines.iter().filter(is_its).collect();
            let sum: i128 = lines.iter().map(|line| i128::from(line.amount)).sum();
            let &DayBalances { date, opening, closing, lines: count, .. } = day;
            if lines.len() != count || i128::from(opening) + sum != i128::from(closing) {
                return Err(Refused::Days(date));
            }
            let kept = lines.iter().zip(1..).map(|(line, number)| kept(line, date, number));
            let lines: Vec<_> = kept.collect();
            if lines.chunks(MAX_LINES_AT_ONCE as usize).any(|page| text_bytes(page) > MAX_PAGE_BYTES) {
                return Err(Refused::Texts(date));
            }
            Ok(ReadDay { currency: statement.currency, day: date, opening, closing, lines })
        })
        .collect()
}

/// Size of the texts in a page of lines, in bytes.
fn text_bytes(page: &[StatementLine]) -> usize {
    let of = |line: &StatementLine| line.text.len() + line.references.iter().map(String::len).sum::<usize>();
    page.iter().map(of).sum()
}

/// The line with the number `number` of a day. Banks have no ids of lines that are unique, so its number is its id.
fn kept(line: &Line, day: Day, number: usize) -> StatementLine {
    // The only detail of a line says more about it; those of a batch are about several payments.
    let part = match &line.parts[..] {
        [only] => Some(only),
        _ => None,
    };
    let references = line.references.iter().chain(part.into_iter().flat_map(|part| &part.references));
    StatementLine {
        id: format!("{day}.{number}"),
        amount: line.amount,
        value: line.value,
        references: references.map(|(_, text)| text.clone()).collect(),
        codes: line.codes.iter().map(|(_, code)| code.clone()).collect(),
        text: line.text.clone(),
        bytes: (!line.bytes.is_empty()).then_some([line.bytes.start as u64, line.bytes.end as u64]),
    }
}

/// Content of a file in Daybook's own CSV, whose lines have ids. It states no account: it is about the platform's.
fn own_csv(stated: &own::Statement) -> Result<ReadFile, Refused> {
    let mut read = content(&shown(stated))?;
    let lines = read.days.iter_mut().flat_map(|day| &mut day.lines);
    for (line, own) in lines.zip(&stated.lines) {
        line.id.clone_from(&own.id);
    }
    Ok(read)
}

/// Daybook's own CSV in the shape of the other formats.
fn shown(stated: &own::Statement) -> BankFile {
    let line = |line: &own::StatementLine| Line {
        booking: Some(stated.date),
        booking_from: None,
        value: None,
        amount: line.amount_minor,
        booked: true,
        reversal: false,
        codes: vec![],
        references: line
            .reference
            .iter()
            .map(|text| (daybook_statement::ReferenceKind::Customer, text.clone()))
            .collect(),
        return_reason: None,
        text: line.description.clone(),
        parts: vec![],
        bytes: 0..0,
    };
    let lines: Vec<Line> = stated.lines.iter().map(line).collect();
    let day = DayBalances {
        date: stated.date,
        opening: stated.opening_minor,
        closing: stated.closing_minor,
        lines: lines.len(),
        available: None,
    };
    let statement = Statement {
        account: String::new(),
        currency: stated.currency,
        standing: Standing::Booked,
        marks: vec![],
        days: vec![day],
        lines,
    };
    BankFile { format: "csv".to_owned(), statements: vec![statement] }
}
