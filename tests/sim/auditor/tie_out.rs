//! The tie-out in the auditor's model, against the sums of the log's postings: the balance that the bank states, the open
//! items and the lines in suspense explain the money of nodes and the money under way.

use std::collections::BTreeMap;

use daybook_domain::Currency;
use daybook_domain::posting::{LedgerAccount, Rail};
use daybook_domain::transaction::Status;

use super::bank::BANK;
use super::{Auditor, Deal, open_items};

/// Numbers of one currency, in minor units; a debit is positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TieOut {
    /// Balance that the bank states after the last line that is booked.
    pub stated: i128,
    /// Items that no line has explained.
    pub open: i128,
    /// Rest of lines in suspense; money onto the account is positive.
    pub breaks: i128,
    /// Journal entries on suspense.
    pub journaled: i128,
    /// Balances of nodes.
    pub nodes: i128,
    /// Money under way.
    pub transit: i128,
}

impl Auditor {
    /// Returns the numbers of a currency from the auditor's deals, statements, strays and purses.
    pub(crate) fn tie_out(&self, currency: Currency) -> TieOut {
        let deals = || self.deals.values().filter(|deal| deal.amount.currency == currency);
        let open = deals().flat_map(open_items).map(|(_, amount)| i128::from(amount)).sum();
        let transit = |lies: &BTreeMap<LedgerAccount, i64>| lies.get(&LedgerAccount::Transit).copied();
        let transit = deals().filter_map(|deal| transit(&deal.lies)).map(i128::from).sum();
        let strays = self.custody.strays.values().filter(|stray| stray.currency == currency);
        let purses = self.purses.iter().filter(|((_, own), _)| *own == currency);
        TieOut {
            stated: self.stated_balance(currency).into(),
            open,
            breaks: strays.map(|stray| i128::from(stray.left)).sum(),
            journaled: self.custody.journaled.get(&currency).copied().unwrap_or_default(),
            nodes: -purses.map(|(_, purse)| i128::from(purse.posted)).sum::<i128>(),
            transit,
        }
    }

    /// Returns the balance after the last line that is booked or taken back: of days in a file, that of the first one that
    /// is not completed.
    fn stated_balance(&self, currency: Currency) -> i64 {
        let sheets = self.custody.booking.iter().filter_map(|id| self.custody.sheets.get(id));
        let moving = sheets.into_iter().find(|sheet| sheet.currency == currency);
        let closing = self.custody.stated.get(&currency).map_or(0, |(_, balance)| *balance);
        moving.map_or(closing, super::statements::Sheet::balance)
    }

    /// Returns true if no transaction is under way and all lines of files are booked.
    pub(crate) fn rests(&self) -> bool {
        let waits = |deal: &Deal| {
            let is_over = matches!(deal.status, Status::Settled | Status::Canceled | Status::Returned);
            !is_over || deal.leg().is_some()
        };
        self.custody.booking.is_empty() && !self.deals.values().any(waits)
    }

    /// Checks that no item is open.
    pub(crate) fn is_explained(&self) -> Result<(), String> {
        let open = self.deals.iter().find(|(_, deal)| !open_items(deal).is_empty());
        open.map_or(Ok(()), |open| Err(format!("no statement explains {open:?}")))
    }

    /// Compares the numbers with those of the log's postings.
    pub(crate) fn ties_out(&self, ledger: &BTreeMap<(Currency, LedgerAccount), i128>) -> Result<(), String> {
        for currency in self.currencies.iter().copied().chain([Currency::USD]) {
            let on = |account| ledger.get(&(currency, account)).copied().unwrap_or_default();
            let rails = Rail::ALL
                .into_iter()
                .flat_map(|rail| [LedgerAccount::RailIn(rail), LedgerAccount::RailOut(rail)]);
            let between = rails.chain([LedgerAccount::ReturnIn, LedgerAccount::ReturnOut]).map(on).sum();
            let told = self.tie_out(currency);
            let TieOut { stated, open, breaks, journaled, nodes, transit } = told;
            let suspense = journaled - breaks;
            let table = [
                ("the bank's account is the stated balance", on(BANK), stated),
                ("the accounts of rails and returns are the open items", between, open),
                (
                    "suspense is the sum of named lines and of journal entries",
                    on(LedgerAccount::Suspense),
                    suspense,
                ),
                (
                    "stated balance and open items, less suspense, are nodes and transit",
                    stated + open + suspense,
                    -nodes - transit,
                ),
            ];
            for (law, one, other) in table {
                if one != other {
                    return Err(format!("{law}: {one}, {other}: {told:?}"));
                }
            }
        }
        Ok(())
    }
}
