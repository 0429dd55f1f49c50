//! Days that the bank states in files: line by line, or with one line for a whole file, for its credits, for the returns of a
//! day, or for several movements. Movements may be late. The bank takes fees, books a movement twice and corrects that, and
//! states days anew.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::calendar::Day;
use daybook_domain::statement::accept::{AcceptStatements, StatedDay, StatedFile};
use daybook_domain::testing::fixture::CUSTODY;
use daybook_domain::{Actor, Command, Currency, FileId, Origin, StatementId, TransactionId};
use daybook_random::Random;

use super::{Bank, Movement};
use crate::auditor::Auditor;
use crate::matching::Sheets;

/// Code of the lines of fees and of corrections.
pub(crate) const FEE: &str = "698";
/// Code of the other lines.
const TRANSFER: &str = "195";

/// A line as the bank states it.
#[derive(Clone, Debug)]
pub(crate) struct SheetLine {
    pub amount: i64,
    /// Transactions or a file.
    pub references: Vec<String>,
    /// The transaction, if the references are those of one.
    pub named: Option<TransactionId>,
    pub code: &'static str,
}

/// A statement in a file.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    currency: Currency,
    day: Day,
    opening: i64,
    closing: i64,
    lines: Vec<SheetLine>,
    covers: Vec<Movement>,
    is_accepted: bool,
    is_replaced: bool,
}

/// A day of a file: its own movements, and the statement that it replaces.
struct OneDay {
    day: Day,
    movements: Vec<Movement>,
    replaces: Option<StatementId>,
    /// True if all movements must be in it.
    is_complete: bool,
}

impl Sheets for Bank {
    fn lines(&self, statement: StatementId) -> &[SheetLine] {
        self.sheets.get(&statement).map_or(&[], |sheet| &sheet.lines)
    }
}

impl Bank {
    /// Creates a file with the statement of `day`, and perhaps with that of a day that was left out before.
    pub(super) fn state_in_file(
        &mut self,
        random: &mut Random,
        auditor: &Auditor,
        currency: Currency,
        day: Day,
    ) -> Command {
        self.err(random, currency);
        let stated = auditor.custody.stated.get(&currency).map(|(day, _)| *day);
        let is_behind = stated.is_some_and(|stated| stated < day.plus_days(-1)) && random.once_in(2);
        let new = |day| OneDay { day, movements: vec![], replaces: None, is_complete: false };
        let mut days: Vec<_> = is_behind.then(|| new(day.plus_days(-1))).into_iter().collect();
        days.push(new(day));
        days[0].movements = self.waiting.get(&currency).cloned().unwrap_or_default();
        let file = self.file(random, currency, self.balance(currency), days);
        let origin = Origin::of(Actor::Bank);
        AcceptStatements { custody: CUSTODY, file, origin }.into()
    }

    /// Creates a file that states one or two days anew: with other lines, and with other movements if no later day is stated.
    pub(crate) fn state_anew(&mut self, random: &mut Random) -> Option<StatedFile> {
        let standing = self.sheets.iter().filter(|(_, sheet)| sheet.is_accepted && !sheet.is_replaced);
        let mut standing: Vec<(StatementId, Sheet)> =
            standing.map(|(id, sheet)| (*id, sheet.clone())).collect();
        standing.sort_by_key(|(_, sheet)| (sheet.currency, sheet.day));
        let mut places: Vec<usize> = (0..standing.len()).collect();
        places.retain(|place| !standing[*place].1.lines.is_empty() || random.once_in(8));
        let first = *places.get(random.below(places.len()))?;
        let currency = standing[first].1.currency;
        let after = &standing[first + 1..];
        let later = after.iter().filter(|(_, sheet)| sheet.currency == currency).count();
        let count = 1 + usize::from(later > 0 && random.once_in(3));
        let is_newest = later < count;
        let opening = standing[first].1.opening;
        let day = |(id, sheet): (StatementId, Sheet)| OneDay {
            day: sheet.day,
            movements: sheet.covers,
            replaces: Some(id),
            is_complete: false,
        };
        let mut days: Vec<OneDay> = standing.drain(first..first + count).map(day).collect();
        let last = days.last_mut()?;
        // Sometimes the day closes otherwise although later days are stated, which is refused.
        last.is_complete = !is_newest && !random.once_in(12);
        if is_newest {
            last.movements.extend(self.waiting.get(&currency).cloned().unwrap_or_default());
        }
        Some(self.file(random, currency, opening, days))
    }

    /// Takes a fee, and books a movement twice, which it corrects by another one.
    fn err(&mut self, random: &mut Random, currency: Currency) {
        if random.once_in(6) {
            self.moved(currency, -random.between(1, 30), None);
        }
        if random.once_in(8)
            && let Some(place) = self.waits(currency).checked_sub(1).map(|last| random.below(last + 1))
        {
            let Movement { amount, transaction, .. } = self.waiting[&currency][place].clone();
            self.moved(currency, amount, transaction);
            self.moved(currency, -amount, None);
        }
    }

