//! Events of a journal entry. It posts to held nodes, to the accounts between the ledger and a bank, and to suspense. It
//! never posts to a bank's account, which only statements change, nor to transit, which belongs to transactions.
//!
//! An entry on an account of a rail or of returns names the open items that it clears, so that the account always is the
//! sum of the open items.

use std::collections::{BTreeMap, BTreeSet};

use super::Refusal;
use super::act::ActContext;
use super::event::Journaled;
use crate::account;
use crate::aggregate::NewEvent;
use crate::calendar::Day;
use crate::event::Event;
use crate::money::MAX_MINOR;
use crate::movement::{Movement, PostingContext};
use crate::node;
use crate::posting::{LedgerAccount, Postings};
use crate::state::States;
use crate::time::Timestamp;
use crate::transaction::{ClearedItem, WrittenOff};

/// Maximum number of items that one entry clears.
const MAX_ITEMS: usize = 1_000;

/// Events of an entry with these postings, which clear these items.
pub(super) fn facts(
    states: &impl States,
    (postings, clears): (&Postings, &[ClearedItem]),
    effective_at: Option<Timestamp>,
    doing: ActContext,
) -> Result<Vec<NewEvent>, crate::Refusal> {
    if !postings.lines().iter().all(|line| may_post(states, line.account, doing)) {
        return Err(Refusal::Account.into());
    }
    let fits = postings.lines().iter().all(|line| line.amount.unsigned_abs() <= MAX_MINOR.unsigned_abs());
    if !fits || effective_at.is_some_and(|effective| effective > doing.at) {
        return Err(Refusal::OutOfRange.into());
    }
    check_items(states, postings, clears, doing)?;
    let movement = Movement::of(Some(postings.clone()));
    let context = PostingContext::correction(doing.platform, doing.operation, doing.at);
    let entries = movement.entries(states, postings.currency(), context).map_err(|_| Refusal::OutOfRange)?;
    let journaled = NewEvent::new(doing.operation, Journaled { postings: postings.clone() });
    let counted = [journaled].into_iter().chain(entries);
    let counted = counted.map(|fact| counting_at(effective_at, fact, doing.at));
    let written_off = clears.iter().map(|&ClearedItem { transaction, account, amount }| {
        NewEvent::new(transaction, WrittenOff { operation: doing.operation, account, amount })
    });
    Ok(counted.chain(written_off).collect())
}

fn may_post(states: &impl States, account: LedgerAccount, doing: ActContext) -> bool {
    match account {
        LedgerAccount::Node(id) => {
            node::create::find(states, doing.platform, id).is_ok_and(|node| node.kind.is_held())
        }
        LedgerAccount::RailIn(_)
        | LedgerAccount::RailOut(_)
        | LedgerAccount::ReturnIn
        | LedgerAccount::ReturnOut
        | LedgerAccount::Suspense => true,
        LedgerAccount::Transit | LedgerAccount::Bank(_) => false,
    }
}

/// Checks that the postings to each account of a rail or of returns are those of the items, which are open.
fn check_items(
    states: &impl States,
    postings: &Postings,
    clears: &[ClearedItem],
    doing: ActContext,
) -> Result<(), Refusal> {
    let mut sums: BTreeMap<LedgerAccount, i128> = BTreeMap::new();
    let posted = postings.lines().iter().filter(|line| line.account.is_open_item());
    let posted = posted.map(|line| (line.account, line.amount));
    for (account, amount) in posted.chain(clears.iter().map(|item| (item.account, item.amount))) {
        *sums.entry(account).or_default() += i128::from(amount);
    }
    let items: BTreeSet<_> = clears.iter().map(|item| (item.transaction, item.account)).collect();
    let are_named = sums.values().all(|sum| *sum == 0) && sums.keys().all(|account| account.is_open_item());
    if !are_named || items.len() != clears.len() || clears.len() > MAX_ITEMS {
        return Err(Refusal::Items);
    }
    let is_open =
        |item: &ClearedItem| item.amount != 0 && item.is_open(states, doing.platform, postings.currency());
    if clears.iter().all(is_open) { Ok(()) } else { Err(Refusal::NotOpen) }
}

/// Makes an event that was decided at `at` take effect at `effective_at`. The day's totals in an entry stay those of
/// the day of `at`.
fn counting_at(effective_at: Option<Timestamp>, mut fact: NewEvent, at: Timestamp) -> NewEvent {
    fact.effective_at = effective_at;
    if let Event::Account(account::Event::Entry(entry)) = &mut fact.event {
        entry.day = effective_at.map(|_| Day::of(at));
    }
    fact
}
