//! Redirect: at the settlement a fee goes to its node; if that cannot be credited, to the receiver; if the receiver
//! cannot be credited either, to the platform's reserve.

use super::recipient::{Obstacle, Redirect};
use super::{Fee, Transaction, daily_limit};
use crate::aggregate::Key;
use crate::id::AccountId;
use crate::money::Money;
use crate::state::States;
use crate::time::Timestamp;

impl Transaction {
    /// Keys of the aggregates that [`Transaction::redirects`] reads; none without a fee.
    pub(super) fn needs_of_redirects(&self, states: &impl States) -> Vec<Key> {
        if self.fees.is_empty() {
            return vec![];
        }
        let mut keys = self.recipients().needs(states, self.amount.currency);
        keys.push(self.platform.into());
        if let Some(platform) = states.platform(self.platform) {
            keys.push(AccountId::of(platform.reserve, self.amount.currency).into());
        }
        keys
    }

    /// The fees that their nodes cannot take at `at`, and the nodes that get them instead.
    pub(super) fn redirects(&self, states: &impl States, at: Timestamp) -> Vec<Redirect> {
        let Some(platform) = states.platform(self.platform) else { return vec![] };
        let receiver = self.to.held().filter(|node| Obstacle::of(*node, states).is_none());
        let mut added = 0_i64;
        let redirect = |(fee, Fee { minor, to }): (usize, &Fee)| {
            let obstacle = Obstacle::of(*to, states)?;
            let more = added.saturating_add(*minor);
            let receiver = receiver.filter(|node| {
                let more = Money::new(more, self.amount.currency);
                !daily_limit::exceeds_limit_in(states, self.platform, *node, more, at)
            });
            if receiver.is_some() {
                added = more;
            }
            let target = receiver.unwrap_or(platform.reserve);
            Some(Redirect { fee, minor: *minor, from: *to, obstacle, to: target })
        };
        self.fees.iter().enumerate().filter_map(redirect).collect()
    }
}
