//! Decisions: what is done by one command is balanced in itself. The entries of the accounts are the postings, holds
//! and announcements of the events that caused them.

use std::collections::BTreeMap;

use daybook_domain::posting::{LedgerAccount, Postings};
use daybook_domain::{Currency, FileId, NodeId};

use crate::finding::Findings;

/// What the events of one decision say that accounts do, beside what the accounts say.
#[derive(Debug, Default)]
pub(crate) struct Decision {
    /// Changes of accounts, said by events and by entries.
    changes: Vec<Change>,
    /// Transactions that came back.
    returned: Vec<u128>,
    /// Entries: whose step, whether by a return, and where.
    flags: Vec<Flag>,
    /// Legs that a file says are in it, each with where that is said, and what it moves.
    cut: BTreeMap<Leg, Moved>,
    /// Legs that say they are in a file, likewise; what they move as far as it is still known.
    submitted: BTreeMap<Leg, Moved>,
    /// Lines of statements and the transactions that they explain: what is said of each, and where.
    explained: BTreeMap<Line, Explained>,
    /// Lines that transactions say they were cleared by, with the postings, likewise.
    cleared: BTreeMap<Line, Cleared>,
    /// By how much the clock of a platform goes forward when the decision is over, in milliseconds.
    pub(crate) advanced: Vec<(u128, i64)>,
    /// What statements say is at a bank, with the platform, where, and in which currency.
    pub(crate) stated: Vec<Stated>,
    /// Causes of which the beginning was not read.
    unknown: Vec<u128>,
}

/// A leg in a file: transaction, direction, file, number.
pub(crate) type Leg = (u128, i16, FileId, u32);

/// A line of a statement, with the transaction that it explains.
pub(crate) type Line = (u128, String);

/// What a line explains: of which bank's account, which open item, and how much.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clearing {
    pub(crate) custody: u128,
    pub(crate) account: LedgerAccount,
    pub(crate) amount: i64,
}

/// An entry's flag: `cause` has a step that made it, and `returned` is true if the entry says that a return did.
#[derive(Clone, Copy, Debug)]
struct Flag {
    cause: u128,
    returned: bool,
    /// Position of the entry.
    at: u64,
}

/// An amount that a leg moves; none if it was erased.
#[derive(Clone, Copy, Debug)]
struct Moved {
    /// Position of the event that says so.
    at: u64,
    minor: Option<i64>,
}

/// A statement's event at position `at` explains a transaction.
#[derive(Clone, Copy, Debug)]
struct Explained {
    at: u64,
    clearing: Clearing,
}

/// A transaction's event at position `at` clears an item of a custody.
#[derive(Debug)]
struct Cleared {
    at: u64,
    custody: u128,
    postings: Postings,
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

/// Posted, held, pending.
pub(crate) type Numbers = [i64; 3];

/// By how much some cause changes the account of a node.
#[derive(Clone, Copy, Debug)]
struct Change {
    /// The cause, and whose account it is.
    key: (u128, NodeId, Currency),
    by: Numbers,
    /// Where it is said.
    at: u64,
    /// Whether the account says it itself.
    is_entry: bool,
}

/// Where the first of some changes is said, and what they come to; none of nothing.
fn sum<'a>(changes: impl Iterator<Item = &'a Change>) -> Option<(u64, [i128; 3])> {
    changes.fold(None, |sum, change| {
        let (at, sum) = sum.unwrap_or((change.at, [0; 3]));
        Some((at, std::array::from_fn(|number| sum[number] + i128::from(change.by[number]))))
    })
}

impl Decision {
    /// An event of `cause` changes the account of a node.
    pub(crate) fn causes(&mut self, cause: u128, node: NodeId, currency: Currency, by: Numbers, at: u64) {
        if by != [0; 3] {
            self.changes.push(Change { key: (cause, node, currency), by, at, is_entry: false });
        }
    }

    /// An account says that `cause` changed it.
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

