//! Take back a match of a line: its items are open again, and its part of the line is in suspense again.

use super::Refusal;
use super::event::{Matched, Unmatched};
use super::match_line::{entries, find};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::custody::clear;
use crate::decide::Decide;
use crate::id::{AccountId, BreakId, PlatformId};
use crate::posting::Postings;
use crate::state::States;
use crate::time::Timestamp;

/// Command to take back a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmatchLine {
    /// The break.
    pub id: BreakId,
    /// Platform of the line.
    pub platform: PlatformId,
    /// The match as the event of the break states it.
    pub matched: Matched,
    /// Origin of the change.
    pub origin: Origin,
}

impl Decide for UnmatchLine {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        let transactions = self.matched.items.iter().map(|item| item.transaction.into());
        let nodes = self.matched.postings.iter().flat_map(|postings| {
            let currency = postings.currency();
            let nodes = postings.lines().iter().filter_map(|line| line.account.node());
            nodes.flat_map(move |node| [node.into(), AccountId::of(node, currency).into()])
        });
        let own: [Key; 2] = [self.id.into(), self.platform.into()];
        own.into_iter().chain(transactions).chain(nodes).collect()
    }

    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let line = find(states, self.platform, self.id)?;
        let Matched { number, items, postings, .. } = &self.matched;
        let holds = |amount| line.matches.iter().any(|it| (it.number, it.amount) == (*number, amount));
        if !holds(self.matched.amount()) {
            return Err(Refusal::NoMatch.into());
        }
        let postings = postings.as_ref().map(Postings::reversed);
        let unmatched = Unmatched {
            number: *number,
            items: items.clone(),
            postings: postings.clone(),
            origin: self.origin,
        };
        let entries = entries(states, (self.platform, self.id), line, postings, at)?;
        let reopened = items.iter().map(|item| clear::out_of_suspense(line, item, -1));
        let reopened = reopened.collect::<Option<Vec<_>>>().ok_or(Refusal::OutOfRange)?;
        Ok([NewEvent::new(self.id, unmatched)].into_iter().chain(reopened).chain(entries).collect())
    }

    fn weight(&self) -> usize {
        size_of_val(self.matched.items.as_slice())
    }
}
