//! Messages: one page of a statement, or one report. Fields come in the order of SWIFT.

use daybook_domain::Currency;

use super::balance::Balance;
use super::cursor::Cursor;
use super::line::{self, Side};
use super::pages::{Number, Page};
use super::report::{Floors, Turnover, check_time};
use super::scan::{Ending, Field, Scanner, Start};
use super::stage::Stage;
use super::text::Letters;
use crate::{Fault, Line, MAX_LINES, Standing, Statement};

/// Origin of the booking day of a line without entry date.
pub(super) const FROM_VALUE: &str = "value date: the line has no entry date";

/// Message that was read whole.
pub(super) enum Message<'a> {
    Page(Box<Page<'a>>),
    Report(Statement),
}

/// Message whose fields are being read.
pub(super) struct Draft<'a> {
    letters: Letters,
    /// Number of lines that may still come.
    room: usize,
    stage: Stage,
    has_reference: bool,
    last: Option<Field<'a>>,
    account: Option<(Field<'a>, String)>,
    number: Option<Number<'a>>,
    opening: Option<Balance<'a>>,
    closing: Option<Balance<'a>>,
    floors: Option<Floors>,
    lines: Vec<Line>,
    /// True if the last line has no `:86:` yet.
    is_undescribed: bool,
    debits: Turnover,
    credits: Turnover,
}

