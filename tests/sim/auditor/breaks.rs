//! Lines in suspense in the auditor's model: matches, matches that are taken back, and the rules' runs.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::breaks::Refusal as No;
use daybook_domain::breaks::match_line::MatchLine;
use daybook_domain::breaks::unmatch::UnmatchLine;
use daybook_domain::breaks::{Matched, Strategy};
use daybook_domain::custody;
use daybook_domain::custody::rules::EndMatching;
use daybook_domain::matching::RuleSet;
use daybook_domain::money::MAX_MINOR;
use daybook_domain::posting::{LedgerAccount, Posting, Postings};
use daybook_domain::transaction::ClearedItem;
use daybook_domain::{Actor, BreakId, Currency, Origin, PlatformId, testing::fixture};

use super::bank::{Entry, known};
use super::{Answer, Auditor, Step, Terms, open_items};

/// A line in suspense.
#[derive(Clone, Debug)]
pub(crate) struct Stray {
    pub currency: Currency,
    pub left: i64,
    /// Matches that hold, by number.
    pub matches: BTreeMap<u32, Pairing>,
    pub next: u32,
    pub by_hand: bool,
    pub is_withdrawn: bool,
}

/// Items and nodes that explain a line, or a part of it.
#[derive(Clone, Debug)]
pub(crate) struct Pairing {
    items: Vec<ClearedItem>,
    posts: Vec<Posting>,
}

impl Stray {
    pub(super) fn new(currency: Currency, amount: i64) -> Self {
        let (left, matches, next, by_hand, is_withdrawn) = (amount, BTreeMap::new(), 0, false, false);
        Self { currency, left, matches, next, by_hand, is_withdrawn }
    }

    pub(super) fn withdraw(&mut self) {
        (self.left, self.is_withdrawn) = (0, true);
    }

    /// Returns a match as an event would state it.
    pub(crate) fn matched(&self, number: u32) -> Option<Matched> {
        let Pairing { items, posts } = self.matches.get(&number)?.clone();
        let lines = sides(&posts).into_iter().map(|(account, amount)| Posting { account, amount });
        let postings = Postings::new(self.currency, lines.collect()).ok().filter(|_| !posts.is_empty());
        let (strategy, rule, rest, origin) = (Strategy::Operator, None, 0, Origin::PROCESS);
        Some(Matched { number, items, postings, strategy, rule, rest, origin })
    }
}

impl Pairing {
    fn amount(&self) -> i64 {
        let posts = self.posts.iter().map(|post| post.amount);
        self.items.iter().map(|item| item.amount).chain(posts).sum()
    }
}

/// Postings that give amounts out of suspense to nodes.
fn sides(posts: &[Posting]) -> Vec<(LedgerAccount, i64)> {
    let out: i64 = posts.iter().map(|post| post.amount).sum();
    let nodes = posts.iter().map(|post| (post.account, -post.amount));
    (out != 0).then_some((LedgerAccount::Suspense, out)).into_iter().chain(nodes).collect()
}

impl Auditor {
    fn stray(&self, id: BreakId, platform: PlatformId) -> Result<&Stray, No> {
        self.custody.strays.get(&id).filter(|_| platform == fixture::PLATFORM).ok_or(No::Unknown)
    }

    pub(super) fn match_line(&mut self, ask: &MatchLine) -> Answer {
        let stray = self.stray(ask.id, ask.platform)?;
        if stray.is_withdrawn {
            return Err(No::Withdrawn.into());
        }
        if stray.currency != ask.currency {
            return Err(No::Currency.into());
        }
        let version = self.custody.rules.as_ref().map_or(0, |(version, _)| *version);
        if ask.by.as_ref().is_some_and(|by| stray.by_hand || by.rule.version != version) {
            return Err(No::Changed.into());
        }
        let pairing = Pairing { items: ask.items.clone(), posts: ask.posts.clone() };
        self.check_pairing(ask, &pairing, stray.left)?;
        let (lines, number) = (sides(&pairing.posts), stray.next);
        let step = Step { lines, ..Step::default() };
        self.post(ask.currency, &step, Terms::Correction).map_err(|_| No::OutOfRange)?;
        self.clear(ask.currency, &pairing.items, 1);
        if let Some(stray) = self.custody.strays.get_mut(&ask.id) {
            (stray.left, stray.next) = (stray.left - pairing.amount(), number + 1);
            stray.matches.insert(number, pairing);
        }
        Ok(true)
    }

