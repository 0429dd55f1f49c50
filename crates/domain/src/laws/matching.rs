//! Deeds about lines in suspense: matches, matches that are taken back, and open items that are written off.

use super::chronicle::Chronicle;
use crate::actor::Origin;
use crate::breaks::match_line::MatchLine;
use crate::breaks::unmatch::UnmatchLine;
use crate::breaks::{Break, Event as BreakEvent, Matched};
use crate::calendar::Day;
use crate::custody::rules::EndMatching;
use crate::id::{BreakId, StatementId};
use crate::matching::{self, Input, Item, Line};
use crate::money::Currency;
use crate::operation::Act;
use crate::posting::{LedgerAccount, Posting, Postings};
use crate::testing::fixture::{ANNS, CUSTODY, PLATFORM, RESERVE, operate};
use crate::transaction::ClearedItem;
use crate::{Event, State, States};

impl Chronicle {
    /// The breaks in the order of their ids.
    pub(super) fn breaks(&self) -> Vec<(BreakId, Break)> {
        let breaks = self.world.states().filter_map(|(key, state)| match state {
            State::Break(of) => Some((BreakId::from_u128(key.id), (**of).clone())),
            _ => None,
        });
        let mut breaks: Vec<_> = breaks.collect();
        breaks.sort_by_key(|(id, _)| *id);
        breaks
    }

    /// Matches one of the lines in suspense, wholly: with an open item as far as it fits, and a node for the rest.
    pub(super) fn match_line(&mut self, which: usize, posts_rest: bool) {
        let open: Vec<_> = self.breaks().into_iter().filter(|(_, of)| of.left != 0).collect();
        let Some((id, of)) = which.checked_rem(open.len()).map(|which| open[which].clone()) else { return };
        let fits = |item: &ClearedItem| item.amount.signum() == of.left.signum();
        let items: Vec<_> = self.open_items(of.currency).into_iter().filter(fits).collect();
        let item = which.checked_rem(items.len()).map(|which| items[which]).map(|item| ClearedItem {
            amount: item.amount.abs().min(of.left.abs()) * of.left.signum(),
            ..item
        });
        let rest = of.left - item.map_or(0, |item| item.amount);
        let account = LedgerAccount::Node(if which.is_multiple_of(2) { RESERVE } else { ANNS });
        let post = (posts_rest && rest != 0).then_some(Posting { account, amount: rest });
        let (items, posts) = (item.into_iter().collect(), post.into_iter().collect());
        let (currency, by, origin) = (of.currency, None, Origin::PROCESS);
        self.submit(MatchLine { id, platform: PLATFORM, currency, items, posts, by, origin }.into());
    }

    /// Runs the matching rules on all lines in suspense. Each match is accepted.
    pub(super) fn match_by_rules(&mut self) {
        let Some(custody) = self.world.custody(CUSTODY).cloned() else { return };
        let rules = custody.rules();
        let outcome = matching::run(&self.input(), &rules.set);
        for command in outcome.matches.iter().flat_map(|it| it.commands(PLATFORM, &rules)) {
            self.world.clone().submit(&command.clone().into()).expect("a match is acceptable");
            self.submit(command.into());
        }
        let (due, version) = (custody.runs_due, rules.version);
        self.submit(EndMatching { custody: CUSTODY, due, version, matched: 0, left: 0 }.into());
    }

    fn input(&self) -> Input {
        let open = self.breaks().into_iter().filter(|(_, of)| of.left != 0);
        let line = |(id, of): (BreakId, Break)| {
            let Break { currency, day, left, by_hand, .. } = of;
            let (references, codes, captures, words) = (vec![], vec![], vec![], vec![]);
            Line { id, currency, day, left, by_hand, references, codes, captures, words }
        };
        let items = |currency: Currency| {
            self.open_items(currency).into_iter().map(move |item| {
                let ClearedItem { transaction, account, amount } = item;
                let (since, names, file) = (Day::default(), vec![transaction.to_string()], None);
                Item { transaction, account, currency, amount, since, names, file, batch: None }
            })
        };
        let euro = Currency::parse("EUR").expect("ISO 4217");
        let items = [Currency::USD, euro].into_iter().flat_map(items).collect();
        Input { lines: open.map(line).collect(), items, files: vec![] }
    }

    /// Takes back one of the matches.
    pub(super) fn unmatch_line(&mut self, which: usize) {
        let matched: Vec<(BreakId, Matched)> = self.matches();
        let Some((id, matched)) = which.checked_rem(matched.len()).map(|which| matched[which].clone()) else {
            return;
        };
        self.submit(UnmatchLine { id, platform: PLATFORM, matched, origin: Origin::PROCESS }.into());
    }

    /// Takes back all matches of a statement's lines, which else could not be taken back.
    pub(super) fn unmatch_lines(&mut self, statement: StatementId) {
        for (id, matched) in self.matches() {
            let of = self.world.line_break(id);
            let holds = |of: &Break| of.matches.iter().any(|it| it.number == matched.number);
            if of.is_some_and(|of| of.statement == Some(statement) && holds(of)) {
                self.submit(UnmatchLine { id, platform: PLATFORM, matched, origin: Origin::PROCESS }.into());
            }
        }
    }

    fn matches(&self) -> Vec<(BreakId, Matched)> {
        let matched = self.recorded.iter().filter_map(|(_, fact)| match &fact.event {
            Event::Break(BreakEvent::Matched(matched)) => {
                Some((BreakId::from_u128(fact.key.id), matched.clone()))
            }
            _ => None,
        });
        matched.collect()
    }

    /// Writes off one of the open items.
    pub(super) fn write_off(&mut self, which: usize) {
        let open = self.open_items(Currency::USD);
        let Some(item) = which.checked_rem(open.len()).map(|which| open[which]) else { return };
        let line = |account, amount| Posting { account, amount };
        let lines = vec![
            line(item.account, item.amount.saturating_neg()),
            line(LedgerAccount::Node(RESERVE), item.amount),
        ];
        let Ok(postings) = Postings::new(Currency::USD, lines) else { return };
        let act = Act::Journal { postings, effective_at: None, clears: vec![item] };
        self.submit(operate(3_000 + which as u128 % 1_000, act).into());
    }

    fn open_items(&self, currency: Currency) -> Vec<ClearedItem> {
        let own = self.transactions().filter(|(_, it)| it.amount.currency == currency);
        let items = own.flat_map(|(id, it)| it.open_items().into_iter().map(move |item| (id, item)));
        let mut items: Vec<_> = items
            .map(|(transaction, item)| ClearedItem {
                transaction,
                account: item.account,
                amount: item.amount,
            })
            .collect();
        items.sort_by_key(|item| (item.transaction, item.account));
        items
    }
}
