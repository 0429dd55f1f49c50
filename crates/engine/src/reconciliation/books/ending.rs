//! End of the fold: the report.

use std::collections::BTreeMap;

use daybook_domain::calendar::{Day, banking_days_between};
use daybook_domain::custody::Custody;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::{BreakId, Currency, Timestamp, TransactionId};
use daybook_projector::Tally;

use super::{Books, Found};
use crate::reconciliation::open::Items;
use crate::reconciliation::report::{Acts, Listing, OpenBreak, OpenItem, Report, StatedDay};
use crate::reconciliation::stated;
use crate::reconciliation::tie_out::{Balances, tie_out};

impl Books {
    /// Ends the fold at `position`. Ages are those at the end of `day`. `stated_until` are the newest days that the bank has
    /// stated by now.
    #[must_use]
    pub fn end(
        mut self,
        position: u64,
        (day, stated_until): (Day, BTreeMap<Currency, Day>),
        found: &Found,
    ) -> Report {
        let statements = self.all_statements();
        let (open, breaks) = (self.open_items(day, found), self.open_breaks(day, found));
        let balances = Balances { stated_until, ..self.balances(&open, &breaks) };
        let tie_outs = tie_out(&balances, &statements, self.period, day);
        for it in &mut self.matches {
            if let Some((_, opened)) = found.breaks.get(&it.id) {
                (it.line, it.currency) = (opened.line.clone(), opened.currency);
            }
        }
        let of_period = statements.into_iter().filter(|it| self.period.has(it.day)).collect();
        Report {
            platform: self.platform,
            position,
            period: self.period,
            day,
            is_booking: self.custody.as_ref().is_some_and(|custody| !custody.booking.is_empty()),
            rules: self.custody.as_ref().map_or(0, Custody::rules_version),
            tie_outs,
            statements: Listing::whole(of_period),
            open: Listing::whole(open),
            breaks: Listing::whole(breaks),
            acts: Some(Acts { after: self.after, matches: self.matches, write_offs: self.write_offs }),
        }
    }

    /// All statements in the order of their days.
    fn all_statements(&self) -> Vec<StatedDay> {
        let of_files = self.statements.iter().map(|(id, statement)| StatedDay::of(*id, statement));
        let mut all: Vec<StatedDay> = self.days.iter().cloned().chain(of_files).collect();
        all.sort_by_key(|it| (it.day, it.currency));
        all
    }

    /// Open items, the oldest first.
    fn open_items(&self, day: Day, found: &Found) -> Vec<OpenItem> {
        let since = |id: TransactionId, items: &Items| {
            items.since.or_else(|| found.transactions.get(&id).copied()).unwrap_or_default()
        };
        let of_transaction = |(transaction, items): (TransactionId, &Items)| {
            let at = since(transaction, items);
            let (since, currency) = (Day::of(at), items.currency);
            let age = banking_days_between(since, day);
            let item = move |(&account, &amount): (&LedgerAccount, &i64)| {
                (at, OpenItem { transaction, account, currency, amount, since, age })
            };
            items.accounts.iter().map(item).collect::<Vec<_>>()
        };
        let mut open: Vec<(Timestamp, OpenItem)> = self.open.iter().flat_map(of_transaction).collect();
        open.sort_by_key(|(at, item)| (*at, item.transaction, item.account));
        open.into_iter().map(|(_, item)| item).collect()
    }

    /// Breaks in the order in which their lines were booked.
    fn open_breaks(&self, day: Day, found: &Found) -> Vec<OpenBreak> {
        let one = |(&id, &left): (&BreakId, &i64)| {
            let (position, of) = found.breaks.get(&id)?;
            let (statement, line, currency) = (of.statement, of.line.clone(), of.currency);
            let (amount, age) = (of.amount, banking_days_between(of.day, day));
            Some((*position, OpenBreak { id, statement, line, currency, day: of.day, amount, left, age }))
        };
        let mut breaks: Vec<(u64, OpenBreak)> = self.left.iter().filter_map(one).collect();
        breaks.sort_by_key(|(position, _)| *position);
        breaks.into_iter().map(|(_, of)| of).collect()
    }

    fn balances(&self, open: &[OpenItem], breaks: &[OpenBreak]) -> Balances {
        let ledger = daybook_projector::custody(&self.sums.rows());
        let mut balances = Balances {
            ledger: ledger.into_iter().map(|((_, currency), row)| (currency, row)).collect(),
            ..Balances::default()
        };
        if let Some(custody) = &self.custody {
            let find = |id| Some(&self.statements.get(*self.index.get(&id)?)?.1);
            balances.stated = stated::balances(custody, find);
        }
        for item in open {
            balances.open.entry((item.currency, item.account, item.since)).or_default().add(one(item.amount));
        }
        for of in breaks {
            balances.breaks.entry((of.currency, of.day)).or_default().add(one(of.left));
        }
        balances
    }
}

fn one(minor: i64) -> Tally {
    Tally { count: 1, minor: minor.into() }
}
