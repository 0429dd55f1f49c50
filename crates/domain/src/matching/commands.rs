//! Commands that make a match.

use std::collections::HashMap;

use super::{Match, Parts};
use crate::actor::{Actor, Origin};
use crate::breaks::RuleName;
use crate::breaks::match_line::{ByRule, MAX_PARTS, MatchLine};
use crate::custody::Rules;
use crate::id::{PlatformId, TransactionId};
use crate::transaction::ClearedItem;

impl Match {
    /// The commands that make the match for a platform, of at most [`MAX_PARTS`] parts each. Each states the amount that
    /// those after it explain.
    #[must_use]
    pub fn commands(&self, platform: PlatformId, rules: &Rules) -> Vec<MatchLine> {
        let name = rules.set.rules().get(self.rule).map(|rule| rule.name.clone()).unwrap_or_default();
        let rule = RuleName { version: rules.version, name };
        let mut rest = self.parts.amount();
        let command = |parts: Parts| {
            rest -= parts.amount();
            let (strategy, rule) = (self.strategy, rule.clone());
            let by = Some(ByRule { strategy, rule, rest: i64::try_from(rest).unwrap_or(i64::MAX) });
            let Self { line: id, currency, .. } = *self;
            let Parts { items, posts } = parts;
            MatchLine { id, platform, currency, items, posts, by, origin: Origin::of(Actor::Process) }
        };
        self.chunks().map(command).collect()
    }

    /// The parts in chunks, of which the first one has the nodes. A command has one item of a transaction: the item of an
    /// entry and that of its return are in different chunks.
    fn chunks(&self) -> impl Iterator<Item = Parts> + '_ {
        let Parts { items, posts } = &self.parts;
        let mut rounds = rounds(items).into_iter();
        let of_first = rounds.next().unwrap_or_default();
        let room = MAX_PARTS - posts.len().min(MAX_PARTS);
        let (first, rest) = of_first.split_at(of_first.len().min(room));
        let chunks = [rest.to_vec()].into_iter().chain(rounds);
        let chunks: Vec<Vec<ClearedItem>> =
            chunks.flat_map(|round| round.chunks(MAX_PARTS).map(<[_]>::to_vec).collect::<Vec<_>>()).collect();
        let first = Parts { items: first.to_vec(), posts: posts.clone() };
        std::iter::once(first).chain(chunks.into_iter().map(|items| Parts { items, posts: vec![] }))
    }
}

/// Items in rounds: the first items of all transactions, then their second ones.
fn rounds(items: &[ClearedItem]) -> Vec<Vec<ClearedItem>> {
    let (mut seen, mut rounds) = (HashMap::<TransactionId, usize>::new(), Vec::<Vec<_>>::new());
    for item in items {
        let round = seen.entry(item.transaction).or_default();
        if rounds.len() == *round {
            rounds.push(vec![]);
        }
        rounds[*round].push(*item);
        *round += 1;
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::breaks::Strategy;
    use crate::id::{BreakId, NodeId};
    use crate::money::Currency;
    use crate::posting::{LedgerAccount, Posting, Rail};

    /// A match of a file with this many credits and debits in turn, and a node.
    fn of_file(count: u128) -> Match {
        let item = |number: u128| ClearedItem {
            transaction: TransactionId::from_u128(number),
            account: LedgerAccount::RailIn(Rail::Ach),
            amount: if number.is_multiple_of(2) { 700 } else { -300 },
        };
        let posts = vec![Posting { account: LedgerAccount::Node(NodeId::from_u128(9)), amount: 5 }];
        Match {
            line: BreakId::from_u128(1),
            currency: Currency::USD,
            strategy: Strategy::Tolerance,
            rule: 1,
            parts: Parts { items: (0..count).map(item).collect(), posts },
        }
    }

    #[test]
    fn commands_together_explain_the_line() {
        for count in [0, 1, 999, 1_000, 1_999, 2_000, 2_501] {
            let found = of_file(count);
            let commands = found.commands(PlatformId::from_u128(1), &Rules::built_in());
            let mut left = found.parts.amount();
            for (number, command) in commands.iter().enumerate() {
                assert!((1..=MAX_PARTS).contains(&(command.items.len() + command.posts.len())), "{count}");
                assert_eq!(command.posts.len(), usize::from(number == 0));
                let by = command.by.as_ref().expect("a rule");
                let own = Parts { items: command.items.clone(), posts: command.posts.clone() }.amount();
                left -= own;
                assert_eq!(i128::from(by.rest), left);
                assert_eq!(by.rule, RuleName { version: 0, name: "file".into() });
            }
            assert_eq!(left, 0);
            let items: Vec<_> = commands.iter().flat_map(|command| command.items.clone()).collect();
            assert_eq!(items, found.parts.items);
        }
    }

    #[test]
    fn command_has_transaction_once() {
        let mut found = of_file(3);
        let back = ClearedItem { account: LedgerAccount::ReturnOut, amount: -700, ..found.parts.items[0] };
        found.parts.items.insert(1, back);
        let commands = found.commands(PlatformId::from_u128(1), &Rules::built_in());
        let counts: Vec<_> = commands.iter().map(|command| command.items.len()).collect();
        assert_eq!((counts, &commands[1].items[..]), (vec![3, 1], &[back][..]));
    }
}
