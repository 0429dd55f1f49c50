//! Statements of banks: acceptance, and the booking of lines. A statement is in memory until all of its lines are
//! booked.

use daybook_domain::aggregate::Aggregate;
use daybook_domain::custody::{Booked, Custody, StatementAccepted, StatementCompleted};
use daybook_domain::posting::{LedgerAccount, Postings};
use daybook_domain::statement::{Accepted, Event, LinesBooked, Statement};
use daybook_domain::{Bank, StatementId, Timestamp};

use crate::decision::{Clearing, Decision, Stated};
use crate::ids::Ids;

/// Statements whose lines are not all booked.
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
                    follows(custody, accepted, &mut wrong);
                }
                self.0.extend(Statement::begin(event, at).map(|state| (id.into(), state)));
            }
            Event::LinesBooked(booked) => {
                let Some((custody_id, custody)) = custody else { return wrong };
                clears(custody_id, &booked.lines, position, decision);
                suspended(custody.bank, &booked.lines, booked.postings.as_ref(), &mut wrong);
                let Some(state) = self.0.get_mut(&id.into()) else { return wrong };
                continues(state, booked, &mut wrong);
                state.evolve(event, at);
                let Statement { currency, balance: closing, .. } = *state;
                decision.stated.push(Stated { platform, at: position, currency, closing });
            }
        }
        wrong
    }

    /// Custody of a statement that is in memory, or that its first event names.
    pub(crate) fn custody_of(&self, id: u128, event: &Event) -> Option<u128> {
        match event {
            Event::Accepted(accepted) => Some(accepted.custody.as_u128()),
            Event::LinesBooked(_) => self.0.get(&id.into()).map(|state| state.custody.as_u128()),
        }
    }

    /// Checks that the custody accepts a statement as the statement's own event states it.
    pub(crate) fn accepted(&mut self, by: &StatementAccepted, wrong: &mut Vec<String>) {
        let &StatementAccepted { statement, currency, day, closing, lines } = by;
        let id = statement.as_u128().into();
        let is_same = |it: &Statement| {
            (it.currency, it.day, it.closing, it.lines) == (currency, day, closing, lines) && it.booked == 0
        };
        if !self.0.get(&id).is_some_and(is_same) {
            wrong.push("it accepts a statement that its own event states differently".to_owned());
        }
        if lines == 0 {
            self.0.remove(&id);
        }
    }

    /// Checks that all lines are booked of the statement that the custody completes, and forgets it.
    pub(crate) fn completed(
        &mut self,
        by: &StatementCompleted,
        booking: &[StatementId],
        wrong: &mut Vec<String>,
    ) {
        let state = self.0.remove(&by.statement.as_u128().into());
        let is_whole = state.is_none_or(|it| it.booked == it.lines && it.balance == it.closing);
        if booking.first() != Some(&by.statement) || !is_whole {
            wrong.push("it completes a statement whose lines are not all booked".to_owned());
        }
    }
}

/// Records the items that lines clear.
pub(crate) fn clears(custody: u128, lines: &[Booked], position: u64, decision: &mut Decision) {
    for line in lines {
        if let Some((transaction, account)) = line.explains {
            let by = Clearing { custody, account, amount: line.amount };
            decision.explains((transaction.as_u128(), line.id.clone()), by, position);
        }
    }
}

/// Checks that every unexplained line is posted to suspense, line by line.
pub(crate) fn suspended(bank: Bank, lines: &[Booked], postings: Option<&Postings>, wrong: &mut Vec<String>) {
    let unexplained = lines.iter().filter(|line| line.explains.is_none() && line.amount != 0);
    let against = |amount: i64| {
        [(LedgerAccount::Bank(bank), amount), (LedgerAccount::Suspense, amount.saturating_neg())]
    };
    let expected = unexplained.flat_map(|line| against(line.amount));
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

/// Checks that lines are the next ones of their statement.
fn continues(state: &Statement, booked: &LinesBooked, wrong: &mut Vec<String>) {
    let count = u32::try_from(booked.lines.len()).unwrap_or(u32::MAX);
    if booked.first != state.booked || count == 0 || count > state.lines - state.booked {
        wrong.push("its lines are not the next ones of the statement".to_owned());
    }
    let sum: i128 = booked.lines.iter().map(|line| i128::from(line.amount)).sum();
    let is_last = state.booked.saturating_add(count) == state.lines;
    if is_last && i128::from(state.balance) + sum != i128::from(state.closing) {
        wrong.push("its opening balance and its lines do not add up to its closing balance".to_owned());
    }
}
