//! Verification: everything that a log says about itself, checked by folding it once from the beginning.
//!
//! Positions, commits and streams have no holes; every event decodes and is, byte for byte, what it is written as; every
//! box is the one that was hashed; every stream begins as its kind does; every entry follows from the one before it and
//! from the postings of its decision; every transaction goes from state to state as the rules have it, with its money
//! where that state says.
//!
//! Pure: whoever calls it brings the rows. It compares nothing with what was folded elsewhere, and it cannot see a
//! history that was rewritten so that all of this still holds.

#![warn(clippy::wildcard_enum_match_arm)]

mod accounts;
mod attested;
mod books;
mod check;
mod commits;
mod decision;
mod finding;
mod ids;
mod payments;
mod roots;
mod stream;
mod tiles;
mod walk;

use std::collections::BTreeSet;

use daybook_domain::{Kind, NodeId};
use daybook_log::Shard;
use daybook_log::raw::{RawCommit, RawEvent};
use daybook_proof::Frontier;

use crate::accounts::Accounts;
use crate::attested::Attested;
use crate::books::Books;
pub use crate::check::Checked;
use crate::commits::Commits;
use crate::decision::Decision;
pub use crate::finding::Finding;
use crate::finding::Findings;
use crate::ids::Ids;
use crate::payments::Payments;
use crate::roots::Roots;
pub use crate::roots::Trust;
use crate::tiles::Tiles;
pub use crate::walk::{Walk, walk};

/// What came of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many events were read.
    pub events: u64,
    /// How many commits were read.
    pub commits: u64,
    /// How many streams the events were of.
    pub streams: u64,
    /// How many events have the hash of a box that was not read with them.
    pub lacking_boxes: u64,
    /// What is wrong, in order of position; at most a thousand.
    pub findings: Vec<Finding>,
    /// How many findings there were in all.
    pub total: u64,
    /// What was not checked. Anything here means that an empty list of findings is no proof.
    pub unchecked: Vec<String>,
}

/// Folds a log and notes what is not as it must be. Memory grows with the streams: about 100 bytes each, 200 more for
/// a transaction that is under way, and 80 for an account.
#[derive(Debug)]
pub struct Verifier {
    position: u64,
    /// Whether the log is read from its beginning.
    is_whole: bool,
    events: u64,
    lacking_boxes: u64,
    commits: Commits,
    streams: Ids<Stream>,
    /// Of nodes.
    owners: Ids<ids::Id>,
    accounts: Accounts,
    payments: Payments,
    books: Books,
    decision: Decision,
    /// Which decision that is: commit and command.
    deciding: (u64, Option<u128>),
    /// The hash tree, if it is looked at.
    roots: Option<Roots>,
    attested: Attested,
    found: Findings,
}

/// What is known of a stream.
#[derive(Clone, Copy, Debug)]
struct Stream {
    platform: ids::Id,
    version: i32,
    kind: Kind,
    /// Whether all of its events could be read.
    is_whole: bool,
}

impl Default for Verifier {
    fn default() -> Self {
        Self::new()
    }
}

impl Verifier {
    /// Begins at the beginning.
    #[must_use]
    pub fn new() -> Self {
        Self::after(0, 0)
    }

    /// Begins after the commit `commit_no`, which ends at `position`. What began before is taken as it is found.
    #[must_use]
    pub fn after(commit_no: u64, position: u64) -> Self {
        Self {
            position,
            is_whole: position == 0,
            events: 0,
            lacking_boxes: 0,
            commits: Commits::after(commit_no, position),
            streams: Ids::default(),
            owners: Ids::default(),
            accounts: Accounts::default(),
            payments: Payments::default(),
            books: Books::default(),
            decision: Decision::default(),
            deciding: (0, None),
            roots: None,
            attested: Attested::default(),
            found: Findings::default(),
        }
    }

    /// Computes the hash tree, too, from `frontier` on, and compares it with what commits and `trust` say; without a
    /// frontier nothing is known of it.
    #[must_use]
    pub fn with_roots(self, shard: Shard, frontier: Option<Frontier>, trust: Trust) -> Self {
        Self { roots: Some(Roots::new(shard, frontier, trust)), ..self }
    }

    /// Computes the hash tree of a bundle from its beginning, and compares it with what its commits and `trust` say. What is
    /// attested is not held against the entries: the moments to look at are rows of a database.
    #[must_use]
    pub fn of_bundle(shard: Shard, trust: Trust) -> Self {
        Self { roots: Some(Roots::of_bundle(shard, trust)), ..Self::new() }
    }

