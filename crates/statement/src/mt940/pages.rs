//! Pages of statements, and the days of a whole statement.

use std::collections::BTreeMap;

use daybook_domain::calendar::Day;

use super::balance::Balance;
use super::cursor::Cursor;
use super::message::FROM_VALUE;
use super::scan::Field;
use crate::{DayBalances, Fault, Line, MAX_LINES, Standing, Statement};

/// Origin of the booking day of a line whose value date is outside the statement.
const FROM_CLOSING: &str =
    "closing balance: the line has no entry date, and its value date is not a day of the statement";

/// Number of a statement and of its page: `:28C:`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number<'a> {
    field: Field<'a>,
    statement: u32,
    page: Option<u32>,
}

impl<'a> Number<'a> {
    /// Reads a field. Source: SWIFT, format `5n[/5n]`.
    pub(super) fn read(field: Field<'a>) -> Result<Self, Fault> {
        let mut cursor = Cursor::only(field)?;
        let statement = number(&mut cursor, "statement number")?;
        let page = cursor.prefix("/").then(|| number(&mut cursor, "sequence number")).transpose()?;
        cursor.finish("sequence number")?;
        Ok(Self { field, statement, page })
    }

    /// Refuses a page that does not follow.
    fn check_next(&self, found: Self) -> Result<(), Fault> {
        let next = Self { page: self.page.map(|page| page + 1), ..*self };
        let (field, why) = match (next.page, found.page) {
            (Some(page), Some(_)) if found.statement == self.statement => {
                ("sequence number", format!("page {page} is missing"))
            }
            (Some(_), Some(_)) => {
                ("statement number", "the statement before has no last page yet".to_owned())
            }
            _ => ("sequence number", "a statement of several pages has their numbers".to_owned()),
        };
        let is_next = next.page.is_some() && next.page == found.page && next.statement == found.statement;
        let fault = || found.field.fault(field, why).expected(next.shown()).found(found.shown());
        if is_next { Ok(()) } else { Err(fault()) }
    }

    fn shown(&self) -> String {
        let Self { statement, page, .. } = self;
        page.map_or_else(|| statement.to_string(), |page| format!("{statement}/{page}"))
    }
}

fn number(cursor: &mut Cursor<'_>, name: &str) -> Result<u32, Fault> {
    let digits = cursor.take_while(|byte| byte.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| digits.len() <= 5);
    number.ok_or_else(|| cursor.fault(name, "not one to five digits"))
}

/// Page of a statement, or the pages so far.
pub(super) struct Page<'a> {
    pub(super) account: (Field<'a>, String),
    /// Number of the last page.
    pub(super) number: Number<'a>,
    /// Opening balance of the first page.
    pub(super) opening: Balance<'a>,
    /// Closing balance of the last page. The opening balance and the lines make it.
    pub(super) closing: Balance<'a>,
    pub(super) lines: Vec<Line>,
}

/// Statements of a file.
#[derive(Default)]
pub(super) struct Pages<'a> {
    done: Vec<Statement>,
    /// Statement whose last page was not read yet.
    open: Option<Page<'a>>,
    lines: usize,
}

impl<'a> Pages<'a> {
    /// Number of lines that the file may still have.
    pub(super) fn room(&self) -> usize {
        MAX_LINES.saturating_sub(self.lines)
    }

    /// Adds a page.
    pub(super) fn add(&mut self, page: Page<'a>) -> Result<(), Fault> {
        self.lines += page.lines.len();
        let page = match self.open.take() {
            Some(open) => open.follow(page)?,
            None => page.first()?,
        };
        if page.closing.is_intermediate() {
            self.open = Some(page);
        } else {
            self.done.push(page.finish()?);
        }
        Ok(())
    }

    /// Adds a report.
    pub(super) fn add_report(&mut self, report: Statement) -> Result<(), Fault> {
        self.lines += report.lines.len();
        self.check_last()?;
        self.done.push(report);
        Ok(())
    }

    /// Returns the statements of a file that ends.
    pub(super) fn finish(self) -> Result<Vec<Statement>, Fault> {
        self.check_last()?;
        Ok(self.done)
    }

