//! Files of banks: the properties that hold for every format.

use std::collections::BTreeSet;
use std::fmt::Debug;

use daybook_statement::{BankFile, DayBalances, Fault, Line, Standing, Statement};

/// Checks what a reader made of a file, and returns the file if it was read.
pub(crate) fn checked(data: &[u8], read: Result<BankFile, Fault>) -> Option<BankFile> {
    match read {
        Ok(file) => {
            file.statements.iter().for_each(|statement| adds_up(statement, data));
            Some(file)
        }
        Err(fault) => {
            let Fault { line, byte, record, field, why, .. } = &fault;
            assert!(*line >= 1 && *byte <= data.len(), "{fault:?}");
            assert!(![record, field, why].iter().any(|text| text.is_empty()), "{fault:?}");
            None
        }
    }
}

/// Checks the days of a statement, and the lines themselves.
fn adds_up(statement: &Statement, data: &[u8]) {
    let Statement { standing, days, lines, .. } = statement;
    let is_stated = matches!(standing, Standing::Booked | Standing::Restated);
    assert!(is_stated || days.is_empty(), "{statement:?}");
    assert!(is_stated || !lines.iter().any(|line| line.booked), "{statement:?}");
    for pair in days.windows(2) {
        assert!(pair[0].date < pair[1].date && pair[0].closing == pair[1].opening, "{days:?}");
    }
    if !days.is_empty() {
        assert_eq!(sums(days, lines), expected(days), "{statement:?}");
    }
    for line in lines {
        is_whole(line, data);
    }
}

/// Number of lines and movement of each day, as its balances state them.
fn expected(days: &[DayBalances]) -> Vec<(usize, i128)> {
    days.iter().map(|day| (day.lines, i128::from(day.closing) - i128::from(day.opening))).collect()
}

/// Number and sum of the booked lines of each day. A line belongs to the first day that is not before its booking day;
/// to the only one, whatever its booking day is.
fn sums(days: &[DayBalances], lines: &[Line]) -> Vec<(usize, i128)> {
    let mut sums = vec![(0, 0); days.len()];
    for line in lines.iter().filter(|line| line.booked) {
        let booking = line.booking.expect("a booked line has a day");
        let of_several = || days.iter().position(|day| day.date >= booking).expect("a day of the statement");
        let day = if days.len() == 1 { 0 } else { of_several() };
        sums[day].0 += 1;
        sums[day].1 += i128::from(line.amount);
    }
    sums
}

fn is_whole(line: &Line, data: &[u8]) {
    assert!(data.get(line.bytes.clone()).is_some_and(|bytes| !bytes.is_empty()), "{line:?}");
    are_different(line.references.iter().map(|(kind, _)| kind));
    are_different(line.codes.iter().map(|(kind, _)| kind));
    for part in &line.parts {
        are_different(part.references.iter().map(|(kind, _)| kind));
    }
    let amounts: Option<Vec<i64>> = line.parts.iter().map(|part| part.amount).collect();
    let sum = amounts.map(|amounts| amounts.into_iter().map(i128::from).sum::<i128>());
    assert!(line.parts.is_empty() || sum.is_none_or(|sum| sum == i128::from(line.amount)), "{line:?}");
}

fn are_different<T: Ord + Debug>(kinds: impl Iterator<Item = T>) {
    let mut known = BTreeSet::new();
    for kind in kinds {
        assert!(!known.contains(&kind), "{kind:?} occurs twice");
        known.insert(kind);
    }
}

/// The file with references in the order of their kinds, and without the places of lines.
pub(crate) fn placeless(mut file: BankFile) -> BankFile {
    for line in lines_mut(&mut file) {
        line.bytes = 0..0;
        line.references.sort();
        line.parts.iter_mut().for_each(|part| part.references.sort());
    }
    file
}

/// All lines of a file.
pub(crate) fn lines_mut(file: &mut BankFile) -> impl Iterator<Item = &mut Line> {
    file.statements.iter_mut().flat_map(|statement| &mut statement.lines)
}

/// Sum of the amounts of a statement's lines without signs. A writer states it, and a reader refuses what does not fit.
pub(crate) fn turnover(statement: &Statement) -> u128 {
    statement.lines.iter().map(|line| u128::from(line.amount.unsigned_abs())).sum()
}

/// True if a writer can state the sums of all lines.
pub(crate) fn has_small_sums(file: &BankFile, largest: u128) -> bool {
    file.statements.iter().all(|statement| turnover(statement) <= largest)
}
