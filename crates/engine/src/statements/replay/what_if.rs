//! Fold of the log in which other rules made the matches: a pure function of events and outcomes.
//!
//! The fold keeps all that operators and the bank did, with two exceptions. An operator's match of a line that the rules explained
//! before is left out: there was nothing to match. A match of the rules is taken back if the log contradicts it: an item in
//! it was cleared by something else later, or an operator took the same match back.

use std::collections::{BTreeMap, HashMap};

use daybook_domain::actor::Actor;
use daybook_domain::aggregate::Aggregate;
use daybook_domain::breaks::{self, Break, Matched, Unmatched};
use daybook_domain::matching::{Match, Parts};
use daybook_domain::posting::{LedgerAccount, Posting, Postings};
use daybook_domain::{BreakId, Currency, Event, PlatformId, TransactionId, transaction};
use daybook_projector::RecordedEvent;

use super::line::{Line, Made, amount, is_equal};

/// An open item.
type ItemId = (TransactionId, LedgerAccount);

/// Fold of the events of one platform.
#[derive(Debug)]
pub(super) struct WhatIf {
    platform: PlatformId,
    /// Position after which the other rules make the matches.
    after: u64,
    lines: BTreeMap<BreakId, Line>,
    items: BTreeMap<ItemId, Item>,
    /// Postings to items that belong to matches that are left out, and follow in the commit.
    skipped: HashMap<(ItemId, i64), u32>,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    currency: Currency,
    /// Rest under the other rules, in minor units; a debit is positive.
    amount: i64,
    /// Part of it that the other rules' matches explain.
    taken: i64,
}

impl WhatIf {
    pub(super) fn new(platform: PlatformId, after: u64) -> Self {
        let (lines, items) = (BTreeMap::new(), BTreeMap::new());
        Self { platform, after, lines, items, skipped: HashMap::new() }
    }

    /// Folds the next event of the log. Events of other platforms change nothing.
    pub(super) fn add(&mut self, happened: &RecordedEvent) {
        if happened.platform != self.platform {
            return;
        }
        match &happened.event {
            Event::Transaction(transaction::Event::WrittenOff(off)) => {
                let item = (TransactionId::from_u128(happened.key.id), off.account);
                self.post(item, None, off.amount.saturating_neg());
            }
            Event::Transaction(_) => {
                let transaction = TransactionId::from_u128(happened.key.id);
                let postings = happened.event.postings();
                for line in postings.into_iter().flat_map(Postings::lines) {
                    let currency = postings.map(Postings::currency);
                    if line.account.is_open_item() {
                        self.post((transaction, line.account), currency, line.amount);
                    }
                }
            }
            Event::Break(event) => self.line(happened, event),
            _ => {}
        }
    }

    /// Makes the matches of the other rules. `name` finds the name of a rule.
    pub(super) fn make(&mut self, matches: Vec<Match>, name: impl Fn(usize) -> String) {
        for made in matches {
            let Some(line) = self.lines.get_mut(&made.line) else { continue };
            line.of.left = line.of.left.saturating_sub(amount(&made.parts));
            for part in &made.parts.items {
                if let Some(item) = self.items.get_mut(&(part.transaction, part.account)) {
                    item.amount = item.amount.saturating_sub(part.amount);
                    item.taken = item.taken.saturating_add(part.amount);
                }
            }
            line.would = Some((name(made.rule), made.parts));
        }
    }

