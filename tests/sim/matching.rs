//! The processes that book the lines of files and try the matching rules on lines in suspense, with the engine's commands in
//! the engine's order (`crates/engine/src/statements/booking.rs`, `matching/mod.rs`).

use daybook_domain::breaks::Break;
use daybook_domain::breaks::unmatch::UnmatchLine;
use daybook_domain::calendar::Day;
use daybook_domain::custody::Line as BankLine;
use daybook_domain::custody::rules::EndMatching;
use daybook_domain::matching::{self, Input, Item, Line, SentFile};
use daybook_domain::statement::book::BookLines;
use daybook_domain::statement::take_back::TakeBackLines;
use daybook_domain::testing::fixture::{CUSTODY, PLATFORM};
use daybook_domain::{Actor, BreakId, Command, Origin, State, StatementId, States, TransactionId};
use daybook_random::Random;

use crate::bank::SheetLine;
use crate::ledger::Told;

/// Maximum number of lines in one command.
const MAX_LINES: usize = 4;

/// Statements in files, as their bank knows them.
pub(crate) trait Sheets {
    /// Returns the lines of a statement.
    fn lines(&self, statement: StatementId) -> &[SheetLine];
}

/// Returns the commands of a run of the rules: the matches, then the end of the run.
pub(crate) fn run(told: &Told, sheets: &impl Sheets) -> Vec<Command> {
    let Some(custody) = told.custody(CUSTODY) else { return vec![] };
    let (rules, input) = (custody.rules(), input(told, sheets));
    let found = matching::run(&input, &rules.set).matches;
    let count = |count| u32::try_from(count).unwrap_or(u32::MAX);
    let (matched, lines) = (count(found.len()), count(input.lines.len()));
    let (due, version, left) = (custody.runs_due, rules.version, lines - matched);
    let matches = found.iter().flat_map(|one| one.commands(PLATFORM, &rules)).map(Command::from);
    matches.chain([EndMatching { custody: CUSTODY, due, version, matched, left }.into()]).collect()
}

fn input(told: &Told, sheets: &impl Sheets) -> Input {
    let (mut lines, mut items) = (vec![], vec![]);
    for (key, state) in &told.states {
        match state {
            State::Break(of) if of.left != 0 => lines.push(line(BreakId::from_u128(key.id), of, sheets)),
            State::Transaction(of) => {
                let transaction = TransactionId::from_u128(key.id);
                items.extend(of.open_items().into_iter().map(|open| Item {
                    transaction,
                    account: open.account,
                    currency: of.amount.currency,
                    amount: open.amount,
                    since: Day::of(of.open_since()),
                    names: vec![transaction.to_string()],
                    file: told.records.file_of(transaction, open.account),
                    batch: None,
                }));
            }
            _ => {}
        }
    }
    let file = |(id, day): (&_, &_)| SentFile { id: *id, day: *day, names: vec![id.to_string()] };
    Input { lines, items, files: told.records.files.iter().map(file).collect() }
}

/// A line in suspense with what the bank says about it. Days without a file say nothing.
fn line(id: BreakId, of: &Break, sheets: &impl Sheets) -> Line {
    let of_file = of.statement.map(|statement| sheets.lines(statement)).unwrap_or_default();
    let number = of.line.get(1..).and_then(|number| number.parse::<usize>().ok());
    let stated = number.and_then(|number| of_file.get(number));
    let &Break { currency, day, left, by_hand, .. } = of;
    let references = stated.map(|it| it.references.clone()).unwrap_or_default();
    let codes = stated.map(|it| vec![it.code.to_owned()]).unwrap_or_default();
    Line { id, currency, day, left, by_hand, references, codes, captures: vec![], words: vec![] }
}

/// Returns the commands that book some lines of a statement, or that take back all lines of a replaced one.
pub(crate) fn book(told: &Told, sheets: &impl Sheets, random: &mut Random, id: StatementId) -> Vec<Command> {
    let Some(statement) = told.statement(id) else { return vec![] };
    if statement.replaced_by.is_some() {
        return take_back(told, random, id);
    }
    let first = statement.booked;
    let count = 1 + random.below(MAX_LINES);
    let line = |(number, it): (u32, &SheetLine)| BankLine {
        id: format!("L{number}"),
        amount: it.amount,
        transaction: it.named,
    };
    let lines = (first..).zip(sheets.lines(id).iter().skip(first as usize).take(count)).map(line).collect();
    vec![BookLines { statement: id, first, lines, origin: Origin::of(Actor::Bank) }.into()]
}

fn take_back(told: &Told, random: &mut Random, statement: StatementId) -> Vec<Command> {
    let origin = Origin::of(Actor::Bank);
    let mut booked = told.records.booked.get(&statement).cloned().unwrap_or_default();
    let mut commands: Vec<Command> = vec![];
    for number in (0..).take(booked.len()) {
        let id = BreakId::of(statement, number);
        for matched in told.records.matches.get(&id).into_iter().flatten().rev() {
            commands.push(UnmatchLine { id, platform: PLATFORM, matched: matched.clone(), origin }.into());
        }
    }
    while !booked.is_empty() {
        let lines = booked.split_off(booked.len().saturating_sub(1 + random.below(MAX_LINES)));
        let first = u32::try_from(booked.len()).unwrap_or(u32::MAX);
        commands.push(TakeBackLines { statement, first, lines, origin }.into());
    }
    commands
}
