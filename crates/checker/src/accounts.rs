//! Accounts: checks that every entry continues the entry before it and respects the floor of its account.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry as Slot;

use daybook_domain::account::{Account, Cause, Entry};
use daybook_domain::calendar::Day;
use daybook_domain::platform::policy::RESERVE_FLOOR;
use daybook_domain::platform::{Limits, Platform};
use daybook_domain::{AccountId, Currency, NodeId, Timestamp};

use crate::ids::Ids;

/// Current state of every account, and the limits that apply to it.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    accounts: Ids<Account>,
    /// Limits of the nodes that have limits of their own.
    limits: BTreeMap<NodeId, BTreeMap<Currency, Limits>>,
}

impl Accounts {
    pub(crate) fn set_limits(&mut self, node: NodeId, limits: &BTreeMap<Currency, Limits>) {
        self.limits.insert(node, limits.clone());
    }

    /// Folds an entry of the account `stream` and returns its inconsistencies.
    ///
    /// `begins` is true if the entry is the first of its stream. Without `platform` the floor is unknown and is not
    /// checked.
    pub(crate) fn entry(
        &mut self,
        stream: u128,
        entry: &Entry,
        at: Timestamp,
        platform: Option<&Platform>,
        begins: bool,
    ) -> Vec<String> {
        let mut wrong = vec![];
        if AccountId::of(entry.node, entry.currency).as_u128() != stream {
            wrong.push("an entry of another account".to_owned());
        }
        let new = || Account::new(entry.node, entry.currency);
        let floor = platform.map(|platform| self.floor(platform, entry));
        let slot = self.accounts.entry(stream.into());
        // If the log is not read from its beginning, the first entry of an account is accepted without a check.
        if let Slot::Occupied(before) = &slot {
            follows(before.get(), entry, at, &mut wrong);
        } else if begins {
            follows(&new(), entry, at, &mut wrong);
        }
        if entry.held < 0 || entry.pending_in < 0 {
            wrong.push("held or pending_in is negative".to_owned());
        }
        let takes = i128::from(entry.hold_delta) > i128::from(entry.delta);
        let available = i128::from(entry.posted) - i128::from(entry.held);
        if let Some(floor) = floor
            && takes
            && !entry.returned
            && available < i128::from(floor)
        {
            wrong
                .push(format!("it takes what is below the floor: {available} is left, the floor is {floor}"));
        }
        if matches!(entry.cause, Cause::Operation(_)) && entry.returned {
            wrong.push("the entry of a journal entry is marked as a return".to_owned());
        }
        let account = Account {
            posted: entry.posted,
            held: entry.held,
            pending_in: entry.pending_in,
            day: entry.day.unwrap_or(Day::of(at)),
            day_in: entry.day_in,
            day_out: entry.day_out,
            ..new()
        };
        slot.insert_entry(account);
        wrong
    }

    /// Returns the floor of the node, of a reserve, or of the platform's policy, in this order.
    fn floor(&self, platform: &Platform, entry: &Entry) -> i64 {
        let own = self.limits.get(&entry.node).and_then(|limits| limits.get(&entry.currency)?.floor);
        let reserve = (platform.reserve == entry.node).then_some(RESERVE_FLOOR);
        let general = platform.policy.limits.get(&entry.currency).and_then(|limits| limits.floor);
        own.or(reserve).or(general).unwrap_or_default()
    }
}

fn follows(before: &Account, entry: &Entry, at: Timestamp, wrong: &mut Vec<String>) {
    if (before.node, before.currency) != (entry.node, entry.currency) {
        wrong.push("it changes the account's node or currency".to_owned());
    }
    let numbers = [
        ("posted", before.posted, entry.delta, entry.posted),
        ("held", before.held, entry.hold_delta, entry.held),
        ("pending_in", before.pending_in, entry.pending_delta, entry.pending_in),
    ];
    for (name, was, by, is) in numbers {
        if i128::from(was) + i128::from(by) != i128::from(is) {
            wrong.push(format!("{name} was {was}, changes by {by} and is said to be {is}"));
        }
    }
    let is_same_day = before.day == entry.day.unwrap_or(Day::of(at));
    let (day_in, day_out) = if is_same_day { (before.day_in, before.day_out) } else { (0, 0) };
    let counted = (day_in.saturating_add(entry.delta.max(0)), day_out.saturating_sub(entry.delta.min(0)));
    let is = (entry.day_in, entry.day_out);
    if is != counted && is != (day_in, day_out) {
        wrong.push("the sums of its day do not follow from the entry before it".to_owned());
    }
}