    fn check_pairing(&self, ask: &MatchLine, pairing: &Pairing, left: i64) -> Result<(), No> {
        let Pairing { items, posts } = pairing;
        let transactions: BTreeSet<_> = items.iter().map(|item| item.transaction).collect();
        let accounts: BTreeSet<_> = posts.iter().map(|post| post.account).collect();
        let parts = items.len() + posts.len();
        if parts == 0 || parts > 1_000 || transactions.len() < items.len() || accounts.len() < posts.len() {
            return Err(No::Count);
        }
        let mut amounts = items.iter().map(|item| item.amount).chain(posts.iter().map(|post| post.amount));
        if !amounts.all(|amount| amount != 0 && (-MAX_MINOR..=MAX_MINOR).contains(&amount)) {
            return Err(No::OutOfRange);
        }
        let sum = pairing.amount();
        match &ask.by {
            Some(by) if i128::from(sum) + i128::from(by.rest) != i128::from(left) => return Err(No::Changed),
            None if sum.signum() != left.signum() || sum.abs() > left.abs() => return Err(No::TooMuch),
            _ => {}
        }
        if !items.iter().all(|item| self.is_open(ask.currency, item)) {
            return Err(No::NotOpen);
        }
        let is_held = |post: &Posting| post.account.node().is_some_and(|node| self.is_held(node));
        if posts.iter().all(is_held) { Ok(()) } else { Err(No::Account) }
    }

    /// Returns true if a transaction has so much open on the account.
    pub(super) fn is_open(&self, currency: Currency, item: &ClearedItem) -> bool {
        let deal = self.deals.get(&item.transaction).filter(|deal| deal.amount.currency == currency);
        let open = deal.map(open_items).unwrap_or_default();
        let open = open.into_iter().find(|(account, _)| *account == item.account);
        open.is_some_and(|(_, open)| open.signum() == item.amount.signum() && open.abs() >= item.amount.abs())
    }

    /// Moves items out of suspense, or with a `sign` of -1 back into it.
    fn clear(&mut self, currency: Currency, items: &[ClearedItem], sign: i64) {
        for &ClearedItem { transaction, account, amount } in items {
            let lines = vec![(LedgerAccount::Suspense, amount), (account, -amount)];
            self.enter(&Entry { currency, transaction: Some(transaction), lines }, sign);
        }
    }

    pub(super) fn unmatch_line(&mut self, ask: &UnmatchLine) -> Answer {
        let stray = self.stray(ask.id, ask.platform)?;
        let (currency, number) = (stray.currency, ask.matched.number);
        let pairing = stray.matches.get(&number).filter(|pairing| pairing.amount() == ask.matched.amount());
        let pairing = pairing.ok_or(No::NoMatch)?.clone();
        let lines = sides(&pairing.posts).into_iter().map(|(account, amount)| (account, -amount)).collect();
        let step = Step { lines, ..Step::default() };
        self.post(currency, &step, Terms::Correction).map_err(|_| No::OutOfRange)?;
        self.clear(currency, &pairing.items, -1);
        if let Some(stray) = self.custody.strays.get_mut(&ask.id) {
            stray.left += pairing.amount();
            stray.matches.remove(&number);
            stray.by_hand |= matches!(ask.origin.by, Actor::Operator(_));
        }
        Ok(true)
    }

    pub(super) fn end_matching(&mut self, ask: &EndMatching) -> Answer {
        known(ask.custody)?;
        let is_news = ask.due > self.custody.runs_done && ask.due <= self.custody.runs_due;
        if is_news {
            self.custody.runs_done = ask.due;
        }
        Ok(is_news)
    }

    pub(super) fn set_rules(&mut self, rules: &RuleSet) -> Answer {
        let version = self.custody.rules.as_ref().map_or(0, |(version, _)| *version);
        if self.custody.rules.as_ref().is_some_and(|(_, own)| own == rules) {
            return Ok(false);
        }
        if !rules.nodes().into_iter().all(|node| self.is_held(node)) {
            return Err(custody::Refusal::RuleNode.into());
        }
        self.custody.rules = Some((version + 1, rules.clone()));
        self.custody.runs_due += 1;
        Ok(true)
    }
}
