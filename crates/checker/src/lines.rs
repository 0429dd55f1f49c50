//! Lines of statements in one decision: each open item that a line names is cleared by its transaction, or opened again
//! if the line is taken back.

use std::collections::BTreeMap;

use daybook_domain::posting::{LedgerAccount, Postings};

use crate::finding::Findings;

/// A line of a statement: the transaction that it explains, and the line's id.
pub(crate) type Line = (u128, String);

/// The item that a statement's line clears: the custody, the open account, and the amount in minor units. For a line that
/// is taken back, the amount has the opposite sign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clearing {
    pub(crate) custody: u128,
    pub(crate) account: LedgerAccount,
    pub(crate) amount: i64,
    pub(crate) through: Through,
}

/// The account against which an item is cleared.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Through {
    /// The bank's: the line was matched when it was booked.
    Bank,
    /// Suspense: the line was matched later.
    Suspense,
}

/// Lines that statements state, and those by which transactions say that their items changed.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// Lines of statements, each with the position and the item.
    stated: BTreeMap<Line, (u64, Clearing)>,
    /// Lines that transactions name.
    named: BTreeMap<Line, Named>,
}

/// An event of a transaction at position `at` about an open item of a custody.
#[derive(Debug)]
struct Named {
    at: u64,
    custody: u128,
    postings: Postings,
}

impl Lines {
    /// Records a line of the statement at position `at`.
    pub(crate) fn state(&mut self, line: Line, clearing: Clearing, at: u64) {
        self.stated.insert(line, (at, clearing));
    }

    /// Records the event at position `at` by which a transaction names a line.
    pub(crate) fn name(&mut self, line: Line, custody: u128, postings: &Postings, at: u64) {
        self.named.insert(line, Named { at, custody, postings: postings.clone() });
    }

    pub(crate) fn clear(&mut self) {
        self.stated.clear();
        self.named.clear();
    }

    /// Checks that each line of a statement is named by its transaction, and the other way round. `done` is the word for
    /// the change of the item: cleared, or opened again.
    pub(crate) fn close(&self, done: &str, found: &mut Findings) {
        for (line, &(at, clearing)) in &self.stated {
            match self.named.get(line) {
                None => {
                    let what = format!("it explains a transaction that was not {done} by this line");
                    found.add(at, "statement", what);
                }
                Some(named) if named.custody != clearing.custody || !clearing.is_done_by(&named.postings) => {
                    let what = format!("it is {done} by another amount or item than the statement's line");
                    found.add(named.at, "statement", what);
                }
                Some(_) => {}
            }
        }
        for (_, named) in self.named.iter().filter(|(line, _)| !self.stated.contains_key(line)) {
            found.add(named.at, "statement", format!("it is {done} by a line that no statement has"));
        }
    }
}

impl Clearing {
    /// True if `postings` move the amount of the line: between the bank, or suspense, and the open item, or within the item
    /// and its return.
    fn is_done_by(self, postings: &Postings) -> bool {
        let is_through = |account| match self.through {
            Through::Bank => matches!(account, LedgerAccount::Bank(_)),
            Through::Suspense => account == LedgerAccount::Suspense,
        };
        let moved = postings.lines().iter().filter(|line| is_through(line.account));
        let moved: i128 = moved.map(|line| i128::from(line.amount)).sum();
        moved == i128::from(self.amount) && postings.lines().iter().any(|line| line.account == self.account)
    }
}
