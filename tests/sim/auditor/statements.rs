//! Statements in files, in the auditor's model: a file is accepted as a whole, its lines are booked in parts, and a day that
//! the bank states anew is taken back first.

use std::collections::BTreeMap;

use daybook_domain::calendar::Day;
use daybook_domain::custody::Refusal as OfCustody;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::statement::Refusal as No;
use daybook_domain::statement::accept::{AcceptStatements, StatedDay};
use daybook_domain::statement::book::BookLines;
use daybook_domain::statement::take_back::TakeBackLines;
use daybook_domain::{BreakId, Currency, Refusal, breaks};

use super::bank::{BANK, Entry, known};
use super::breaks::Stray;
use super::{Answer, Auditor};

/// A statement in a file.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub currency: Currency,
    pub day: Day,
    opening: i64,
    closing: i64,
    lines: usize,
    pub booked: Vec<Entry>,
    pub is_replaced: bool,
    /// Sum of the lines of later days that stay booked meanwhile.
    later: i64,
}

impl Sheet {
    /// Balance at the bank that the last line leaves.
    pub(crate) fn balance(&self) -> i64 {
        self.later + self.own_balance()
    }

    fn own_balance(&self) -> i64 {
        self.opening + self.booked.iter().map(|entry| entry.on(BANK)).sum::<i64>()
    }
}

impl Auditor {
    pub(super) fn accept(&mut self, ask: &AcceptStatements) -> Answer {
        known(ask.custody)?;
        let stated = &ask.file.statements;
        if stated.iter().any(|new| self.custody.sheets.contains_key(&new.id)) {
            return Ok(false);
        }
        let later = self.later_days(stated)?;
        let before = self.custody.clone();
        let accepted = stated.iter().try_for_each(|new| self.accept_day(new, &later));
        if accepted.is_err() {
            self.custody = before;
        }
        accepted.map(|()| !stated.is_empty())
    }

    /// Returns for each currency with a day that is stated anew the sum of the later days' lines.
    fn later_days(&self, stated: &[StatedDay]) -> Result<BTreeMap<Currency, i64>, Refusal> {
        let mut last: BTreeMap<Currency, (&Sheet, i64)> = BTreeMap::new();
        for (new, replaces) in stated.iter().filter_map(|new| Some((new, new.replaces?))) {
            let old = self.custody.sheets.get(&replaces).filter(|old| !old.is_replaced);
            let old = old.filter(|old| (old.currency, old.day) == (new.currency, new.day));
            let old = old.ok_or(No::NotReplaceable)?;
            let begins = last
                .get(&new.currency)
                .map_or((old.opening, old.opening), |(before, closing)| (*closing, before.closing));
            if begins != (new.opening, old.opening) {
                return Err(No::LaterDays.into());
            }
            last.insert(new.currency, (old, new.closing));
        }
        if !last.is_empty() && !self.custody.booking.is_empty() {
            return Err(OfCustody::Booking.into());
        }
        let later = |(currency, (old, closing)): (Currency, (&Sheet, i64))| {
            let (day, balance) = self.custody.stated[&currency];
            match day == old.day {
                true => Ok((currency, 0)),
                false if closing == old.closing => Ok((currency, balance - closing)),
                false => Err(No::LaterDays.into()),
            }
        };
        last.into_iter().map(later).collect()
    }

