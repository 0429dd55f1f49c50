//! Books: platforms with their clocks and policies, custodies with their bank statements, and operations that are under
//! way.

use std::collections::BTreeMap;

use daybook_domain::aggregate::Aggregate;
use daybook_domain::custody::{Custody, FileCut, StatementBooked};
use daybook_domain::operation::{Act, Approved, Declined, Event as OperationEvent, Requested};
use daybook_domain::platform::Platform;
use daybook_domain::posting::{LedgerAccount, Postings};
use daybook_domain::{Bank, Currency, CustodyId, OperatorId, Timestamp, custody, platform, statement};

use crate::decision::{Decision, Stated};
use crate::ids::Ids;
use crate::statements::{Statements, clears, suspended, unexplained};

/// Number of distinct trace numbers of the entries in files; after the last one they start again at 1. Source: Nacha,
/// trace number.
const MAX_TRACE_NUMBER: u64 = 9_999_999;

/// State of the aggregates of which a log has few: platforms, custodies and operations.
#[derive(Debug, Default)]
pub(crate) struct Books {
    platforms: Ids<Platform>,
    custodies: Ids<Custody>,
    /// Operations that wait for a second operator, or whose journal entry is not posted yet.
    asked: BTreeMap<u128, RequestedOperation>,
    /// All statements in files.
    statements: Statements,
    /// Sum of the postings to the account at each bank, by platform and currency, in minor units.
    banks: BTreeMap<(u128, Currency, Bank), i128>,
}

/// An operation that was requested.
#[derive(Debug)]
struct RequestedOperation {
    by: OperatorId,
    waits: bool,
    /// Postings that the operation shall make, if it is a journal entry.
    journal: Option<Postings>,
    /// True if the entry names the open items that it clears.
    clears: bool,
}

impl Books {
    pub(crate) fn platform(&self, id: u128) -> Option<&Platform> {
        self.platforms.get(&id.into())
    }

    pub(crate) fn custody(&self, id: CustodyId) -> Option<&Custody> {
        self.custodies.get(&id.as_u128().into())
    }

    pub(crate) fn platform_event(
        &mut self,
        id: u128,
        event: &platform::Event,
        at: Timestamp,
        decision: &mut Decision,
    ) {
        if let platform::Event::ClockAdvanced(advanced) = event {
            // The clock advances after this decision: its other events count by the clock as it is before.
            decision.advanced.push((id, advanced.ms));
        } else if let Some(platform) = self.platforms.get_mut(&id.into()) {
            platform.evolve(event, at);
        } else if let Some(platform) = Platform::begin(event, at) {
            self.platforms.insert(id.into(), platform);
        }
    }

    /// Adds the postings to bank accounts, for every kind of event that has postings.
    pub(crate) fn post(&mut self, platform: u128, postings: &Postings) {
        for line in postings.lines() {
            if let LedgerAccount::Bank(bank) = line.account {
                *self.banks.entry((platform, postings.currency(), bank)).or_default() +=
                    i128::from(line.amount);
            }
        }
    }

    pub(crate) fn custody_event(
        &mut self,
        (id, platform, position): (u128, u128, u64),
        event: &custody::Event,
        at: Timestamp,
        decision: &mut Decision,
    ) -> Vec<String> {
        let mut wrong = vec![];
        let state = self.custodies.get_mut(&id.into());
        match event {
            custody::Event::StatementBooked(booked) => {
                clears(id, &booked.lines, position, decision);
                decision.suspended.extend(unexplained(id, &booked.lines));
                if let Some(custody) = &state {
                    balances(custody, booked, &mut wrong);
                    suspended(custody.bank, &booked.lines, booked.postings.as_ref(), 1, &mut wrong);
                    decision.stated.push(Stated {
                        platform,
                        at: position,
                        currency: booked.currency,
                        closing: booked.closing,
                    });
                }
            }
            custody::Event::FileCut(cut) => {
                for item in &cut.items {
                    let leg = (item.transaction.as_u128(), item.direction as i16, cut.file, item.trace);
                    decision.cuts(leg, item.amount, position);
                }
                if let Some(custody) = &state {
                    file(custody, cut, &mut wrong);
                }
            }
            custody::Event::FileSent(sent) => {
                if state.as_ref().is_some_and(|custody| !custody.unsent.contains(&sent.file)) {
                    wrong.push("it sends a file that was not cut, or was sent before".to_owned());
                }
                if sent.as_of.is_some_and(|as_of| as_of >= position) {
                    wrong.push("it sends a file that was rendered as of a later position".to_owned());
                }
            }
            custody::Event::StatementAccepted(by) if state.is_some() => {
                self.statements.accepted(by, &mut wrong);
            }
            custody::Event::StatementCompleted(by) => {
                if let Some(custody) = &state {
                    self.statements.completed(by, &custody.booking, &mut wrong);
                }
            }
            custody::Event::RulesSet(set) => {
                let is_next = |custody: &Custody| Some(set.version) == custody.rules_version().checked_add(1);
                if state.as_ref().is_some_and(|custody| !is_next(custody)) {
                    wrong.push("its rule set has not the next version".to_owned());
                }
            }
            custody::Event::BreaksMatched(ended) => {
                let is_due =
                    |custody: &Custody| custody.runs_done < ended.runs && ended.runs <= custody.runs_due;
                let is_known = |custody: &Custody| ended.version <= custody.rules_version();
                if state.as_ref().is_some_and(|custody| !is_due(custody) || !is_known(custody)) {
                    wrong.push("it ends a run that is not due, or of a rule set to come".to_owned());
                }
            }
            custody::Event::Opened(_)
            | custody::Event::StatementAccepted(_)
            | custody::Event::AccountSet(_) => {}
        }
        if let Some(custody) = state {
            custody.evolve(event, at);
        } else if let Some(custody) = Custody::begin(event, at) {
            self.custodies.insert(id.into(), custody);
        }
        wrong
    }

