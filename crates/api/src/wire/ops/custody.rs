//! Safeguarding reconciliation (custody identity): money at the bank and on its way to it equals money owed and on its
//! way out.

use std::collections::BTreeMap;

use daybook_domain::{Currency, PlatformId};
use daybook_engine::Shard;
use daybook_projector::CustodyRow;
use serde::Serialize;
use utoipa::ToSchema;

use super::positions::Positions;
use super::sum::Sum;
use crate::description::values::CurrencyCode;

/// Safeguarding reconciliation at a position of the log, per platform and currency.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Custody {
    identities: Vec<Identity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u64, required = true)]
    position: Option<u64>,
    /// Positions of several shards, which only `daybook ledger` adds up.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(ignore)]
    positions: Option<BTreeMap<Shard, u64>>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = CustodyIdentity)]
struct Identity {
    assets: Assets,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    difference: Sum,
    liabilities: Liabilities,
    platform_id: String,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
struct Assets {
    bank: Sum,
    rail_in: Sum,
    ret_in: Sum,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
struct Liabilities {
    nodes: Sum,
    rail_out: Sum,
    ret_out: Sum,
    suspense: Sum,
    transit: Sum,
}

/// Both sides per platform and currency.
pub type Rows = BTreeMap<(PlatformId, Currency), CustodyRow>;

/// Renders the record. Liabilities are credit positive; the suspense account counts as a liability.
#[must_use]
pub fn render(rows: &Rows, at: impl Into<Positions>) -> Custody {
    let identities = rows.iter().map(|(&(platform, currency), row)| identity(platform, currency, row));
    let (position, positions) = at.into().fields();
    Custody { identities: identities.collect(), position, positions }
}

/// Returns true if both sides are equal in every row.
#[must_use]
pub fn balances(rows: &Rows) -> bool {
    rows.values().all(|row| row.difference() == 0)
}

fn identity(platform: PlatformId, currency: Currency, row: &CustodyRow) -> Identity {
    let sum = |minor| Sum(minor, currency);
    Identity {
        assets: Assets { bank: sum(row.bank), rail_in: sum(row.rail_in), ret_in: sum(row.ret_in) },
        currency,
        difference: sum(row.difference()),
        liabilities: Liabilities {
            nodes: sum(row.nodes),
            rail_out: sum(row.rail_out),
            ret_out: sum(row.ret_out),
            suspense: sum(row.suspense),
            transit: sum(row.transit),
        },
        platform_id: platform.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn custody_shows_both_sides_and_difference() {
        let row = CustodyRow {
            bank: 10_000,
            rail_in: 500,
            ret_in: 5,
            nodes: 9_000,
            transit: 1_000,
            rail_out: 400,
            ret_out: 100,
            suspense: 4,
        };
        let rows = Rows::from([((PlatformId::from_u128(1), Currency::USD), row)]);
        let expected = json!({
            "identities": [{
                "assets": {"bank": 100.0, "rail_in": 5.0, "ret_in": 0.05},
                "currency": "USD", "difference": 0.01,
                "liabilities": {"nodes": 90.0, "rail_out": 4.0, "ret_out": 1.0, "suspense": 0.04, "transit": 10.0},
                "platform_id": "00000000000000000000000001",
            }],
            "position": 7,
        });
        assert_eq!(serde_json::to_value(render(&rows, 7)).expect("JSON"), expected);
        assert!(!balances(&rows));
        assert!(balances(&Rows::default()));
    }
}
