//! Payment files and bank statements in the auditor's model.

use std::collections::BTreeSet;

use daybook_domain::calendar::Day;
use daybook_domain::custody::Line;
use daybook_domain::custody::book::BookStatement;
use daybook_domain::custody::cut::{CutFile, SendFile};
use daybook_domain::custody::{self, Refusal as No};
use daybook_domain::posting::LedgerAccount;
use daybook_domain::{Bank, BreakId, Currency, CustodyId, TransactionId};

use super::{Answer, Auditor};

/// Ledger account of the bank.
pub(super) const BANK: LedgerAccount = LedgerAccount::Bank(Bank::SANDBOX);

impl Auditor {
    pub(super) fn cut(&mut self, ask: &CutFile) -> Answer {
        known(ask.custody)?;
        let mut filed = vec![];
        for &(id, direction) in &ask.items {
            let leg = self.deals.get(&id).and_then(super::Deal::leg);
            if leg == Some((direction, ask.rail)) && !filed.contains(&(id, direction)) {
                filed.push((id, direction));
            }
        }
        for (id, direction) in &filed {
            self.deals.entry(*id).and_modify(|deal| deal.filed.push(*direction));
        }
        if !filed.is_empty() {
            self.custody.files += 1;
            self.custody.unsent.push(ask.file);
        }
        Ok(!filed.is_empty())
    }

    pub(super) fn send(&mut self, ask: &SendFile) -> Answer {
        known(ask.custody)?;
        let before = self.custody.unsent.len();
        self.custody.unsent.retain(|file| *file != ask.file);
        Ok(self.custody.unsent.len() < before)
    }

    pub(super) fn book(&mut self, ask: &BookStatement) -> Answer {
        known(ask.custody)?;
        let nothing = (self.custody.opened.plus_days(-1), 0);
        let (day, balance) = self.custody.stated.get(&ask.currency).copied().unwrap_or(nothing);
        if ask.day <= day {
            return Err(No::Stated.into());
        }
        if !self.custody.booking.is_empty() {
            return Err(No::Booking.into());
        }
        if ask.day > Day::of(self.now()) {
            return Err(No::Future.into());
        }
        let ids: BTreeSet<&str> = ask.lines.iter().map(|line| line.id.as_str()).collect();
        if ids.len() < ask.lines.len() {
            return Err(No::LineTwice.into());
        }
        if ask.opening != balance {
            return Err(No::Opening.into());
        }
        let sum: i128 = ask.lines.iter().map(|line| i128::from(line.amount)).sum();
        let is_odd = ask.lines.iter().any(|line| line.amount == i64::MIN);
        if is_odd || i128::from(ask.opening) + sum != i128::from(ask.closing) {
            return Err(No::Sum.into());
        }
        self.custody.stated.insert(ask.currency, (ask.day, ask.closing));
        for (number, line) in (0..).zip(&ask.lines) {
            let entry = self.line(ask.currency, line);
            let id = BreakId::of_day(ask.custody, ask.currency, ask.day, number);
            self.suspend(id, &entry);
        }
        Ok(true)
    }

    /// Books a line against an open item of its transaction, or into suspense.
    pub(super) fn line(&mut self, currency: Currency, line: &Line) -> Entry {
        let deal = line.transaction.and_then(|id| Some((id, self.deals.get(&id)?)));
        let deal = deal.filter(|(_, deal)| deal.amount.currency == currency);
        let (id, open) = deal.map(|(id, deal)| (Some(id), open_items(deal))).unwrap_or_default();
        let lines = if line.amount == 0 {
            let meets = open.iter().find_map(|(account, amount)| {
                let back = match account {
                    LedgerAccount::RailIn(_) => LedgerAccount::ReturnOut,
                    LedgerAccount::RailOut(_) => LedgerAccount::ReturnIn,
                    _ => return None,
                };
                let other = open.iter().find(|(other, found)| *other == back && *found == -amount);
                Some(vec![(*account, -amount), (other?.0, *amount)])
            });
            meets.unwrap_or_default()
        } else {
            let amount = line.amount;
            let covers = |open: i64| open.signum() == amount.signum() && open.abs() >= amount.abs();
            let whole = open.iter().find(|(_, open)| *open == amount);
            let item = whole.or_else(|| open.iter().find(|(_, open)| covers(*open)));
            let against = item.map_or(LedgerAccount::Suspense, |(account, _)| *account);
            vec![(BANK, amount), (against, -amount)]
        };
        let entry = Entry { currency, transaction: id, lines };
        self.enter(&entry, 1);
        entry
    }

    /// Posts an entry, or with a `sign` of -1 its reversal.
    pub(super) fn enter(&mut self, entry: &Entry, sign: i64) {
        for (account, amount) in &entry.lines {
            *self.ledger.entry((entry.currency, *account)).or_default() += i128::from(sign * amount);
            let deal = entry.transaction.and_then(|id| self.deals.get_mut(&id));
            if let Some(deal) = deal.filter(|_| account.is_open_item()) {
                *deal.stated.entry(*account).or_default() += sign * amount;
            }
        }
    }
}

/// Postings of a line or of a match; a debit is positive.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(super) currency: Currency,
    pub(super) transaction: Option<TransactionId>,
    pub(super) lines: Vec<(LedgerAccount, i64)>,
}

impl Entry {
    /// Sum of the postings to an account.
    pub(super) fn on(&self, account: LedgerAccount) -> i64 {
        self.lines.iter().filter(|(own, _)| *own == account).map(|(_, amount)| amount).sum()
    }
}

/// Returns the open items of a transaction: amounts between ledger and bank that no statement has reported yet.
pub(crate) fn open_items(deal: &super::Deal) -> Vec<(LedgerAccount, i64)> {
    let is_between = |account: &LedgerAccount| {
        matches!(
            account,
            LedgerAccount::RailIn(_)
                | LedgerAccount::RailOut(_)
                | LedgerAccount::ReturnIn
                | LedgerAccount::ReturnOut
        )
    };
    let lies = deal.lies.iter().filter(|(account, _)| is_between(account));
    let open = lies.map(|(account, lies)| (*account, lies + deal.stated.get(account).unwrap_or(&0)));
    // Cleared before it moved back without having left.
    let gone = deal.stated.iter().filter(|(account, _)| !deal.lies.contains_key(*account));
    let gone = gone.map(|(account, amount)| (*account, *amount));
    open.chain(gone).filter(|(_, amount)| *amount != 0).collect()
}

pub(super) fn known(custody: CustodyId) -> Result<(), custody::Refusal> {
    if custody == daybook_domain::testing::fixture::CUSTODY { Ok(()) } else { Err(No::Unknown) }
}