    pub(crate) fn explains(&mut self, line: Line, clearing: Clearing, at: u64) {
        self.explained.insert(line, Explained { at, clearing });
    }

    pub(crate) fn clears(&mut self, line: Line, custody: u128, postings: &Postings, at: u64) {
        self.cleared.insert(line, Cleared { at, custody, postings: postings.clone() });
    }

    /// Of this one too little is known to say what its steps do.
    pub(crate) fn cannot_tell(&mut self, cause: u128) {
        self.unknown.push(cause);
    }

    /// Nothing is decided, in the same memory.
    pub(crate) fn clear(&mut self) {
        let Self { changes, returned, flags, cut, submitted, explained, cleared, advanced, stated, unknown } =
            self;
        changes.clear();
        returned.clear();
        flags.clear();
        cut.clear();
        submitted.clear();
        explained.clear();
        cleared.clear();
        advanced.clear();
        stated.clear();
        unknown.clear();
    }

    /// What is wrong with it as a whole.
    pub(crate) fn close(&mut self, found: &mut Findings) {
        // By account, and as they were said.
        self.changes.sort_by_key(|change| change.key);
        for changes in self.changes.chunk_by(|one, next| one.key == next.key) {
            self.account(changes, found);
        }
        for &Flag { cause, returned, at } in &self.flags {
            if returned != self.returned.contains(&cause) && !self.unknown.contains(&cause) {
                found.add(at, "entry", "a return, and only a return, says that it is one");
            }
        }
        self.files(found);
        self.statements(found);
    }

    /// An account is changed as the events have it, and not before.
    fn account(&self, changes: &[Change], found: &mut Findings) {
        let &[Change { key: (cause, node, currency), .. }, ..] = changes else { return };
        if self.unknown.contains(&cause) {
            return;
        }
        let place = || format!("account of node {node} in {currency}");
        let of = |is_entry| sum(changes.iter().filter(|change| change.is_entry == is_entry));
        match (of(false), of(true)) {
            (Some((at, _)), None) => found.add(at, place(), "what this event does is entered on no account"),
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
                found.add(entered_at, place(), "it is entered before it is caused");
            }
            (Some(_) | None, Some(_)) | (None, None) => {}
        }
    }

    fn statements(&self, found: &mut Findings) {
        for (line, &Explained { at, clearing }) in &self.explained {
            match self.cleared.get(line) {
                None => found.add(at, "statement", "it explains a transaction that does not say so"),
                Some(cleared)
                    if cleared.custody != clearing.custody || !clearing.is_done_by(&cleared.postings) =>
                {
                    found.add(
                        cleared.at,
                        "statement",
                        "it is cleared by another amount or item than the statement's line",
                    );
                }
                Some(_) => {}
            }
        }
        for (line, cleared) in &self.cleared {
            if !self.explained.contains_key(line) {
                found.add(cleared.at, "statement", "it is cleared by a line that no statement has");
            }
        }
    }

    fn files(&self, found: &mut Findings) {
        for (leg, &Moved { at, minor }) in &self.cut {
            match self.submitted.get(leg) {
                None => found.add(at, "file", "it has a leg that does not say that it was submitted with it"),
                Some(submitted) if submitted.minor.is_some() && submitted.minor != minor => {
                    found.add(at, "file", "it has a leg with another amount than it moves");
                }
                Some(_) => {}
            }
        }
        for (leg, submitted) in &self.submitted {
            if !self.cut.contains_key(leg) {
                found.add(submitted.at, "file", "it was submitted with a file that does not have it");
            }
        }
    }
}

impl Clearing {
    /// Whether `postings` move what the line says: between the bank and the item, or within the item and its return.
    fn is_done_by(self, postings: &Postings) -> bool {
        let at_bank = |account| matches!(account, LedgerAccount::Bank(_));
        let moved = postings.lines().iter().filter(|line| at_bank(line.account));
        let moved: i128 = moved.map(|line| i128::from(line.amount)).sum();
        moved == i128::from(self.amount) && postings.lines().iter().any(|line| line.account == self.account)
    }
}