impl<'a> Draft<'a> {
    /// Reads a message. `room` is the number of lines that the file may still have.
    pub(super) fn read(
        scanner: &mut Scanner<'a>,
        start: Start<'a>,
        letters: Letters,
        room: usize,
    ) -> Result<Message<'a>, Fault> {
        if let Some(kind) = start.kind.filter(|kind| ![&b"940"[..], b"942"].contains(kind)) {
            return Err(wrong_kind(start, kind).expected("940 or 942"));
        }
        let mut draft = Self::new(letters, room);
        while let Some(field) = scanner.field()? {
            let added = draft.add(field);
            draft.last = Some(field);
            // A field that the end of the file cuts looks wrong in a way that would mislead.
            let is_cut = scanner.is_at_end() && draft.stage < Stage::Closing;
            added.map_err(|fault| if is_cut { draft.cut("closing balance is missing") } else { fault })?;
        }
        let kind: &[u8] = if draft.floors.is_some() { b"942" } else { b"940" };
        if let Some(stated) = start.kind.filter(|stated| *stated != kind) {
            return Err(wrong_kind(start, stated).expected(String::from_utf8_lossy(kind)));
        }
        draft.finish(scanner)
    }

    fn new(letters: Letters, room: usize) -> Self {
        Self {
            letters,
            room,
            stage: Stage::Start,
            has_reference: false,
            last: None,
            account: None,
            number: None,
            opening: None,
            closing: None,
            floors: None,
            lines: vec![],
            is_undescribed: false,
            debits: Turnover::default(),
            credits: Turnover::default(),
        }
    }

    /// Fault of a file that ends within the message.
    fn cut(&self, why: &str) -> Fault {
        let (at, tag) = self.last.map_or((0, "{4:"), |field| (field.at, field.tag));
        Fault::new((0, at), ("end of file", tag), why)
    }

    fn add(&mut self, field: Field<'a>) -> Result<(), Fault> {
        if field.tag == ":86:" {
            return self.describe(field);
        }
        let stage = Stage::of(field.tag, self.floors.is_some());
        let stage = stage.ok_or_else(|| field.fault("tag", "the message has no such field here"))?;
        self.order(field, stage)?;
        self.stage = stage;
        self.is_undescribed = false;
        match stage {
            Stage::Start | Stage::Related => Ok(()),
            Stage::Reference => self.reference(field),
            Stage::Account => self.account(field),
            Stage::Number => Number::read(field).map(|number| self.number = Some(number)),
            Stage::Opening => self.open(field),
            Stage::Time => check_time(field),
            Stage::Lines => self.line(field),
            Stage::Closing => self.close(field),
            Stage::Available | Stage::Forward => {
                let balance = Balance::read(field)?;
                balance.check_currency(self.currency(field)?)
            }
        }
    }

    /// Refuses a field that comes too early, too late or twice.
    fn order(&self, field: Field<'a>, stage: Stage) -> Result<(), Fault> {
        let may_repeat = match field.tag {
            ":61:" | ":65:" | ":34F:" => true,
            ":90D:" | ":90C:" => self.last.is_some_and(|last| last.tag != field.tag),
            _ => false,
        };
        if stage < self.stage || (stage == self.stage && !may_repeat) {
            return Err(field.fault("tag", "the field comes too late or twice"));
        }
        let missing = match stage {
            _ if stage > Stage::Reference && !self.has_reference => ":20:",
            _ if stage > Stage::Account && self.account.is_none() => ":25:",
            _ if stage > Stage::Number && self.number.is_none() => ":28C:",
            _ if stage > Stage::Opening && self.opening.is_none() && self.floors.is_none() => ":60F:",
            _ if stage > Stage::Closing && self.closing.is_none() => ":62F:",
            _ => return Ok(()),
        };
        Err(field.fault("tag", format!("{missing} is missing before this field")).expected(missing))
    }

    fn reference(&mut self, field: Field<'a>) -> Result<(), Fault> {
        self.has_reference = true;
        if field.body.is_empty() { Err(field.fault("reference", "the reference is missing")) } else { Ok(()) }
    }

    fn account(&mut self, field: Field<'a>) -> Result<(), Fault> {
        // `:25P:` has the bank on a second line.
        if field.tag == ":25:" {
            Cursor::only(field)?;
        }
        let account = self.letters.decode(field.lines().next().unwrap_or_default()).trim().to_owned();
        if account.is_empty() {
            return Err(field.fault("account", "the account is missing"));
        }
        self.account = Some((field, account));
        Ok(())
    }

    fn open(&mut self, field: Field<'a>) -> Result<(), Fault> {
        match (&mut self.floors, field.tag) {
            (Some(floors), ":34F:") => floors.add(field),
            (None, ":34F:") if self.opening.is_none() => {
                self.floors = Some(Floors::read(field)?);
                Ok(())
            }
            (None, ":60F:" | ":60M:") => {
                self.opening = Some(Balance::read(field)?);
                Ok(())
            }
            _ => Err(field.fault("tag", "a message has an opening balance or a floor limit")),
        }
    }

    fn currency(&self, field: Field<'a>) -> Result<Currency, Fault> {
        let opening = self.opening.map(|balance| balance.currency);
        let currency = opening.or(self.floors.map(|floors| floors.currency));
        currency.ok_or_else(|| field.fault("currency", "the currency is not stated"))
    }

    fn line(&mut self, field: Field<'a>) -> Result<(), Fault> {
        if self.lines.len() >= self.room {
            let fault = field.fault("lines", "the file has too many lines");
            return Err(fault.expected(format_args!("at most {MAX_LINES}")));
        }
        let of = (self.currency(field)?, self.floors.is_some());
        let (mut line, side) = line::read(field, of, self.letters)?;
        if let Some(floors) = self.floors {
            floors.check(field, side, line.amount)?;
            line.booking_from = line.booking.is_none().then_some(FROM_VALUE);
            line.booking = line.booking.or(line.value);
        }
        let turnover = if side == Side::Debit { &mut self.debits } else { &mut self.credits };
        turnover.add(line.amount);
        self.lines.push(line);
        self.is_undescribed = true;
        Ok(())
    }

    fn describe(&mut self, field: Field<'a>) -> Result<(), Fault> {
        if self.stage >= Stage::Closing {
            return Ok(());
        }
        let is_first = std::mem::take(&mut self.is_undescribed);
        let line = self.lines.last_mut().filter(|_| is_first);
        let line =
            line.ok_or_else(|| field.fault("text", "no line before it, or a second text of a line"))?;
        line::describe(line, field, self.letters);
        Ok(())
    }

    fn close(&mut self, field: Field<'a>) -> Result<(), Fault> {
        let currency = self.currency(field)?;
        match (field.tag, self.opening) {
            (":90D:", _) => self.debits.check(field, currency),
            (":90C:", _) => self.credits.check(field, currency),
            (_, Some(opening)) => {
                let closing = Balance::read(field)?;
                closing.check_currency(currency)?;
                let lines: i128 = self.lines.iter().map(|line| i128::from(line.amount)).sum();
                closing.check_amount(i128::from(opening.amount) + lines, "opening + lines is not closing")?;
                self.closing = Some(closing);
                Ok(())
            }
            (_, None) => Err(field.fault("tag", "the opening balance is missing")),
        }
    }

    fn finish(mut self, scanner: &Scanner<'a>) -> Result<Message<'a>, Fault> {
        let ending = scanner.ending();
        if scanner.is_block() && ending != Ending::Marked {
            return Err(self.cut("the message is not closed by -}"));
        }
        // Without block, mark and sums, nothing shows that the report is whole.
        if self.floors.is_some() && ending == Ending::File && self.stage < Stage::Closing {
            return Err(self.cut("the report is not ended by -"));
        }
        match (self.account.take(), self.number, self.opening, self.closing, self.floors) {
            (Some((_, account)), .., Some(Floors { currency, .. })) => {
                let (standing, lines) = (Standing::Pending, self.lines);
                let report = Statement { account, currency, standing, marks: vec![], days: vec![], lines };
                Ok(Message::Report(report))
            }
            (Some(account), Some(number), Some(opening), Some(closing), None) => {
                let lines = self.lines;
                Ok(Message::Page(Box::new(Page { account, number, opening, closing, lines })))
            }
            _ if ending == Ending::File => Err(self.cut("closing balance is missing")),
            _ => {
                let record = if ending == Ending::Next { ":20:" } else { "-" };
                let at = (0, scanner.ending_at());
                Err(Fault::new(at, (record, "closing balance"), "closing balance is missing"))
            }
        }
    }
}

fn wrong_kind(start: Start<'_>, kind: &[u8]) -> Fault {
    let fault = Fault::new((0, start.at), ("{2:}", "message type"), "another type of message");
    fault.found(String::from_utf8_lossy(kind))
}