    fn accept_day(&mut self, new: &StatedDay, later: &BTreeMap<Currency, i64>) -> Result<(), Refusal> {
        let nothing = (self.custody.opened.plus_days(-1), 0);
        let (day, balance) = self.custody.stated.get(&new.currency).copied().unwrap_or(nothing);
        if new.replaces.is_none() {
            if new.day <= day {
                return Err(OfCustody::Stated.into());
            }
            if new.day > Day::of(self.now()) {
                return Err(OfCustody::Future.into());
            }
            if new.opening != balance {
                return Err(OfCustody::Opening.into());
            }
        }
        if new.lines == 0 && new.opening != new.closing {
            return Err(No::OtherLines.into());
        }
        let later = new.replaces.map_or(0, |_| later[&new.currency]);
        if let Some(id) = new.replaces
            && let Some(old) = self.custody.sheets.get_mut(&id)
        {
            (old.is_replaced, old.later) = (true, later);
            if old.lines > 0 {
                self.custody.booking.insert(0, id);
            }
        }
        if new.day >= day {
            self.custody.stated.insert(new.currency, (new.day, new.closing));
        }
        if new.lines > 0 {
            self.custody.booking.push(new.id);
        }
        let sheet = Sheet {
            currency: new.currency,
            day: new.day,
            opening: new.opening,
            closing: new.closing,
            lines: new.lines as usize,
            booked: vec![],
            is_replaced: false,
            later,
        };
        self.custody.sheets.insert(new.id, sheet);
        Ok(())
    }

    pub(super) fn book_lines(&mut self, ask: &BookLines) -> Answer {
        let sheet = self.custody.sheets.get(&ask.statement).ok_or(No::Unknown)?;
        let (booked, left) = (sheet.booked.len(), sheet.lines - sheet.booked.len());
        if left == 0 || sheet.is_replaced || booked != ask.first as usize {
            return Ok(false);
        }
        if self.custody.booking.first() != Some(&ask.statement) {
            return Err(No::NotNext.into());
        }
        let sum: i64 = ask.lines.iter().map(|line| line.amount).sum();
        let is_wrong_end = ask.lines.len() == left && sheet.own_balance() + sum != sheet.closing;
        if !(1..=left).contains(&ask.lines.len()) || is_wrong_end {
            return Err(No::OtherLines.into());
        }
        let currency = sheet.currency;
        for (number, line) in (ask.first..).zip(&ask.lines) {
            let entry = self.line(currency, line);
            self.suspend(BreakId::of(ask.statement, number), &entry);
            self.custody.sheets.entry(ask.statement).and_modify(|sheet| sheet.booked.push(entry));
        }
        if ask.lines.len() == left {
            self.custody.booking.retain(|id| *id != ask.statement);
            self.custody.runs_due += 1;
        }
        Ok(true)
    }

    pub(super) fn take_back(&mut self, ask: &TakeBackLines) -> Answer {
        let sheet = self.custody.sheets.get(&ask.statement).ok_or(No::Unknown)?;
        let are_last = ask.first as usize + ask.lines.len() == sheet.booked.len();
        if !sheet.is_replaced || ask.lines.is_empty() || !are_last {
            return Ok(false);
        }
        if self.custody.booking.first() != Some(&ask.statement) {
            return Err(No::NotNext.into());
        }
        let numbers = (ask.first..).take(ask.lines.len());
        let ids: Vec<BreakId> = numbers.map(|number| BreakId::of(ask.statement, number)).collect();
        let is_matched = |id: &BreakId| self.custody.strays.get(id).is_some_and(|it| !it.matches.is_empty());
        if ids.iter().any(is_matched) {
            return Err(breaks::Refusal::Matched.into());
        }
        for id in ids {
            let sheet = self.custody.sheets.get_mut(&ask.statement);
            if let Some(entry) = sheet.and_then(|sheet| sheet.booked.pop()) {
                self.enter(&entry, -1);
            }
            self.custody.strays.entry(id).and_modify(Stray::withdraw);
        }
        if ask.first == 0 {
            self.custody.booking.retain(|id| *id != ask.statement);
        }
        Ok(true)
    }

    /// Opens a break if the entry of a line is on suspense.
    pub(super) fn suspend(&mut self, id: BreakId, entry: &Entry) {
        let amount = -entry.on(LedgerAccount::Suspense);
        if amount != 0 {
            self.custody.strays.insert(id, Stray::new(entry.currency, amount));
        }
    }
}
