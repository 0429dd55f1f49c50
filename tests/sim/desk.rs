//! Operators at the bank's desk: they match lines in suspense, take matches back, write open items off, change the matching
//! rules, and accept days that the bank states anew. Some of this is senseless.

use std::collections::BTreeSet;

use daybook_domain::matching::{Means, Rule, RuleSet};
use daybook_domain::operation::Act;
use daybook_domain::operation::request::Request;
use daybook_domain::operation::review::Review;
use daybook_domain::posting::{LedgerAccount, Posting, Postings};
use daybook_domain::testing::fixture::{ANNS, CUSTODY, FEES, OLGA, OTTO, PLATFORM, PULLED, RESERVE, sealed};
use daybook_domain::transaction::ClearedItem;
use daybook_domain::{BreakId, Command, Currency, OperationId};
use daybook_random::Random;

use crate::auditor::{Auditor, Stray, open_items};
use crate::bank::{Bank, FEE};

/// Returns a random command of an operator.
pub(crate) fn command(random: &mut Random, auditor: &Auditor, bank: &mut Bank, ids: &mut u128) -> Command {
    let act = match random.below(10) {
        0..3 => matches(random, auditor),
        3 => unmatches(random, auditor),
        4 => written_off(random, auditor),
        5 => None,
        _ => bank.state_anew(random).map(|file| Act::Restate { custody: CUSTODY, file }),
    };
    *ids += 1;
    request(*ids, act.unwrap_or_else(|| Act::SetRules { rules: rules(random) }))
}

/// Returns the request of an act.
pub(crate) fn request(id: u128, act: Act) -> Command {
    let (reason, id) = (sealed(id), OperationId::from_u128(id));
    Request { id, platform: PLATFORM, by: OLGA, act, reason }.into()
}

/// Returns the approval of a request that waits.
pub(crate) fn approval(id: u128) -> Command {
    Review::new(OperationId::from_u128(id), OTTO, true).into()
}

/// Lines and items that were tried.
pub(crate) type Tried = BTreeSet<(u128, Option<LedgerAccount>)>;

/// Checks that nothing is left that an operator could clear. Some nodes are at their floor, and some amounts are too large.
pub(crate) fn is_cleared(auditor: &Auditor) -> Result<(), String> {
    let mut tried = BTreeSet::new();
    while let Some(act) = next_to_clear(auditor, &mut tried) {
        if auditor.clone().predict(&request(0, act.clone())).is_ok() {
            return Err(format!("it is left to do: {act:?}"));
        }
    }
    Ok(())
}

/// Returns what an operator does next to clear everything: a line that is left is matched with items that fit, and the reserve
/// gets the rest; then open items are written off.
pub(crate) fn next_to_clear(auditor: &Auditor, tried: &mut Tried) -> Option<Act> {
    let left = auditor.custody.strays.iter().filter(|(_, stray)| stray.left != 0);
    for (id, stray) in left {
        if tried.insert((id.as_u128(), None)) {
            let (items, rest) = fitting(auditor, stray, usize::MAX);
            return Some(match_of(*id, stray.currency, items, RESERVE, rest));
        }
    }
    for item in items(auditor, None) {
        if tried.insert((item.1.transaction.as_u128(), Some(item.1.account))) {
            return Some(write_off(item));
        }
    }
    None
}

fn match_of(
    id: BreakId,
    currency: Currency,
    items: Vec<ClearedItem>,
    node: daybook_domain::NodeId,
    rest: i64,
) -> Act {
    let post = Posting { account: LedgerAccount::Node(node), amount: rest };
    Act::Match { id, currency, items, posts: (rest != 0).then_some(post).into_iter().collect() }
}

/// Open items of a currency, or of all.
fn items(auditor: &Auditor, currency: Option<Currency>) -> Vec<(Currency, ClearedItem)> {
    let deals = auditor.deals.iter().filter(|(_, it)| currency.is_none_or(|own| it.amount.currency == own));
    let of_deal = |(id, deal): (&_, &crate::auditor::Deal)| {
        let (transaction, currency) = (*id, deal.amount.currency);
        let item = move |(account, amount)| (currency, ClearedItem { transaction, account, amount });
        open_items(deal).into_iter().map(item).collect::<Vec<_>>()
    };
    deals.flat_map(of_deal).collect()
}

