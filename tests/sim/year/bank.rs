//! The made bank: its own book of movements, the statements that it makes of it, and the lines that it knows nobody can
//! explain.

use std::collections::BTreeMap;

use daybook_domain::calendar::Day;
use daybook_domain::statement::accept::{StatedDay, StatedFile};
use daybook_domain::{Currency, FileId, StatementId, TransactionId};

use crate::bank::{FEE, SheetLine};
use crate::matching::Sheets;

/// Code of lines that are no fees.
const TRANSFER: &str = "195";

/// The form in which a day is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A line for each file, which it names, and one for all returns.
    Batches,
    /// A line for the credits of each file and one for the debits, without references.
    Sides,
    /// A line for each movement, which names its transaction.
    Singles,
}

/// A movement in the book.
#[derive(Clone, Debug)]
pub(super) struct Movement {
    pub amount: i64,
    /// None for a fee, and for what the platform does not know.
    pub transaction: Option<TransactionId>,
    pub file: Option<FileId>,
    pub is_return: bool,
    pub code: &'static str,
}

impl Movement {
    pub(super) fn of(transaction: TransactionId, amount: i64) -> Self {
        Self { amount, transaction: Some(transaction), file: None, is_return: false, code: TRANSFER }
    }

    pub(super) fn unknown(amount: i64) -> Self {
        Self { amount, transaction: None, file: None, is_return: false, code: TRANSFER }
    }

    pub(super) fn fee(amount: i64) -> Self {
        Self { code: FEE, ..Self::unknown(-amount) }
    }
}

/// A day that was stated: balances, movements, and its statement.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub opening: i64,
    pub closing: i64,
    pub movements: Vec<Movement>,
    pub statement: StatementId,
}

/// The bank.
#[derive(Default)]
pub(super) struct MadeBank {
    /// Movements that no statement has.
    pub unstated: Vec<Movement>,
    /// Movements that come later, by the day of their line.
    pub late: Vec<(Day, Movement)>,
    pub balance: i64,
    pub days: BTreeMap<Day, Written>,
    /// Lines that nobody can explain, with their days.
    pub unexplained: Vec<(Day, i64)>,
    lines: BTreeMap<StatementId, Vec<SheetLine>>,
}

impl Sheets for MadeBank {
    fn lines(&self, statement: StatementId) -> &[SheetLine] {
        self.lines.get(&statement).map_or(&[], Vec::as_slice)
    }
}

impl MadeBank {
    /// Returns the amounts of the movements that the platform knows and no statement has.
    pub(super) fn on_the_way(&self) -> Vec<i64> {
        let late = self.late.iter().map(|(_, movement)| movement);
        let known = self.unstated.iter().chain(late).filter(|movement| movement.transaction.is_some());
        let mut amounts: Vec<i64> = known.map(|movement| movement.amount).collect();
        amounts.sort_unstable();
        amounts
    }

    /// States a day with all movements that are not late.
    pub(super) fn state(&mut self, day: Day, form: Form) -> StatedDay {
        let (due, late) = std::mem::take(&mut self.late).into_iter().partition(|(on, _)| *on <= day);
        self.late = late;
        self.unstated.extend(due.into_iter().map(|(_, movement): (Day, Movement)| movement));
        let movements = std::mem::take(&mut self.unstated);
        self.write(day, self.balance, movements, form)
    }

    /// States a day anew, with the same movements and further ones.
    pub(super) fn state_anew(&mut self, day: Day, form: Form, more: Vec<Movement>) -> StatedDay {
        let old = self.days[&day].clone();
        let movements = old.movements.into_iter().chain(more).collect();
        let stated = self.write(day, old.opening, movements, form);
        StatedDay { replaces: Some(old.statement), ..stated }
    }

    fn write(&mut self, day: Day, opening: i64, movements: Vec<Movement>, form: Form) -> StatedDay {
        let sum: i64 = movements.iter().map(|movement| movement.amount).sum();
        let (closing, lines) = (opening + sum, lines(&movements, form));
        assert_eq!(lines.iter().map(|line| line.amount).sum::<i64>(), sum, "lines are the movements");
        if self.days.range(day.plus_days(1)..).next().is_none() {
            self.balance = closing;
        }
        let statement = StatementId::from_u128(0x0007_EA00_0000 + self.lines.len() as u128);
        let count = u32::try_from(lines.len()).expect("few");
        self.lines.insert(statement, lines);
        self.days.insert(day, Written { opening, closing, movements, statement });
        let (currency, replaces) = (Currency::USD, None);
        StatedDay { id: statement, currency, day, opening, closing, lines: count, replaces }
    }

    pub(super) fn file(&self, statements: Vec<StatedDay>) -> StatedFile {
        let (format, hash) = ("bai2".to_owned(), format!("{:064x}", self.lines.len()));
        StatedFile { statements, format, hash, bytes: 1 }
    }
}

fn lines(movements: &[Movement], form: Form) -> Vec<SheetLine> {
    let mut groups: BTreeMap<(Option<FileId>, bool, bool), Vec<&Movement>> = BTreeMap::new();
    let mut lines = vec![];
    for movement in movements {
        let is_grouped = form != Form::Singles && (movement.file.is_some() || movement.is_return);
        if is_grouped {
            let is_credit = form == Form::Sides && movement.amount > 0;
            groups.entry((movement.file, movement.is_return, is_credit)).or_default().push(movement);
        } else {
            lines.push(line(&[movement], movement.transaction.map(|id| id.to_string())));
        }
    }
    for ((file, ..), group) in groups {
        let name = file.filter(|_| form == Form::Batches).map(|file| file.to_string());
        lines.push(line(&group, name));
    }
    lines
}

fn line(group: &[&Movement], reference: Option<String>) -> SheetLine {
    let (amount, first) = (group.iter().map(|movement| movement.amount).sum(), group[0]);
    let named = first.transaction.filter(|id| reference == Some(id.to_string()));
    SheetLine { amount, references: reference.into_iter().collect(), named, code: first.code }
}
