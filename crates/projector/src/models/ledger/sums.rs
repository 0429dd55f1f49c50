//! The fold: debits and credits of every ledger account. The read model and whoever asks about the past share it.

use std::collections::BTreeMap;

use daybook_domain::posting::LedgerAccount;
use daybook_domain::{Currency, Event, PlatformId};

/// How the row of all nodes is called.
pub(crate) const NODES: &str = "nodes";

/// A ledger account, or all nodes.
type Account = Option<LedgerAccount>;

/// Debits and credits so far; the nodes of a platform are one account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums(BTreeMap<(PlatformId, Currency, Account), (i128, i128)>);

/// What was posted to one ledger account of a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// The platform.
    pub platform: PlatformId,
    /// The currency.
    pub currency: Currency,
    /// The account as postings name it; `nodes` for all nodes.
    pub account: String,
    /// Minor units.
    pub debits: i128,
    /// Minor units.
    pub credits: i128,
}

impl LedgerRow {
    /// Debits less credits.
    #[must_use]
    pub const fn balance(&self) -> i128 {
        self.debits - self.credits
    }
}

impl Sums {
    /// Adds what an event of `platform` posts.
    pub fn add(&mut self, platform: PlatformId, event: &Event) {
        let Some(postings) = event.postings() else { return };
        for line in postings.lines() {
            let account = Some(line.account).filter(|account| account.node().is_none());
            let sums = self.0.entry((platform, postings.currency(), account)).or_default();
            let side = if line.amount > 0 { &mut sums.0 } else { &mut sums.1 };
            *side += i128::from(line.amount.unsigned_abs());
        }
    }

    /// The rows, in order of platform, currency and account.
    #[must_use]
    pub fn rows(&self) -> Vec<LedgerRow> {
        let row = |(&(platform, currency, account), &(debits, credits)): (&(_, _, Account), &_)| {
            let account = account.map_or_else(|| NODES.to_owned(), |account| account.to_string());
            LedgerRow { platform, currency, account, debits, credits }
        };
        let mut rows: Vec<_> = self.0.iter().map(row).collect();
        rows.sort_by(|a, b| (a.platform, a.currency, &a.account).cmp(&(b.platform, b.currency, &b.account)));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use daybook_domain::posting::{Posting, Postings, Rail};
    use daybook_domain::transaction::Settled;
    use daybook_domain::{NodeId, Origin};

    fn settled(lines: &[(LedgerAccount, i64)]) -> Event {
        let lines = lines.iter().map(|&(account, amount)| Posting { account, amount }).collect();
        let postings = Postings::new(Currency::USD, lines).expect("balanced");
        Settled { postings: Some(postings), origin: Origin::PROCESS }.into()
    }

    #[test]
    fn all_nodes_are_one_row_and_sides_do_not_cancel_out() {
        let platform = PlatformId::from_u128(1);
        let node = |id| LedgerAccount::Node(NodeId::from_u128(id));
        let mut sums = Sums::default();
        sums.add(platform, &settled(&[(LedgerAccount::RailIn(Rail::Ach), 10), (node(1), -10)]));
        sums.add(platform, &settled(&[(node(1), 4), (node(2), -4)]));
        let rows: Vec<_> =
            sums.rows().into_iter().map(|row| (row.account, row.debits, row.credits)).collect();
        assert_eq!(rows, [("nodes".into(), 4, 14), ("rail.in.ach".into(), 10, 0)]);
    }
}