    /// Creates a file. Movements that are late in one day are in the next one.
    fn file(
        &mut self,
        random: &mut Random,
        currency: Currency,
        mut opening: i64,
        days: Vec<OneDay>,
    ) -> StatedFile {
        let (mut statements, mut late) = (vec![], vec![]);
        for OneDay { day, movements, replaces, is_complete } in days {
            let all = late.into_iter().chain(movements);
            let (next, mut covers): (Vec<_>, Vec<_>) = all.partition(|_| !is_complete && random.once_in(5));
            late = next;
            let mut lines = lines(random, covers.clone());
            if !is_complete && random.once_in(4) {
                covers.extend(self.repeat(random, &mut lines));
            }
            let closing = lines.iter().fold(opening, |sum, line| sum.saturating_add(line.amount));
            let id = StatementId::from_u128(0x00F1_1E00_0000 + self.sheets.len() as u128);
            let count = u32::try_from(lines.len()).unwrap_or_default();
            statements.push(StatedDay { id, currency, day, opening, closing, lines: count, replaces });
            let (is_accepted, is_replaced) = (false, false);
            let sheet = Sheet { currency, day, opening, closing, lines, covers, is_accepted, is_replaced };
            self.sheets.insert(id, sheet);
            opening = closing;
        }
        let (format, hash) = ("bai2".to_owned(), format!("{:064x}", self.sheets.len()));
        StatedFile { statements, format, hash, bytes: 1 }
    }

    /// States a line again without its references, and returns the movement that this is. It is corrected later, since no
    /// movement of this number has waited.
    fn repeat(&mut self, random: &mut Random, lines: &mut Vec<SheetLine>) -> Option<Movement> {
        let line = lines.get(random.below(lines.len()))?;
        let repeated = SheetLine { references: vec![], named: None, ..line.clone() };
        self.moved += 1;
        let (amount, transaction, file, is_return) = (repeated.amount, None, None, false);
        lines.push(repeated);
        Some(Movement { number: self.moved, amount, transaction, file, is_return })
    }

    /// Handles the acceptance of a statement.
    pub(super) fn accepted(&mut self, id: StatementId, replaces: Option<StatementId>) {
        if let Some(old) = replaces.and_then(|old| self.sheets.get_mut(&old)) {
            old.is_replaced = true;
            self.waiting.entry(old.currency).or_default().extend(old.covers.clone());
        }
        let Some(sheet) = self.sheets.get_mut(&id) else { return };
        sheet.is_accepted = true;
        let Sheet { currency, day, closing, covers, .. } = sheet.clone();
        let is_later = |other: &Sheet| other.is_accepted && other.currency == currency && other.day > day;
        if !self.sheets.values().any(is_later) {
            self.balance.insert(currency, closing);
        }
        for movement in covers {
            let waiting = self.waiting.entry(currency).or_default();
            match waiting.iter().position(|other| other.number == movement.number) {
                Some(place) => drop(waiting.remove(place)),
                // Two processes asked for a statement, and both have it.
                None => drop(self.moved(currency, -movement.amount, None).number),
            }
        }
    }
}

/// Returns the lines of a day with these movements.
fn lines(random: &mut Random, movements: Vec<Movement>) -> Vec<SheetLine> {
    let files: BTreeSet<FileId> = movements.iter().filter_map(|movement| movement.file).collect();
    let (mut groups, mut rest) = (vec![], movements);
    for file in files {
        let (of_file, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|it| it.file == Some(file));
        rest = others;
        match random.below(4) {
            0 => groups.push(of_file),
            1 => {
                let (credits, debits): (Vec<_>, Vec<_>) = of_file.into_iter().partition(|it| it.amount > 0);
                groups.extend([credits, debits]);
            }
            _ => rest.extend(of_file),
        }
    }
    if random.once_in(3) {
        let (returns, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|it| it.is_return);
        (rest, groups) = (others, [groups, vec![returns]].concat());
    }
    if random.once_in(3) {
        groups.extend(met(&mut rest));
    }
    while rest.len() > 2 && random.once_in(3) {
        groups.push(rest.split_off(rest.len() - random.below(2) - 1));
    }
    groups.extend(rest.into_iter().map(|movement| vec![movement]));
    groups.iter().filter(|group| !group.is_empty()).map(|group| SheetLine::of(random, group)).collect()
}

/// Takes an entry and its return out of `rest`.
fn met(rest: &mut Vec<Movement>) -> Option<Vec<Movement>> {
    let of = |one: &Movement| one.transaction.filter(|_| one.amount != 0).map(|id| (id, one.amount));
    let places: BTreeMap<_, _> = rest.iter().enumerate().filter_map(|(at, it)| Some((of(it)?, at))).collect();
    let (first, second) =
        places.iter().find_map(|((id, amount), at)| Some((*at, *places.get(&(*id, -amount))?)))?;
    let later = rest.remove(first.max(second));
    Some(vec![rest.remove(first.min(second)), later])
}

impl SheetLine {
    fn of(random: &mut Random, group: &[Movement]) -> Self {
        let amount = group.iter().map(|movement| movement.amount).sum();
        let transactions: BTreeSet<_> = group.iter().filter_map(|movement| movement.transaction).collect();
        let files: BTreeSet<_> = group.iter().map(|movement| movement.file).collect();
        let code = if transactions.is_empty() { FEE } else { TRANSFER };
        let file = files.first().copied().flatten().filter(|_| files.len() == 1 && group.len() > 1);
        let (mut references, mut named) = (vec![], None);
        if !random.once_in(4) {
            match file.filter(|_| random.once_in(2)) {
                Some(file) => references.push(file.to_string()),
                None => references.extend(transactions.iter().map(TransactionId::to_string)),
            }
            named = transactions.first().copied().filter(|_| transactions.len() == 1 && file.is_none());
        }
        Self { amount, references, named, code }
    }
}
