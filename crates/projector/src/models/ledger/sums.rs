//! The projection function: debits and credits of every ledger account. The read model and queries of the past share
//! it.

use std::collections::BTreeMap;

use daybook_domain::posting::LedgerAccount;
use daybook_domain::{Currency, Event, PlatformId};

/// Name of the row of all nodes.
pub(crate) const NODES: &str = "nodes";

/// A ledger account; none stands for all nodes together.
type Account = Option<LedgerAccount>;

/// Debits and credits so far, in minor units. The nodes of a platform count as one account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums(BTreeMap<(PlatformId, Currency, Account), (i128, i128)>);

/// Sums of the postings to one ledger account of a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// The platform.
    pub platform: PlatformId,
    /// The currency.
    pub currency: Currency,
    /// Name of the account in postings; `nodes` for all nodes.
    pub account: String,
    /// Sum of the debits, in minor units.
    pub debits: i128,
    /// Sum of the credits, in minor units.
    pub credits: i128,
}

impl LedgerRow {
    /// Returns debits minus credits.
    #[must_use]
    pub const fn balance(&self) -> i128 {
        self.debits - self.credits
    }
}

impl Sums {
    /// Adds the postings of an event of `platform`.
    pub fn add(&mut self, platform: PlatformId, event: &Event) {
        let Some(postings) = event.postings() else { return };
        for line in postings.lines() {
            let account = Some(line.account).filter(|account| account.node().is_none());
            let sums = self.0.entry((platform, postings.currency(), account)).or_default();
            let side = if line.amount > 0 { &mut sums.0 } else { &mut sums.1 };
            *side += i128::from(line.amount.unsigned_abs());
        }
    }

    /// Returns the rows in order of platform, currency and account.
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
    fn nodes_share_a_row_without_netting() {
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
