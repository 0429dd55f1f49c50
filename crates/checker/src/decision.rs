//! Decisions: the events of one command balance. The entries of the accounts equal the postings, holds and
//! announcements of the events that caused them.

use std::collections::BTreeMap;

use daybook_domain::posting::{LedgerAccount, Postings};
use daybook_domain::{Currency, FileId, NodeId};

use crate::finding::Findings;
use crate::lines::Lines;

/// The changes that the events of one decision state, to be compared with the entries of the accounts.
#[derive(Debug, Default)]
pub(crate) struct Decision {
    /// Changes of accounts, stated by causing events and by entries.
    changes: Vec<Change>,
    /// Transactions that were returned in this decision.
    returned: Vec<u128>,
    /// Flags of the entries that say if a return caused them.
    flags: Vec<Flag>,
    /// Legs that a file event lists, with the position of that event and the amount.
    cut: BTreeMap<Leg, Moved>,
    /// Legs whose transactions say that they are in a file, with the position and the amount, if it is known.
    submitted: BTreeMap<Leg, Moved>,
    /// Lines that are booked.
    pub(crate) booked: Lines,
    /// Lines that are taken back.
    pub(crate) taken_back: Lines,
    /// Lines that are booked to suspense, and those that are taken back from there, with their amounts.
    pub(crate) suspended: BTreeMap<(u128, String), i64>,
    pub(crate) withdrawn: BTreeMap<(u128, String), i64>,
    /// Postings of journal entries that name open items, on rails and returns, less the items that transactions write off,
    /// by operation and account, each with the position of the last of them.
    written_off: BTreeMap<(u128, LedgerAccount), (u64, i128)>,
    /// Milliseconds by which the clock of a platform advances at the end of the decision.
    pub(crate) advanced: Vec<(u128, i64)>,
    /// Closing balances that bank statements state.
    pub(crate) stated: Vec<Stated>,
    /// Causes whose earlier events were not read; they are not checked.
    unknown: Vec<u128>,
}

/// A leg in a file: transaction, direction, file, trace number.
pub(crate) type Leg = (u128, i16, FileId, u32);

/// Flag of an entry: `returned` is true if the entry says that a return of `cause` made it.
#[derive(Clone, Copy, Debug)]
struct Flag {
    cause: u128,
    returned: bool,
    /// Position of the entry.
    at: u64,
}

/// Amount that a leg moves, in minor units; none if the transaction is not in memory.
#[derive(Clone, Copy, Debug)]
struct Moved {
    /// Position of the event that states the amount.
    at: u64,
    minor: Option<i64>,
}

/// Closing balance of a statement, in minor units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stated {
    pub(crate) platform: u128,
    /// Position of the statement's event.
    pub(crate) at: u64,
    pub(crate) currency: Currency,
    pub(crate) closing: i64,
}

/// Changes of posted, held and `pending_in`, in minor units.
pub(crate) type Numbers = [i64; 3];

/// Change that one cause makes to one account.
#[derive(Clone, Copy, Debug)]
struct Change {
    /// The cause, and the node and currency of the account.
    key: (u128, NodeId, Currency),
    by: Numbers,
    /// Position of the event that states the change.
    at: u64,
    /// True if the account's own entry states the change, false if the causing event does.
    is_entry: bool,
}

/// Returns the position of the first of some changes, and their sum; none without changes.
fn sum<'a>(changes: impl Iterator<Item = &'a Change>) -> Option<(u64, [i128; 3])> {
    changes.fold(None, |sum, change| {
        let (at, sum) = sum.unwrap_or((change.at, [0; 3]));
        Some((at, std::array::from_fn(|number| sum[number] + i128::from(change.by[number]))))
    })
}

impl Decision {
    /// Records that an event of `cause` changes the account of a node.
    pub(crate) fn causes(&mut self, cause: u128, node: NodeId, currency: Currency, by: Numbers, at: u64) {
        if by != [0; 3] {
            self.changes.push(Change { key: (cause, node, currency), by, at, is_entry: false });
        }
    }

    /// Records an entry of an account, which names `cause`.
    pub(crate) fn enters(
        &mut self,
        cause: u128,
        node: NodeId,
        currency: Currency,
        by: Numbers,
        returned: bool,
        at: u64,
    ) {
        self.changes.push(Change { key: (cause, node, currency), by, at, is_entry: true });
        self.flags.push(Flag { cause, returned, at });
    }

    pub(crate) fn returns(&mut self, transaction: u128) {
        self.returned.push(transaction);
    }

