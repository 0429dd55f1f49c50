//! An account of a group: record 03, its lines, and record 49.

use super::detail::Detail;
use super::header::Group;
use super::record::Record;
use super::summary::Summary;
use super::trailer;
use crate::{DayBalances, Fault, Line, MAX_LINES, Standing, Statement};

/// The statements of a file as far as it was read.
#[derive(Default)]
pub(super) struct Read {
    pub(super) statements: Vec<Statement>,
    /// Number of lines of all statements.
    lines: usize,
}

/// An account of which all records were read.
pub(super) struct Account<'a> {
    summary: Summary<'a>,
    /// Place of record 03.
    place: (usize, usize),
    lines: Vec<Line>,
    /// Sum of the lines.
    sum: i128,
}

impl Account<'_> {
    /// Reads the records of an account up to its trailer, checks them, adds the statement, and returns the control total.
    pub(super) fn read(record: Record<'_, '_>, group: &Group, read: &mut Read) -> Result<i128, Fault> {
        let (before, place) = (record.before(), record.place());
        bound(read.statements.len() + 1, place, ("03", "number of accounts"))?;
        let (summary, records) = Summary::read(record, group.currency)?;
        let mut total = summary.total;
        let mut account = Account { summary, place, lines: vec![], sum: 0 };
        loop {
            let record = records.logical(&["16", "49"], "49, 98 and 99 are missing")?;
            if record.code() == "49" {
                trailer::check(record, &trailer::ACCOUNT, [total], before)?;
                read.statements.push(account.statement(group)?);
                return Ok(total);
            }
            let place = record.place();
            let detail = Detail::read(record, group)?;
            total += detail.total;
            if let Some(line) = detail.line {
                read.lines += 1;
                bound(read.lines, place, ("16", "number of lines"))?;
                account.sum += i128::from(line.amount);
                account.lines.push(line);
            }
        }
    }

    fn statement(self, group: &Group) -> Result<Statement, Fault> {
        let standing = group.standing();
        let balances = if group.is_final() { self.balances(group)? } else { None };
        let days = match standing {
            Standing::Booked | Standing::Restated => balances.into_iter().collect(),
            Standing::Pending | Standing::Test => vec![],
        };
        let status = ("group_status", group.status.clone());
        let modifier = group.modifier.clone().map(|modifier| ("as_of_modifier", modifier));
        Ok(Statement {
            account: self.summary.account,
            currency: self.summary.currency,
            standing,
            marks: std::iter::once(status).chain(modifier).collect(),
            days,
            lines: self.lines,
        })
    }

    /// Checks that the opening balance and the lines make the closing balance. An opening balance that is not stated is
    /// the closing balance less the lines.
    fn balances(&self, group: &Group) -> Result<Option<DayBalances>, Fault> {
        let Summary { opening, closing, opening_available, closing_available, .. } = &self.summary;
        let Some((closing, closing_field)) = closing else {
            // A deletion need not state anything. Source: BAI2 2005, "Group Status".
            if group.is_deletion() && opening.is_none() && self.lines.is_empty() {
                return Ok(None);
            }
            let why = "a final statement must state the closing balance";
            return Err(Fault::new(self.place, ("03", "015"), why));
        };
        let made = i128::from(*closing) - self.sum;
        let opening = match opening {
            Some((opening, _)) if i128::from(*opening) == made => *opening,
            Some((opening, _)) => {
                let expected = i128::from(*opening) + self.sum;
                return Err(closing_field.differs("opening + lines is not closing", expected));
            }
            None => {
                i64::try_from(made).map_err(|_| closing_field.fault("the opening balance is too large"))?
            }
        };
        let available =
            [opening_available, closing_available].map(|of| of.as_ref().map(|(amount, _)| *amount));
        Ok(Some(DayBalances {
            date: group.as_of,
            opening,
            closing: *closing,
            lines: self.lines.len(),
            available: Some(available),
        }))
    }
}

/// Checks that a file has no more accounts and no more lines than may be read.
fn bound(count: usize, place: (usize, usize), of: (&str, &str)) -> Result<(), Fault> {
    if count <= MAX_LINES {
        return Ok(());
    }
    Err(Fault::new(place, of, "the file has too many of them").expected(format_args!("at most {MAX_LINES}")))
}