    pub(crate) fn statement_event(
        &mut self,
        (id, platform, position): (u128, u128, u64),
        event: &statement::Event,
        at: Timestamp,
        decision: &mut Decision,
    ) -> Vec<String> {
        let of = self.statements.custody_of(id, event);
        let custody = of.and_then(|of| Some((of, self.custodies.get(&of.into())?)));
        self.statements.event((id, platform, position), event, at, custody, decision)
    }

    pub(crate) fn operation_event(
        &mut self,
        (id, position): (u128, u64),
        event: &OperationEvent,
        is_whole: bool,
        decision: &mut Decision,
    ) -> Vec<String> {
        match event {
            OperationEvent::Requested(Requested { platform, act, by, waits, .. }) => {
                let policy = self.platform(platform.as_u128()).map(|platform| &platform.policy);
                let as_asked = policy.is_none_or(|policy| policy.asks_for_approval(act) == *waits);
                let (journal, clears) = if let Act::Journal { postings, clears, .. } = act {
                    (Some(postings.clone()), !clears.is_empty())
                } else {
                    (None, false)
                };
                if *waits || journal.is_some() {
                    self.asked.insert(id, RequestedOperation { by: *by, waits: *waits, journal, clears });
                }
                let what = || "its need for a second operator is not as the policy says".to_owned();
                (!as_asked && is_whole).then(what).into_iter().collect()
            }
            OperationEvent::Approved(Approved { by }) => self.reviewed(id, *by, true, is_whole),
            OperationEvent::Declined(Declined { by, .. }) => self.reviewed(id, *by, false, is_whole),
            OperationEvent::Journaled(journaled) => {
                let what = match self.asked.remove(&id) {
                    Some(asked) if asked.waits => "it was posted before it was approved",
                    Some(asked) if asked.journal.as_ref() == Some(&journaled.postings) => {
                        if asked.clears {
                            decision.journal(id, &journaled.postings, position);
                        }
                        return vec![];
                    }
                    None if !is_whole => return vec![],
                    Some(_) | None => "it posts something else than was requested",
                };
                vec![what.to_owned()]
            }
        }
    }

    fn reviewed(&mut self, id: u128, by: OperatorId, approved: bool, is_whole: bool) -> Vec<String> {
        let mut wrong = vec![];
        match self.asked.remove(&id) {
            Some(asked) if asked.waits => {
                if asked.by == by {
                    wrong.push("it was reviewed by the operator who asked for it".to_owned());
                }
                if approved && asked.journal.is_some() {
                    self.asked.insert(id, RequestedOperation { waits: false, ..asked });
                }
            }
            None if !is_whole => {}
            Some(_) | None => wrong.push("it did not wait for an approval".to_owned()),
        }
        wrong
    }

    /// Advances the clocks at the end of a decision. Returns the statements whose closing balance differs from the sum
    /// of the postings, each with the position of the statement's event.
    pub(crate) fn close(&mut self, decision: &Decision) -> Vec<(u64, String)> {
        for (id, ms) in &decision.advanced {
            if let Some(platform) = self.platforms.get_mut(&(*id).into()) {
                platform.clock_ms = platform.clock_ms.saturating_add(*ms);
            }
        }
        let wrong = |&Stated { platform: id, at, currency, closing }: &Stated| {
            let bank = self.platform(id)?.bank;
            let posted = self.banks.get(&(id, currency, bank)).copied().unwrap_or_default();
            let what = format!("the bank states {closing}, the postings come to {posted}");
            (posted != i128::from(closing)).then_some((at, what))
        };
        decision.stated.iter().filter_map(wrong).collect()
    }
}

fn balances(custody: &Custody, booked: &StatementBooked, wrong: &mut Vec<String>) {
    if booked.opening != custody.balance(booked.currency) {
        wrong.push("its opening balance is not the closing balance of the statement before it".to_owned());
    }
    if booked.day <= custody.stated_on(booked.currency) {
        wrong.push("an earlier statement is of this day or a later one".to_owned());
    }
    let sum: i128 = booked.lines.iter().map(|line| i128::from(line.amount)).sum();
    if i128::from(booked.opening) + sum != i128::from(booked.closing) {
        wrong.push("its opening balance and its lines do not add up to its closing balance".to_owned());
    }
}

fn file(custody: &Custody, cut: &FileCut, wrong: &mut Vec<String>) {
    if cut.number != custody.files {
        wrong.push(format!("it is file {} where {} has to be", cut.number, custody.files));
    }
    let numbers = (custody.traces..).map(|before| before % MAX_TRACE_NUMBER + 1);
    if !cut.items.iter().zip(numbers).all(|(item, number)| u64::from(item.trace) == number) {
        wrong.push("its trace numbers do not continue those of the file before it".to_owned());
    }
}
