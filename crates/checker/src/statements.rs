//! Statements of banks: acceptance, the booking of lines, and lines that are taken back because the bank states a day anew.
//! Every statement stays in memory, because the bank may state its day anew.

use daybook_domain::aggregate::Aggregate;
use daybook_domain::custody::{Booked, Custody, StatementAccepted, StatementCompleted};
use daybook_domain::posting::{LedgerAccount, Postings};
use daybook_domain::statement::{Accepted, Event, LinesBooked, LinesTakenBack, Statement};
use daybook_domain::{Bank, StatementId, Timestamp};

use crate::decision::{Decision, Stated};
use crate::ids::Ids;
use crate::lines::{Clearing, Through};

/// All statements in files.
#[derive(Debug, Default)]
pub(crate) struct Statements(Ids<Statement>);

impl Statements {
    /// Checks and folds an event of a statement. `custody` is the state of its custody, if it is known.
    pub(crate) fn event(
        &mut self,
        (id, platform, position): (u128, u128, u64),
        event: &Event,
        at: Timestamp,
        custody: Option<(u128, &Custody)>,
        decision: &mut Decision,
    ) -> Vec<String> {
        let mut wrong = vec![];
        match event {
            Event::Accepted(accepted) => {
                if let Some((_, custody)) = custody {
                    match accepted.replaces.and_then(|old| self.0.get(&old.as_u128().into())) {
                        Some(old) => replaces(custody, accepted, old, &mut wrong),
                        None if accepted.replaces.is_none() => follows(custody, accepted, &mut wrong),
                        None => {}
                    }
                }
                self.0.extend(Statement::begin(event, at).map(|state| (id.into(), state)));
            }
            Event::LinesBooked(booked) => {
                let Some((custody_id, custody)) = custody else { return wrong };
                clears(custody_id, &booked.lines, position, decision);
                decision.suspended.extend(unexplained(id, &booked.lines));
                suspended(custody.bank, &booked.lines, booked.postings.as_ref(), 1, &mut wrong);
                let Some(state) = self.0.get_mut(&id.into()) else { return wrong };
                continues(state, booked, &mut wrong);
                state.evolve(event, at);
                decision.stated.push(stated(state, platform, position));
            }
            Event::Replaced(by) => {
                let Some(state) = self.0.get_mut(&id.into()) else { return wrong };
                if state.replaced_by.is_some() || !state.is_completed() {
                    wrong.push("it is replaced again, or before all of its lines are booked".to_owned());
                }
                if by.by.as_u128() == id {
                    wrong.push("it is replaced by itself".to_owned());
                }
                state.evolve(event, at);
            }
            Event::LinesTakenBack(back) => {
                let Some((custody_id, custody)) = custody else { return wrong };
                reopens(custody_id, &back.lines, position, decision);
                decision.withdrawn.extend(unexplained(id, &back.lines));
                suspended(custody.bank, &back.lines, back.postings.as_ref(), -1, &mut wrong);
                let Some(state) = self.0.get_mut(&id.into()) else { return wrong };
                ends(state, back, &mut wrong);
                state.evolve(event, at);
                decision.stated.push(stated(state, platform, position));
            }
        }
        wrong
    }

    /// Custody of a statement that is in memory, or that its first event names.
    pub(crate) fn custody_of(&self, id: u128, event: &Event) -> Option<u128> {
        match event {
            Event::Accepted(accepted) => Some(accepted.custody.as_u128()),
            Event::LinesBooked(_) | Event::Replaced(_) | Event::LinesTakenBack(_) => {
                self.0.get(&id.into()).map(|state| state.custody.as_u128())
            }
        }
    }

    /// Checks that the custody accepts a statement as the statement's own event states it.
    pub(crate) fn accepted(&mut self, by: &StatementAccepted, wrong: &mut Vec<String>) {
        let &StatementAccepted { statement, currency, day, closing, lines, takes_back } = by;
        let old = |it: &Statement| {
            it.replaces.filter(|old| self.0.get(&old.as_u128().into()).is_none_or(has_lines))
        };
        let is_same = |it: &Statement| {
            (it.currency, it.day, it.closing, it.lines) == (currency, day, closing, lines)
                && it.booked == 0
                && old(it) == takes_back
        };
        if !self.0.get(&statement.as_u128().into()).is_some_and(is_same) {
            wrong.push("it accepts a statement that its own event states differently".to_owned());
        }
    }

    /// Checks that all lines of the statement that the custody completes are booked, or taken back.
    pub(crate) fn completed(
        &self,
        by: &StatementCompleted,
        booking: &[StatementId],
        wrong: &mut Vec<String>,
    ) {
        let state = self.0.get(&by.statement.as_u128().into());
        let end = |it: &Statement| if it.replaced_by.is_some() { it.opening } else { it.closing };
        let is_whole = state.is_none_or(|it| it.is_completed() && it.balance == end(it));
        if booking.first() != Some(&by.statement) || !is_whole {
            wrong.push("it completes a statement whose lines are not all booked, or taken back".to_owned());
        }
    }
}

