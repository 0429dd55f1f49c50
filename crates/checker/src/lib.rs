//! Verification of a log: checks the consistency of its events by one fold from the beginning.
//!
//! The checks, in the terms of `docs/EVENT-SOURCING.md`:
//!
//! - positions, commits and stream versions have no gaps, and times never decrease;
//! - every event decodes, and encoding it again gives the same bytes; every sealed field (box) matches its hash;
//! - every stream begins with an event that creates an aggregate of its kind;
//! - every entry of an account continues the entry before it, and equals the postings, holds and announcements of the
//!   command that caused it;
//! - every transaction follows the state machine of its status, and its money is at the accounts that the status
//!   requires;
//! - every commit has the root of the Merkle tree and a trusted signature; tiles and attestations match the events.
//!
//! [`Verifier`] is pure: its caller supplies the rows. [`walk`] reads them from PostgreSQL. The crate does not compare
//! the log with read models; `daybook_projector` does. It cannot detect a history that was rewritten as a whole and is
//! consistent in itself: for that, [`Trust`] takes signed tree heads that are kept outside the database.
//!
//! # Example
//!
//! Verifies the log of a database, with its boxes and without trusted keys:
//!
//! ```no_run
//! use daybook_checker::{Trust, Walk, walk};
//! use daybook_log::Error;
//! use daybook_log::postgres::PostgresLog;
//!
//! async fn is_consistent(log: &PostgresLog) -> Result<bool, Error> {
//!     let options = Walk { shard: 1, from: 1, boxes: true, trust: Trust::default() };
//!     let report = walk(log, options, |_position| {}).await?;
//!     Ok(report.total == 0 && report.unchecked.is_empty())
//! }
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

mod accounts;
mod attested;
mod books;
mod breaks;
mod check;
mod commits;
mod decision;
mod finding;
mod ids;
mod lines;
mod payments;
mod roots;
mod statements;
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
use crate::breaks::Breaks;
pub use crate::check::CheckedEvent;
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

/// Result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of events that were read.
    pub events: u64,
    /// Number of commits that were read.
    pub commits: u64,
    /// Number of streams to which the events belong.
    pub streams: u64,
    /// Number of events that have the hash of a box which was not read with them.
    pub lacking_boxes: u64,
    /// The inconsistencies in order of position; at most 1,000.
    pub findings: Vec<Finding>,
    /// Total number of findings, including those that are not listed.
    pub total: u64,
    /// Descriptions of the parts that were not checked. If there is any, an empty list of findings is no proof.
    pub unchecked: Vec<String>,
}

/// Folds a log and collects its inconsistencies. Memory grows with the number of streams: about 100 bytes for each, 200
/// more for a transaction that is under way, and 80 for an account.
#[derive(Debug)]
pub struct Verifier {
    position: u64,
    /// True if the log is read from its beginning.
    is_whole: bool,
    events: u64,
    lacking_boxes: u64,
    commits: Commits,
    streams: Ids<Stream>,
    /// Owner of each node.
    owners: Ids<ids::Id>,
    accounts: Accounts,
    payments: Payments,
    breaks: Breaks,
    books: Books,
    decision: Decision,
    /// Commit number and cause of the current decision.
    deciding: (u64, Option<u128>),
    /// The hash tree; none if it is not checked.
    roots: Option<Roots>,
    attested: Attested,
    found: Findings,
}

/// State of a stream.
#[derive(Clone, Copy, Debug)]
struct Stream {
    platform: ids::Id,
    version: i32,
    kind: Kind,
    /// True if all of its events could be read.
    is_whole: bool,
}

impl Default for Verifier {
    fn default() -> Self {
        Self::new()
    }
}

impl Verifier {
    /// Starts at the beginning of the log.
    #[must_use]
    pub fn new() -> Self {
        Self::after(0, 0)
    }

    /// Starts after the commit `commit_no`, which ends at `position`. Aggregates that began earlier are accepted as
    /// they are.
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
            breaks: Breaks::default(),
            books: Books::default(),
            decision: Decision::default(),
            deciding: (0, None),
            roots: None,
            attested: Attested::default(),
            found: Findings::default(),
        }
    }

    /// Computes the hash tree as well, from `frontier` on, and compares it with the commits and with `trust`. Without a
    /// frontier the tree cannot be checked.
    #[must_use]
    pub fn with_roots(self, shard: Shard, frontier: Option<Frontier>, trust: Trust) -> Self {
        Self { roots: Some(Roots::new(shard, frontier, trust)), ..self }
    }

    /// Computes the hash tree of a bundle from its beginning, and compares it with the commits and with `trust`.
    /// Attestations are not compared with the entries: the moments to compare are rows of a database.
    #[must_use]
    pub fn of_bundle(shard: Shard, trust: Trust) -> Self {
        Self { roots: Some(Roots::of_bundle(shard, trust)), ..Self::new() }
    }

    /// Folds the next rows. Events and commits come in order. Commits may be ahead of the events, but not behind them.
    pub fn page(&mut self, shard: Shard, events: &[RawEvent], commits: &[RawCommit]) {
        self.commits(commits);
        for event in events {
            self.event(&CheckedEvent::of(event, shard));
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

    /// Returns the last position of the commits that were taken.
    #[must_use]
    pub const fn commits_end(&self) -> u64 {
        self.commits.end()
    }

    /// Folds the next event, which was already checked by itself.
    pub fn event(&mut self, event: &CheckedEvent) {
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

    /// Adds an inconsistency that no event shows.
    pub fn note(&mut self, finding: Finding) {
        self.found.take(finding);
    }

    /// Returns the findings so far, in the order in which they were made. At the end of a commit they are complete for
    /// all events before it.
    pub fn findings(&mut self) -> &[Finding] {
        self.close();
        self.deciding = (0, None);
        self.found.kept()
    }

    /// Returns the tiles as they have to be, if the whole log was read. Called once, at the end.
    fn take_tiles(&mut self) -> Option<Tiles> {
        self.roots.as_mut().filter(|_| self.is_whole)?.take_tiles()
    }

    /// Compares the attestations of these moments, each a position and a platform, with the entries.
    fn with_attested(self, moments: BTreeSet<(u64, u128)>) -> Self {
        Self { attested: Attested::new(moments), ..self }
    }

    /// Returns the state of the attestations, if the whole log was read.
    fn attested(&mut self) -> Option<&mut Attested> {
        self.is_whole.then_some(&mut self.attested)
    }

    /// Ends the verification and returns its report.
    #[must_use]
    pub fn finish(mut self) -> Report {
        self.close();
        if self.commits.end() > self.position {
            let what = format!("the events end here, but the commits at {}", self.commits.end());
            self.found.add(self.position + 1, "end of the log", what);
        }
        let part = "events before the first position that was read, and all checks that depend on them";
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
            self.found.add(position, "log", "this position occurs twice");
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
