//! Lists of sums per currency: the tie-out, and breaks by age.

use daybook_api::wire::ops::sum::Sum;
use daybook_engine::reconciliation::{AGE_BUCKETS, Report, TieOut};
use daybook_projector::Tally;

use super::Sheet;
use crate::table::Side::{Left, Right};

/// Returns the tie-out of each currency.
pub(super) fn tie_outs(report: &Report) -> Sheet {
    Sheet {
        name: "tie_out",
        title: "Tie-out",
        heads: vec![("currency", Left), ("item", Left), ("amount", Right)],
        rows: report.tie_outs.iter().flat_map(tied).collect(),
    }
}

fn tied(of: &TieOut) -> Vec<Vec<String>> {
    let ledger = &of.ledger;
    let stated = |minor: Option<i64>| minor.map(i128::from);
    let until = of.stated_until.map_or_else(|| "never".to_owned(), |day| day.to_string());
    let rows = [
        ("bank: opening balance of the period", stated(of.opening)),
        ("bank: closing balance of the period", stated(of.closing)),
        ("bank: balance after the last booked line", Some(of.stated)),
        ("open items, a debit is positive", Some(of.open.minor)),
        ("those overdue at the bank", Some(of.overdue.minor)),
        ("suspense", Some(ledger.suspense)),
        ("bank, and open items, less suspense", Some(of.stated + of.open.minor - ledger.suspense)),
        ("nodes", Some(ledger.nodes)),
        ("transit", Some(ledger.transit)),
        ("nodes and transit", Some(ledger.nodes + ledger.transit)),
        ("DIFFERENCE of both sides", Some(of.difference())),
        ("ledger: balance of the bank's account", Some(ledger.bank)),
        ("DIFFERENCE to the bank's balance", Some(of.bank_difference())),
        ("ledger: rails in", Some(ledger.rail_in)),
        ("ledger: returns in", Some(ledger.ret_in)),
        ("ledger: rails out", Some(ledger.rail_out)),
        ("ledger: returns out", Some(ledger.ret_out)),
        ("DIFFERENCE of these accounts to the open items", Some(of.open_difference())),
        ("left of the breaks", Some(of.breaks.minor)),
        ("DIFFERENCE of suspense to the breaks: not named by any", Some(of.unnamed())),
    ];
    let row = |(name, minor): (&str, Option<i128>)| {
        let amount = minor.map(|minor| Sum(minor, of.currency).to_string());
        vec![of.currency.to_string(), name.to_owned(), amount.unwrap_or_default()]
    };
    let stated_until = vec![of.currency.to_string(), "bank: stated until".to_owned(), until];
    std::iter::once(stated_until).chain(rows.into_iter().map(row)).collect()
}

/// Returns the breaks by age.
pub(super) fn ages(report: &Report) -> Sheet {
    let of_currency = |tied: &TieOut| {
        let currency = tied.currency;
        let buckets = AGE_BUCKETS.iter().zip(tied.aged);
        let row = move |(&(from, to), tally): (&(u32, Option<u32>), Tally)| {
            let days = to.map_or_else(|| format!("{from} or more"), |to| format!("{from} to {to}"));
            vec![currency.to_string(), days, tally.count.to_string(), Sum(tally.minor, currency).to_string()]
        };
        buckets.map(row).collect::<Vec<_>>()
    };
    Sheet {
        name: "break_ages",
        title: "Breaks by age in banking days",
        heads: vec![("currency", Left), ("banking_days", Left), ("breaks", Right), ("left", Right)],
        rows: report.tie_outs.iter().flat_map(of_currency).collect(),
    }
}
