//! The tie-out of one currency.

use daybook_domain::calendar::Day;
use daybook_domain::{Currency, Money};
use daybook_engine::reconciliation::{AGE_BUCKETS, TieOut};
use daybook_projector::Tally;
use serde::Serialize;
use utoipa::ToSchema;

use crate::description::values::CurrencyCode;
use crate::wire::amount::Decimal;
use crate::wire::ops::sum::Sum;

/// Tie-out of one currency. `stated_balance` and the sum of `open_items`, less `suspense`, are `nodes` and `transit`;
/// `difference` is 0.00 if that holds. `opening_balance` and `closing_balance` are those of the period;
/// `stated_until` is the last day of the period up to which the bank has stated the account, null if it never did;
/// `provisional` is true if a banking day of the period is missing.
/// `stated_balance` is the bank's after the last line that is booked. `bank_difference` is the balance of the bank's ledger
/// account (`bank`) less `stated_balance`. `open_difference` is the balance of the accounts of rails and returns less
/// `open_items`; a debit is positive. `unnamed` is the part of `suspense` that no break names: journal entries on suspense,
/// and lines from before there were breaks. `tied_out` is true if all four are 0.00.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = TieOut)]
pub(super) struct Tied {
    aged_breaks: Vec<Aged>,
    bank: Sum,
    bank_difference: Sum,
    break_count: u64,
    breaks: Sum,
    closing_balance: Option<Decimal>,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    difference: Sum,
    nodes: Sum,
    open_difference: Sum,
    open_item_count: u64,
    open_items: Sum,
    opening_balance: Option<Decimal>,
    overdue_item_count: u64,
    overdue_items: Sum,
    provisional: bool,
    rail_in: Sum,
    rail_out: Sum,
    ret_in: Sum,
    ret_out: Sum,
    stated_balance: Sum,
    #[schema(value_type = Option<String>)]
    stated_until: Option<Day>,
    suspense: Sum,
    tied_out: bool,
    transit: Sum,
    unnamed: Sum,
}

/// Breaks by their age in banking days, from `from_days` to `to_days`; the last group has no end.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AgedBreaks)]
struct Aged {
    break_count: u64,
    from_days: u32,
    left: Sum,
    to_days: Option<u32>,
}

/// Renders the tie-out of a currency.
pub(super) fn render(of: &TieOut) -> Tied {
    let sum = |minor| Sum(minor, of.currency);
    let stated = |minor: Option<i64>| minor.map(|minor| Decimal(Money::new(minor, of.currency)));
    let aged = |(&(from_days, to_days), tally): (&(u32, Option<u32>), &Tally)| Aged {
        break_count: tally.count,
        from_days,
        left: sum(tally.minor),
        to_days,
    };
    Tied {
        aged_breaks: AGE_BUCKETS.iter().zip(&of.aged).map(aged).collect(),
        bank: sum(of.ledger.bank),
        bank_difference: sum(of.bank_difference()),
        break_count: of.breaks.count,
        breaks: sum(of.breaks.minor),
        closing_balance: stated(of.closing),
        currency: of.currency,
        difference: sum(of.difference()),
        nodes: sum(of.ledger.nodes),
        open_difference: sum(of.open_difference()),
        open_item_count: of.open.count,
        open_items: sum(of.open.minor),
        opening_balance: stated(of.opening),
        overdue_item_count: of.overdue.count,
        overdue_items: sum(of.overdue.minor),
        provisional: of.is_provisional,
        rail_in: sum(of.ledger.rail_in),
        rail_out: sum(of.ledger.rail_out),
        ret_in: sum(of.ledger.ret_in),
        ret_out: sum(of.ledger.ret_out),
        stated_balance: sum(of.stated),
        stated_until: of.stated_until,
        suspense: sum(of.ledger.suspense),
        tied_out: of.is_tied_out(),
        transit: sum(of.ledger.transit),
        unnamed: sum(of.unnamed()),
    }
}
