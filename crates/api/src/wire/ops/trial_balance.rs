//! Trial balance: the sums of every ledger account, and the comparison of debits and credits per currency.

use std::collections::BTreeMap;

use daybook_domain::Currency;
use daybook_engine::Shard;
use daybook_projector::LedgerRow;
use serde::Serialize;
use utoipa::ToSchema;

use super::positions::Positions;
use super::sum::Sum;
use crate::description::values::CurrencyCode;

/// Trial balance at a position of the log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TrialBalance {
    accounts: Vec<Account>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u64, required = true)]
    position: Option<u64>,
    /// Positions of several shards, which only `daybook ledger` adds up.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    positions: Option<BTreeMap<Shard, u64>>,
    totals: Vec<Total>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = LedgerAccountSums)]
struct Account {
    account: String,
    balance: Sum,
    credits: Sum,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    debits: Sum,
    platform_id: String,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = LedgerTotal)]
struct Total {
    credits: Sum,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    debits: Sum,
    difference: Sum,
}

/// Renders the record. Balances are debit positive.
#[must_use]
pub fn render(rows: &[LedgerRow], at: impl Into<Positions>) -> TrialBalance {
    let account = |row: &LedgerRow| Account {
        account: row.account.clone(),
        balance: Sum(row.balance(), row.currency),
        credits: Sum(row.credits, row.currency),
        currency: row.currency,
        debits: Sum(row.debits, row.currency),
        platform_id: row.platform.to_string(),
    };
    let total = |(currency, Totals { debits, credits }): (Currency, Totals)| Total {
        credits: Sum(credits, currency),
        currency,
        debits: Sum(debits, currency),
        difference: Sum(debits - credits, currency),
    };
    let totals = totals(rows).into_iter().map(total).collect();
    let (position, positions) = at.into().fields();
    TrialBalance { accounts: rows.iter().map(account).collect(), position, positions, totals }
}

/// Returns true if debits equal credits in every currency.
#[must_use]
pub fn balances(rows: &[LedgerRow]) -> bool {
    totals(rows).values().all(|total| total.debits == total.credits)
}

/// Sums of debits and of credits, in minor units.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Sum of the debits.
    pub debits: i128,
    /// Sum of the credits.
    pub credits: i128,
}

/// Returns debits and credits of every currency.
#[must_use]
pub fn totals(rows: &[LedgerRow]) -> BTreeMap<Currency, Totals> {
    let mut totals: BTreeMap<Currency, Totals> = BTreeMap::new();
    for row in rows {
        let total = totals.entry(row.currency).or_default();
        total.debits += row.debits;
        total.credits += row.credits;
    }
    totals
}

#[cfg(test)]
mod tests {
    use daybook_domain::PlatformId;
    use serde_json::json;

    use super::*;

    fn row(account: &str, debits: i128, credits: i128) -> LedgerRow {
        let (platform, currency) = (PlatformId::from_u128(1), Currency::USD);
        LedgerRow { platform, currency, account: account.into(), debits, credits }
    }

    #[test]
    fn trial_balance_lists_every_account_and_currency() {
        let record = render(&[row("nodes", 5, 1_005), row("rail.in.ach", 1_000, 0)], 7);
        let platform_id = "00000000000000000000000001";
        let expected = json!({
            "accounts": [
                {"account": "nodes", "balance": -10.0, "credits": 10.05, "currency": "USD", "debits": 0.05,
                 "platform_id": platform_id},
                {"account": "rail.in.ach", "balance": 10.0, "credits": 0.0, "currency": "USD", "debits": 10.0,
                 "platform_id": platform_id},
            ],
            "position": 7,
            "totals": [{"credits": 10.05, "currency": "USD", "debits": 10.05, "difference": 0.0}],
        });
        assert_eq!(serde_json::to_value(record).expect("JSON"), expected);
    }

    #[test]
    fn several_shards_have_several_positions() {
        let record = render(&[], Positions::Several(BTreeMap::from([(1, 7), (2, 9)])));
        let expected = json!({"accounts": [], "positions": {"1": 7, "2": 9}, "totals": []});
        assert_eq!(serde_json::to_value(record).expect("JSON"), expected);
    }

    #[test]
    fn a_missing_cent_is_found() {
        assert!(balances(&[row("nodes", 0, 5), row("transit", 5, 0)]));
        assert!(!balances(&[row("nodes", 0, 5), row("transit", 4, 0)]));
        let euros = LedgerRow { currency: Currency::parse("EUR").expect("ISO 4217"), ..row("transit", 5, 0) };
        assert!(!balances(&[row("nodes", 0, 5), euros]), "currencies do not make up for each other");
    }
}