    /// Lines of which a part is in suspense under the other rules.
    pub(super) fn open_lines(&self) -> impl Iterator<Item = (BreakId, &Break)> + '_ {
        self.lines.iter().filter(|(_, line)| line.of.left != 0).map(|(id, line)| (*id, &line.of))
    }

    /// Items that are open under the other rules, with their currencies and rests.
    pub(super) fn open_items(&self) -> impl Iterator<Item = (ItemId, Currency, i64)> + '_ {
        let open = self.items.iter().filter(|(_, item)| item.amount != 0);
        open.map(|(id, item)| (*id, item.currency, item.amount))
    }

    /// All lines, each with its explanation in the log and by the other rules.
    pub(super) fn into_lines(self) -> impl Iterator<Item = (BreakId, Line)> {
        self.lines.into_iter()
    }

    /// Changes an item by a posting. If less is left of it than the other rules' matches explain, they are taken back.
    fn post(&mut self, id: ItemId, currency: Option<Currency>, amount: i64) {
        if let Some(times) = self.skipped.get_mut(&(id, amount)).filter(|times| **times > 0) {
            *times -= 1;
            return;
        }
        let new = currency.map(|currency| Item { currency, amount: 0, taken: 0 });
        let Some(item) = self.items.get(&id).copied().or(new) else { return };
        let item = Item { amount: item.amount.saturating_add(amount), ..item };
        self.items.insert(id, item);
        let whole = item.amount.saturating_add(item.taken);
        let is_short = whole.signum() != item.taken.signum() || whole.abs() < item.taken.abs();
        if item.taken != 0 && is_short {
            let explains = |line: &Line| {
                let parts = line.would.as_ref().map(|(_, parts)| parts);
                parts.is_some_and(|parts| {
                    parts.items.iter().any(|part| (part.transaction, part.account) == id)
                })
            };
            let lines = self.lines.iter().filter(|(_, line)| explains(line)).map(|(id, _)| *id);
            for line in lines.collect::<Vec<_>>() {
                self.take_back(line, true);
            }
        }
        if self.items.get(&id).is_some_and(|item| (item.amount, item.taken) == (0, 0)) {
            self.items.remove(&id);
        }
    }

    fn line(&mut self, happened: &RecordedEvent, event: &breaks::Event) {
        let id = BreakId::from_u128(happened.key.id);
        match event {
            breaks::Event::Opened(_) => {
                let of = Break::begin(event, happened.effective_at);
                self.lines.extend(of.map(|of| (id, Line::new(of))));
            }
            breaks::Event::Withdrawn(_) => {
                self.take_back(id, false);
                self.lines.remove(&id);
            }
            breaks::Event::Matched(matched) => self.matched(id, matched, happened.position),
            breaks::Event::Unmatched(unmatched) => self.unmatched(id, unmatched),
        }
    }

    fn matched(&mut self, id: BreakId, matched: &Matched, position: u64) {
        let Some(line) = self.lines.get_mut(&id) else { return };
        let parts = Parts { items: matched.items.clone(), posts: posts(matched) };
        let rule = matched.rule.as_ref().map(|rule| rule.name.clone());
        let is_replaced = rule.is_some() && position > self.after;
        let is_omitted = is_replaced || line.would.is_some();
        if !is_omitted {
            line.of.left = line.of.left.saturating_sub(matched.amount());
        }
        line.was.push(Made { number: matched.number, rule, parts: parts.clone(), is_omitted });
        if is_omitted {
            self.skip(&parts, -1);
        }
    }

    fn unmatched(&mut self, id: BreakId, unmatched: &Unmatched) {
        let Some(line) = self.lines.get_mut(&id) else { return };
        let by_operator = matches!(unmatched.origin.by, Actor::Operator(_));
        line.of.by_hand |= by_operator;
        let of = line.was.iter().position(|made| made.number == unmatched.number);
        let Some(ended) = of.map(|at| line.was.remove(at)) else { return };
        let is_same = line.would.as_ref().is_some_and(|(_, parts)| is_equal(parts, &ended.parts));
        if !ended.is_omitted {
            line.of.left = line.of.left.saturating_add(unmatched.amount());
            return;
        }
        self.skip(&ended.parts, 1);
        if by_operator && is_same {
            self.take_back(id, true);
        }
    }

    /// Leaves out the postings to items that follow in the commit of a match: with -1 they clear the items, with 1 they open
    /// them again.
    fn skip(&mut self, parts: &Parts, sign: i64) {
        for part in &parts.items {
            let posting = ((part.transaction, part.account), part.amount.saturating_mul(sign));
            *self.skipped.entry(posting).or_default() += 1;
        }
    }

    fn take_back(&mut self, id: BreakId, is_contradicted: bool) {
        let Some(line) = self.lines.get_mut(&id) else { return };
        let Some((_, parts)) = line.would.take() else { return };
        line.is_contradicted |= is_contradicted;
        line.of.left = line.of.left.saturating_add(amount(&parts));
        for part in &parts.items {
            if let Some(item) = self.items.get_mut(&(part.transaction, part.account)) {
                item.amount = item.amount.saturating_add(part.amount);
                item.taken = item.taken.saturating_sub(part.amount);
            }
        }
    }
}

/// Nodes of a match, and the amounts that they get.
fn posts(matched: &Matched) -> Vec<Posting> {
    let lines = matched.postings.iter().flat_map(Postings::lines);
    let of_nodes = lines.filter(|line| line.account.node().is_some());
    of_nodes.map(|line| Posting { amount: line.amount.saturating_neg(), ..*line }).collect()
}

#[cfg(test)]
mod tests;