    pub(crate) fn cuts(&mut self, leg: Leg, minor: i64, at: u64) {
        self.cut.insert(leg, Moved { at, minor: Some(minor) });
    }

    pub(crate) fn submits(&mut self, leg: Leg, minor: Option<i64>, at: u64) {
        self.submitted.insert(leg, Moved { at, minor });
    }

    /// Records what the entry of `operation` posts to rails and returns.
    pub(crate) fn journal(&mut self, operation: u128, postings: &Postings, at: u64) {
        for line in postings.lines().iter().filter(|line| line.account.is_open_item()) {
            self.writes_off(operation, line.account, line.amount, at);
        }
    }

    /// Records a part of an item that `operation` writes off.
    pub(crate) fn writes_off(&mut self, operation: u128, account: LedgerAccount, amount: i64, at: u64) {
        let (last, sum) = self.written_off.entry((operation, account)).or_default();
        *last = at;
        *sum += i128::from(amount);
    }

    /// Excludes `cause` from the checks: its earlier events were not read.
    pub(crate) fn cannot_tell(&mut self, cause: u128) {
        self.unknown.push(cause);
    }

    /// Empties the decision and keeps its memory.
    pub(crate) fn clear(&mut self) {
        let Self { changes, returned, flags, cut, submitted, booked, taken_back, .. } = self;
        changes.clear();
        returned.clear();
        flags.clear();
        cut.clear();
        submitted.clear();
        booked.clear();
        taken_back.clear();
        let Self { suspended, withdrawn, written_off, advanced, stated, unknown, .. } = self;
        suspended.clear();
        withdrawn.clear();
        written_off.clear();
        advanced.clear();
        stated.clear();
        unknown.clear();
    }

    /// Checks the decision as a whole and reports its inconsistencies.
    pub(crate) fn close(&mut self, found: &mut Findings) {
        // Sorted by account; a stable sort, so changes of one account stay in the order of the log.
        self.changes.sort_by_key(|change| change.key);
        for changes in self.changes.chunk_by(|one, next| one.key == next.key) {
            self.account(changes, found);
        }
        for &Flag { cause, returned, at } in &self.flags {
            if returned != self.returned.contains(&cause) && !self.unknown.contains(&cause) {
                found.add(at, "entry", "its flag for returns does not match the events of its transaction");
            }
        }
        for (at, _) in self.written_off.values().filter(|(_, sum)| *sum != 0) {
            found.add(*at, "operation", "the items that are written off are not those of the journal entry");
        }
        self.files(found);
        self.booked.close("cleared", found);
        self.taken_back.close("opened again", found);
    }

    /// Checks that an account changes by the sum that the causing events state, and not before them.
    fn account(&self, changes: &[Change], found: &mut Findings) {
        let &[Change { key: (cause, node, currency), .. }, ..] = changes else { return };
        if self.unknown.contains(&cause) {
            return;
        }
        let place = || format!("account of node {node} in {currency}");
        let of = |is_entry| sum(changes.iter().filter(|change| change.is_entry == is_entry));
        match (of(false), of(true)) {
            (Some((at, _)), None) => {
                found.add(at, place(), "this event changes the account, but no entry does");
            }
            (None, Some((at, entered))) if entered != [0; 3] => {
                found.add(at, place(), "no event of its commit caused this entry");
            }
            (Some((caused_at, caused)), Some((entered_at, entered))) if caused != entered => {
                let what = format!(
                    "position {caused_at} changes posted, held and pending by {caused:?}, the entry by {entered:?}"
                );
                found.add(caused_at.min(entered_at), place(), what);
            }
            (Some((caused_at, _)), Some((entered_at, _))) if entered_at < caused_at => {
                found.add(entered_at, place(), "its entry precedes the event that caused it");
            }
            (Some(_) | None, Some(_)) | (None, None) => {}
        }
    }

    fn files(&self, found: &mut Findings) {
        for (leg, &Moved { at, minor }) in &self.cut {
            match self.submitted.get(leg) {
                None => found.add(at, "file", "it lists a leg that was not submitted with this file"),
                Some(submitted) if submitted.minor.is_some() && submitted.minor != minor => {
                    found.add(at, "file", "it lists a leg with another amount than the transaction moves");
                }
                Some(_) => {}
            }
        }
        for (leg, submitted) in &self.submitted {
            if !self.cut.contains_key(leg) {
                found.add(submitted.at, "file", "a leg was submitted with a file that does not list it");
            }
        }
    }
}