/// Items that together are no more than what is left of a line, one of each transaction, and the rest.
fn fitting(auditor: &Auditor, stray: &Stray, most: usize) -> (Vec<ClearedItem>, i64) {
    let (mut fitting, mut rest): (Vec<ClearedItem>, i64) = (vec![], stray.left);
    for (_, mut item) in items(auditor, Some(stray.currency)) {
        let is_new = fitting.iter().all(|other| other.transaction != item.transaction);
        if rest != 0 && item.amount.signum() == rest.signum() && is_new && fitting.len() < most {
            item.amount = if item.amount.abs() > rest.abs() { rest } else { item.amount };
            rest -= item.amount;
            fitting.push(item);
        }
    }
    (fitting, rest)
}

/// Returns a match, sometimes one that is refused.
fn matches(random: &mut Random, auditor: &Auditor) -> Option<Act> {
    let all = auditor.custody.strays.iter();
    let some: Vec<_> = all.filter(|(_, stray)| stray.left != 0 || random.once_in(12)).collect();
    let (id, stray) = some.get(random.below(some.len()))?;
    let (mut items, mut rest) = fitting(auditor, stray, random.below(3));
    let node = if random.once_in(10) { PULLED } else { random.one_of(&[RESERVE, ANNS, FEES]) };
    match random.below(10) {
        0..3 => rest = 0,
        3 => rest += random.between(-9, 9),
        4 => rest /= 2,
        5 => items.iter_mut().for_each(|item| item.amount = -item.amount),
        6 => items.extend(items.first().copied()),
        _ => {}
    }
    let currency = if random.once_in(20) { Currency::parse("EUR")? } else { stray.currency };
    Some(match_of(**id, currency, items, node, rest))
}

/// Takes back a match, sometimes one that does not hold.
fn unmatches(random: &mut Random, auditor: &Auditor) -> Option<Act> {
    let strays = auditor.custody.strays.iter();
    let held = strays.flat_map(|(id, stray)| stray.matches.keys().map(move |number| (*id, stray, *number)));
    let held: Vec<_> = held.collect();
    let (id, stray, number) = *held.get(random.below(held.len()))?;
    let mut matched = stray.matched(number)?;
    if random.once_in(10) {
        matched.number += 1;
    }
    let is_named = !random.once_in(20);
    Some(Act::Unmatch { id, number, matched: is_named.then(|| Box::new(matched)) })
}

fn written_off(random: &mut Random, auditor: &Auditor) -> Option<Act> {
    let items = items(auditor, None);
    let (currency, mut item) = *items.get(random.below(items.len()))?;
    if random.once_in(5) {
        item.amount = item.amount.saturating_mul(2);
    }
    Some(write_off((currency, item)))
}

fn write_off((currency, item): (Currency, ClearedItem)) -> Act {
    let line = |account, amount| Posting { account, amount };
    let lines = vec![line(item.account, -item.amount), line(LedgerAccount::Node(RESERVE), item.amount)];
    let postings = Postings::new(currency, lines).unwrap_or_else(|error| panic!("{error}"));
    Act::Journal { postings, effective_at: None, clears: vec![item] }
}

/// Returns the built-in rules, or rules that also match amounts, differences and fees.
fn rules(random: &mut Random) -> RuleSet {
    let built_in: Vec<Rule> = RuleSet::built_in().into();
    if random.once_in(3) {
        return RuleSet::built_in();
    }
    let currency = Some(Currency::USD);
    let node = if random.once_in(10) { PULLED } else { random.one_of(&[RESERVE, FEES]) };
    let amounts = Rule { days: Some(10), ..Rule::new("amounts", Means::Amount) };
    let near = Rule {
        of: Some("amounts".to_owned()),
        difference: Some(random.between(1, 3)),
        node: Some(node),
        currency,
        ..Rule::new("near", Means::Tolerance)
    };
    let fees = Rule {
        codes: FEE.parse().into_iter().collect(),
        node: Some(node),
        per_line: Some(50),
        per_day: Some(random.between(50, 80)),
        currency,
        ..Rule::new("fees", Means::Book)
    };
    let own: Vec<Rule> = if random.once_in(2) { vec![amounts, near, fees] } else { vec![amounts, fees] };
    let all = if random.once_in(2) { [own, built_in] } else { [built_in, own] }.concat();
    RuleSet::try_from(all).unwrap_or_else(|error| panic!("{error}"))
}