    /// Refuses a statement whose last page is not there.
    fn check_last(&self) -> Result<(), Fault> {
        let Some(Page { number, closing, .. }) = &self.open else { return Ok(()) };
        let fault =
            Fault::new((0, closing.field.at), ("end of file", closing.field.tag), "the last page is missing");
        let next = Number { page: number.page.map(|page| page + 1), ..*number };
        Err(fault.expected(":62F:").found(format_args!("nothing of {}", next.shown())))
    }
}

impl Page<'_> {
    /// Returns the page if a statement begins with it.
    fn first(self) -> Result<Self, Fault> {
        if !self.opening.is_intermediate() {
            return Ok(self);
        }
        let Number { field, page, .. } = self.number;
        let first = Number { page: Some(1), ..self.number };
        Err(match page {
            Some(page) if page > 1 => {
                let fault = field.fault("sequence number", "page 1 is missing");
                fault.expected(first.shown()).found(self.number.shown())
            }
            _ => {
                let opening = self.opening.field;
                opening.fault("tag", "no page comes before").expected(":60F:").found(opening.tag)
            }
        })
    }

    /// Adds the page that follows. Every rule but that of the number would also hold for a page that is missing.
    fn follow(mut self, page: Self) -> Result<Self, Fault> {
        let (field, account) = &page.account;
        if *account != self.account.1 {
            let fault = field.fault("account", "the statement of another account has no last page yet");
            return Err(fault.expected(&self.account.1).found(account));
        }
        self.number.check_next(page.number)?;
        let opening = page.opening;
        if !opening.is_intermediate() {
            let fault = opening.field.fault("tag", "the page before ends with :62M:");
            return Err(fault.expected(":60M:").found(opening.field.tag));
        }
        opening.check_currency(self.opening.currency)?;
        opening.check_amount(self.closing.amount.into(), "not the :62M: of the page before")?;
        self.lines.extend(page.lines);
        Ok(Self { number: page.number, closing: page.closing, ..self })
    }

    /// Returns the statement after its last page.
    fn finish(mut self) -> Result<Statement, Fault> {
        let Self { opening, closing, .. } = self;
        if closing.date < opening.date {
            let fault = closing.field.fault("date", "the closing balance is before the opening balance");
            return Err(fault.expected(format_args!("{} or later", opening.date)).found(closing.date));
        }
        for line in &mut self.lines {
            book(line, opening.date, closing.date)?;
        }
        let days = self.days()?;
        let (currency, account, lines) = (opening.currency, self.account.1, self.lines);
        Ok(Statement { account, currency, standing: Standing::Booked, marks: vec![], days, lines })
    }

    /// Booking days of the lines, and the day of the closing balance.
    fn days(&self) -> Result<Vec<DayBalances>, Fault> {
        let mut sums: BTreeMap<Day, (i128, usize)> = BTreeMap::new();
        sums.entry(self.closing.date).or_default();
        for line in &self.lines {
            let (sum, lines) = sums.entry(line.booking.unwrap_or(self.closing.date)).or_default();
            *sum += i128::from(line.amount);
            *lines += 1;
        }
        let mut opening = self.opening.amount;
        let days = sums.into_iter().map(|(date, (sum, lines))| {
            let closing = i64::try_from(i128::from(opening) + sum).ok()?;
            let day = DayBalances { date, opening, closing, lines, available: None };
            opening = closing;
            Some(day)
        });
        let days: Option<_> = days.collect();
        days.ok_or_else(|| self.closing.field.fault("amount", "the balance of a day is too large"))
    }
}

/// Sets the booking day of a line without entry date, and refuses one outside the statement.
fn book(line: &mut Line, opening: Day, closing: Day) -> Result<(), Fault> {
    let Some(booking) = line.booking else {
        let value = line.value.filter(|value| opening < *value && *value <= closing);
        line.booking_from = Some(if value.is_some() { FROM_VALUE } else { FROM_CLOSING });
        line.booking = value.or(Some(closing));
        return Ok(());
    };
    if opening <= booking && booking <= closing {
        return Ok(());
    }
    let why = "the line was booked on a day outside the statement";
    let fault = Fault::new((0, line.bytes.start), (":61:", "entry date"), why);
    Err(fault.expected(format_args!("{opening} to {closing}")).found(booking))
}
