//! C19: a file of the bank is accepted once, each of its lines is booked once, and taken back once if the day is stated anew,
//! and an open item is explained once. The account at the bank has the balance that the bank stated, and suspense is the sum
//! of the lines that are not explained.

use std::collections::{BTreeMap, HashMap};

use super::bank_fold::{BankFold, count};
use super::bank_records::{Break, Statement};
use super::{Evidence, Findings};
use crate::desk::{Step, Taken, file};
use crate::ops::{Asked, Seen};

/// Returns the violations of C19.
pub(super) fn look(evidence: &Evidence) -> Findings {
    let (Some(_), Some(bank)) = (&evidence.world.desk, &evidence.bank) else { return vec![] };
    let mut found = bank.wrong.clone();
    let files = files(evidence, &mut found);
    for (id, statement) in &bank.statements {
        match files.texts.get(statement.file.as_str()) {
            Some(text) => found.extend(compare(id, statement, &file::amounts(text))),
            None => found.push(format!("the file of {id} was accepted, and no operator was told")),
        }
    }
    for id in files.told.iter().filter(|id| !bank.statements.contains_key(**id)) {
        found.push(format!("{id} was acknowledged and is not in the log"));
    }
    found.extend(twice(bank));
    found.extend(balances(bank));
    found
}

/// Files that were acknowledged.
#[derive(Default)]
struct Files<'a> {
    /// Texts by their hashes.
    texts: HashMap<&'a str, &'a str>,
    /// Ids of statements in answers.
    told: Vec<&'a str>,
}

/// Returns the files that were acknowledged. The same bytes have one hash, and other bytes another one. Only one of the
/// answers to a file that states no day anew says that it was not accepted before.
fn files<'a>(evidence: &'a Evidence, found: &mut Findings) -> Files<'a> {
    let mut files = Files::default();
    let mut new: HashMap<&str, u64> = HashMap::new();
    for (asked, answered) in evidence.answers() {
        let Asked::Desk(Step::HandIn { text, restates, .. }) = asked else { continue };
        let Seen::Taken(Taken { file, repeated, statements }) = &answered.seen else { continue };
        files.told.extend(statements.iter().map(String::as_str));
        if files.texts.insert(file, text).is_some_and(|before| before != text) {
            found.push(format!("two files have the hash {file}"));
        }
        let times = new.entry(text).or_default();
        *times += u64::from(!repeated && !restates);
        if *times == 2 {
            found.push(format!("the file {file} was accepted twice"));
        }
    }
    for op in evidence.ops.values() {
        let Asked::Desk(Step::HandIn { text, restates: false, .. }) = &op.asked else { continue };
        let refused = op.answered().and_then(|answered| answered.refused.as_deref());
        if new.contains_key(text.as_str()) && refused.is_some_and(|code| code != "statement_booking") {
            found.push("a file was accepted, and refused when it was handed in again".to_owned());
        }
    }
    files
}

/// Compares a statement with the lines of its file.
fn compare(id: &str, statement: &Statement, lines: &[i64]) -> Findings {
    let Statement { opening, closing, booked, .. } = statement;
    let mut found = vec![];
    if statement.lines != count(lines.len()) || closing - opening != lines.iter().sum::<i64>() {
        found
            .push(format!("{id} has {} lines from {opening} to {closing}, its file others", statement.lines));
    }
    let due: &[i64] = if statement.replaced_by.is_some() { &[] } else { lines };
    if booked != due {
        found.push(format!("{id} has {} lines that should be booked, {} are", due.len(), booked.len()));
    }
    found
}

/// Returns statements that are there twice: of one file without a restatement, or in the place of one other.
fn twice(bank: &BankFold) -> Findings {
    let mut places: BTreeMap<(&str, &Option<String>), u64> = BTreeMap::new();
    let mut days: BTreeMap<&str, u64> = BTreeMap::new();
    for statement in bank.statements.values() {
        let place = if statement.replaces.is_some() { "" } else { statement.file.as_str() };
        *places.entry((place, &statement.replaces)).or_default() += 1;
        *days.entry(&statement.day).or_default() += u64::from(statement.replaced_by.is_none());
    }
    let places = places.iter().filter(|(_, times)| **times > 1);
    let places = places.map(|(place, times)| format!("{times} statements of {place:?}"));
    let is_twice = |(day, times): &(&&str, &u64)| **times > 1 || bank.days.contains_key(**day);
    let days = days.iter().filter(is_twice).map(|(day, _)| format!("{day} is stated twice"));
    places.chain(days).collect()
}

/// Compares balances of the ledger with the bank's, and with the lines in suspense.
fn balances(bank: &BankFold) -> Findings {
    let mut found = vec![];
    let in_files = bank.statements.values().filter(|it| it.replaced_by.is_none());
    let in_files = in_files.map(|it| (it.day.as_str(), it.closing));
    let stated = in_files.chain(bank.days.iter().map(|(day, closing)| (day.as_str(), *closing))).max();
    let (_, stated) = stated.unwrap_or_default();
    let at_bank: i64 =
        bank.accounts.iter().filter(|(name, _)| name.starts_with("bank.")).map(|(_, balance)| balance).sum();
    if at_bank != stated {
        found.push(format!("the account at the bank has {at_bank}, the bank states {stated}"));
    }
    let suspense = -bank.accounts.get("suspense").copied().unwrap_or_default();
    let left: i64 = bank.breaks.values().map(Break::left).sum();
    if suspense != left {
        found.push(format!("suspense is {suspense}, the lines in suspense are {left}"));
    }
    found
}
