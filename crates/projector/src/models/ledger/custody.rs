//! The custody identity (safeguarding reconciliation): assets at banks equal liabilities to owners.

use std::collections::BTreeMap;

use daybook_domain::{Currency, PlatformId};

use super::sums::{LedgerRow, NODES};

/// Both sides of the identity for one platform and currency, in minor units; assets and liabilities are both positive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CustodyRow {
    /// Asset: cash, as the statements of all banks say.
    pub bank: i128,
    /// Asset: amounts that came in or were pulled in, not yet confirmed by a bank.
    pub rail_in: i128,
    /// Asset: returned amounts that come back to us, not yet confirmed by a bank.
    pub ret_in: i128,
    /// Liability: amounts owed to the owners of nodes.
    pub nodes: i128,
    /// Liability: amounts between sender and receiver.
    pub transit: i128,
    /// Liability: amounts that were sent out, not yet confirmed by a bank.
    pub rail_out: i128,
    /// Liability: returned amounts that will be taken from us, not yet confirmed by a bank.
    pub ret_out: i128,
    /// Liability: amounts that no statement explains; positive if more came in than is explained.
    pub suspense: i128,
}

impl CustodyRow {
    /// Returns assets minus liabilities. If the books are consistent it is 0.
    #[must_use]
    pub const fn difference(&self) -> i128 {
        (self.bank + self.rail_in + self.ret_in)
            - (self.nodes + self.transit + self.rail_out + self.ret_out + self.suspense)
    }

    fn add(&mut self, account: &str, balance: i128) {
        // Balances are debit-positive: an asset is its balance, a liability is its negated balance.
        match account {
            NODES => self.nodes -= balance,
            "transit" => self.transit -= balance,
            "ret.in" => self.ret_in += balance,
            "ret.out" => self.ret_out -= balance,
            "suspense" => self.suspense -= balance,
            _ if account.starts_with("rail.in.") => self.rail_in += balance,
            _ if account.starts_with("rail.out.") => self.rail_out -= balance,
            _ if account.starts_with("bank.fbo.") => self.bank += balance,
            // An account that this binary does not know is missing on one side and so appears in the difference.
            _ => {}
        }
    }
}

/// Computes the identity per platform and currency from a trial balance.
#[must_use]
pub fn custody(rows: &[LedgerRow]) -> BTreeMap<(PlatformId, Currency), CustodyRow> {
    let mut custody: BTreeMap<_, CustodyRow> = BTreeMap::new();
    for row in rows {
        custody.entry((row.platform, row.currency)).or_default().add(&row.account, row.balance());
    }
    custody
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(balances: &[(&str, i128)]) -> Vec<LedgerRow> {
        let row = |&(account, balance): &(&str, i128)| LedgerRow {
            platform: PlatformId::from_u128(1),
            currency: Currency::USD,
            account: account.to_owned(),
            debits: balance.max(0),
            credits: (-balance).max(0),
        };
        balances.iter().map(row).collect()
    }

    fn difference(balances: &[(&str, i128)]) -> i128 {
        custody(&rows(balances)).values().map(CustodyRow::difference).sum()
    }

    #[test]
    fn balanced_ledger_has_no_difference() {
        let balances = [
            ("bank.fbo.sandbox", 70),
            ("rail.in.ach", 40),
            ("ret.in", 5),
            ("nodes", -90),
            ("transit", -7),
            ("rail.out.wire", -3),
            ("ret.out", -10),
            ("suspense", -5),
        ];
        assert_eq!(difference(&balances), 0);
    }

    #[test]
    fn every_ledger_account_affects_difference() {
        let accounts = [
            "bank.fbo.b",
            "rail.in.ach",
            "ret.in",
            "nodes",
            "transit",
            "rail.out.ach",
            "ret.out",
            "suspense",
        ];
        for account in accounts {
            assert_ne!(difference(&[(account, 1)]), 0, "{account}");
        }
    }
}