    /// Folds the next rows. Both in order; commits may be ahead of the events and must not be behind them.
    pub fn page(&mut self, shard: Shard, events: &[RawEvent], commits: &[RawCommit]) {
        self.commits(commits);
        for event in events {
            self.event(&Checked::of(event, shard));
        }
    }

    /// Takes commits whose events come next.
    pub fn commits(&mut self, commits: &[RawCommit]) {
        for commit in commits {
            self.commits.take(commit, &mut self.found);
            if let Some(roots) = &mut self.roots {
                roots.take(commit);
            }
        }
    }

    /// The last position of the commits that were taken.
    #[must_use]
    pub const fn commits_end(&self) -> u64 {
        self.commits.end()
    }

    /// Folds the next event, which was looked at by itself already.
    pub fn event(&mut self, event: &Checked) {
        self.events += 1;
        self.lacking_boxes += u64::from(event.lacks_box);
        self.follows(event.position);
        let commit_no = self.commits.of(event, &mut self.found).map_or(0, |commit| commit.commit_no);
        if (commit_no, event.cause) != self.deciding {
            self.close();
            self.deciding = (commit_no, event.cause);
        }
        let name =
            || event.kind.map_or_else(|| "stream".to_owned(), |kind| format!("{kind:?}").to_lowercase());
        let place = || format!("{} {}", name(), NodeId::from_u128(event.stream));
        for what in &event.wrong {
            self.found.add(event.position, place(), what);
        }
        for what in self.stream(event) {
            self.found.add(event.position, place(), what);
        }
        if let Some(roots) = &mut self.roots {
            roots.event(event, &mut self.found);
        }
        if self.is_whole {
            self.attested.event(event, &mut self.found);
        }
    }

    /// What is wrong although no event shows it.
    pub fn note(&mut self, finding: Finding) {
        self.found.take(finding);
    }

    /// What was found so far, in the order in which it was found. At the end of a commit nothing about what came before
    /// is still to be found.
    pub fn findings(&mut self) -> &[Finding] {
        self.close();
        self.deciding = (0, None);
        self.found.kept()
    }

    /// The tiles that there have to be, if all of the log was read. Asked once, at the end.
    fn take_tiles(&mut self) -> Option<Tiles> {
        self.roots.as_mut().filter(|_| self.is_whole)?.take_tiles()
    }

    /// Holds against the entries what is attested at these positions, each with its platform.
    fn with_attested(self, moments: BTreeSet<(u64, u128)>) -> Self {
        Self { attested: Attested::new(moments), ..self }
    }

    /// What the accounts of each platform had, if all of the log was read.
    fn attested(&mut self) -> Option<&mut Attested> {
        self.is_whole.then_some(&mut self.attested)
    }

    /// Ends at the end of the log.
    #[must_use]
    pub fn finish(mut self) -> Report {
        self.close();
        if self.commits.end() > self.position {
            let what = format!("the log ends here, its commits at {}", self.commits.end());
            self.found.add(self.position + 1, "end of the log", what);
        }
        let part = "what happened before the first position that was read, and whatever follows from it";
        let mut unchecked = if self.is_whole { vec![] } else { vec![part.to_owned()] };
        if let Some(roots) = &self.roots {
            roots.finish(self.position, &mut self.found);
            unchecked.extend(roots.unchecked());
        }
        if !self.roots.as_ref().is_some_and(Roots::is_of_bundle) {
            unchecked.extend(self.attested.unchecked());
        }
        let (findings, total) = self.found.finish();
        Report {
            events: self.events,
            commits: self.commits.count(),
            streams: self.streams.len() as u64,
            lacking_boxes: self.lacking_boxes,
            findings,
            total,
            unchecked,
        }
    }

    fn follows(&mut self, position: u64) {
        let expected = self.position + 1;
        if position > expected {
            let what = format!("positions {expected} to {} are missing", position - 1);
            self.found.add(expected, "log", what);
        } else if position < expected {
            self.found.add(position, "log", "this position comes twice");
        }
        self.position = position.max(self.position);
    }

    fn close(&mut self) {
        self.decision.close(&mut self.found);
        for (position, what) in self.books.close(&self.decision) {
            self.found.add(position, "bank", what);
        }
        self.decision.clear();
    }
}