/// Records the items that lines clear.
pub(crate) fn clears(custody: u128, lines: &[Booked], position: u64, decision: &mut Decision) {
    for line in lines {
        if let Some((transaction, account)) = line.explains {
            let by = Clearing { custody, account, amount: line.amount, through: Through::Bank };
            decision.booked.state((transaction.as_u128(), line.id.clone()), by, position);
        }
    }
}

/// Records the items that lines open again.
fn reopens(custody: u128, lines: &[Booked], position: u64, decision: &mut Decision) {
    for line in lines {
        if let Some((transaction, account)) = line.explains {
            let amount = line.amount.saturating_neg();
            let by = Clearing { custody, account, amount, through: Through::Bank };
            decision.taken_back.state((transaction.as_u128(), line.id.clone()), by, position);
        }
    }
}

/// Lines that no open item explains, with their amounts. They are named by their statement, or by the account of a day
/// without a file.
pub(crate) fn unexplained(source: u128, lines: &[Booked]) -> impl Iterator<Item = ((u128, String), i64)> {
    let lines = lines.iter().filter(|line| line.explains.is_none() && line.amount != 0);
    lines.map(move |line| ((source, line.id.clone()), line.amount))
}

/// Checks that every unexplained line is posted to suspense, line by line; with a `sign` of -1, out of suspense.
pub(crate) fn suspended(
    bank: Bank,
    lines: &[Booked],
    postings: Option<&Postings>,
    sign: i64,
    wrong: &mut Vec<String>,
) {
    let unexplained = lines.iter().filter(|line| line.explains.is_none() && line.amount != 0);
    let against = |amount: i64| {
        [(LedgerAccount::Bank(bank), amount), (LedgerAccount::Suspense, amount.saturating_neg())]
    };
    let expected = unexplained.flat_map(|line| against(line.amount.saturating_mul(sign)));
    let posted = postings.into_iter().flat_map(Postings::lines).map(|line| (line.account, line.amount));
    if !expected.eq(posted) {
        wrong.push("its postings are not those of its unexplained lines".to_owned());
    }
}

/// Checks that a statement follows the statement before it.
fn follows(custody: &Custody, accepted: &Accepted, wrong: &mut Vec<String>) {
    if accepted.opening != custody.balance(accepted.currency) {
        wrong.push("its opening balance is not the closing balance of the statement before it".to_owned());
    }
    if accepted.day <= custody.stated_on(accepted.currency) {
        wrong.push("an earlier statement is of this day or a later one".to_owned());
    }
    if accepted.lines == 0 && accepted.opening != accepted.closing {
        wrong.push("it has no lines, and its balances differ".to_owned());
    }
}

/// Checks that a statement replaces one of the same day, and opens as that one or as the restated day before it closes.
fn replaces(custody: &Custody, accepted: &Accepted, old: &Statement, wrong: &mut Vec<String>) {
    let is_same = (old.custody, old.currency, old.day) == (accepted.custody, accepted.currency, accepted.day);
    if !is_same || old.later != accepted.later {
        wrong.push("it replaces a statement of another account, currency or day".to_owned());
    }
    let newest = custody.stated_on(accepted.currency);
    if accepted.day > newest || (accepted.day == newest && accepted.later != 0) {
        wrong.push("it replaces a day that is not stated, or later days that there are not".to_owned());
    }
}

/// Checks that lines are the last booked ones of a replaced statement.
fn ends(state: &Statement, back: &LinesTakenBack, wrong: &mut Vec<String>) {
    let count = u32::try_from(back.lines.len()).unwrap_or(u32::MAX);
    if state.replaced_by.is_none() || count == 0 || back.first.checked_add(count) != Some(state.booked) {
        wrong.push("its lines are not the last booked ones of a replaced statement".to_owned());
    }
}

/// Balance that the bank's account must have after the last line that was booked or taken back.
fn stated(state: &Statement, platform: u128, at: u64) -> Stated {
    Stated { platform, at, currency: state.currency, closing: state.balance_at_bank() }
}

fn has_lines(statement: &Statement) -> bool {
    statement.lines > 0
}

/// Checks that lines are the next ones of their statement.
fn continues(state: &Statement, booked: &LinesBooked, wrong: &mut Vec<String>) {
    let count = u32::try_from(booked.lines.len()).unwrap_or(u32::MAX);
    let is_next = booked.first == state.booked && state.replaced_by.is_none();
    if !is_next || count == 0 || count > state.lines - state.booked {
        wrong.push("its lines are not the next ones of the statement".to_owned());
    }
    let sum: i128 = booked.lines.iter().map(|line| i128::from(line.amount)).sum();
    let is_last = state.booked.saturating_add(count) == state.lines;
    if is_last && i128::from(state.balance) + sum != i128::from(state.closing) {
        wrong.push("its opening balance and its lines do not add up to its closing balance".to_owned());
    }
}
