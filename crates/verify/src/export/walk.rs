//! Walk over all lines of an export: checks their order, the growing tree, signatures and anchors.

use std::collections::BTreeSet;

use daybook_proof::{CommitRoot, Error, Frontier, Key, Signature};
use sha2::{Digest, Sha256};

use super::Anchor;
use super::line::CommitLine;
use super::manifest::Segment;
use crate::report::{Finding, Report};
use crate::wire::{EventRow, Sealed};

/// State of the walk. It keeps one path of the tree and no event.
pub(super) struct Walk<'a> {
    shard: i16,
    keys: &'a [Key],
    report: &'a mut Report,
    /// Anchors that are not reached yet, the largest first.
    anchors: Vec<Anchor>,
    origins: BTreeSet<&'a str>,
    /// Last position, and the time of the events of its commit.
    position: u64,
    recorded_at_us: Option<i64>,
    /// Number of the last commit, its last position, and its time.
    commit_no: u64,
    committed: u64,
    committed_at_us: i64,
    tree: Frontier,
    /// True after a leaf that is missing or wrong: no later root can be compared.
    is_broken: bool,
    signed: u64,
    /// Number of commits that are signed with a key that was not given, with number and key id of the first one.
    untrusted: Option<(u64, u64, u32)>,
    lacking_boxes: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(shard: i16, mut anchors: Vec<Anchor>, keys: &'a [Key], report: &'a mut Report) -> Self {
        anchors.sort_by_key(|anchor| std::cmp::Reverse(anchor.head.size));
        let mut walk = Self {
            shard,
            keys,
            report,
            anchors,
            origins: BTreeSet::new(),
            position: 0,
            recorded_at_us: None,
            commit_no: 0,
            committed: 0,
            committed_at_us: i64::MIN,
            tree: Frontier::default(),
            is_broken: false,
            signed: 0,
            untrusted: None,
            lacking_boxes: 0,
        };
        walk.anchors_here();
        walk
    }

    fn find(&mut self, position: u64, what: impl Into<String>) {
        let commit = self.commit_no.checked_add(1);
        self.report.find(Finding { commit, position: Some(position), what: what.into() });
    }

    /// Reports that a segment differs from the manifest.
    pub(super) fn fault(&mut self, segment: &Segment, what: &str) {
        let what = format!("segment {}: {what}", segment.file);
        let (commit, position) = (Some(segment.first_commit), Some(segment.first_position));
        self.report.find(Finding { commit, position, what });
    }

    /// Reports that a segment cannot be read at all.
    pub(super) fn skip(&mut self, segment: &Segment, what: &str) {
        self.fault(segment, what);
        self.is_broken = true;
        self.segment_ends_at(segment);
    }

    /// Reports that a line of a segment cannot be read.
    pub(super) fn unread(&mut self, segment: &Segment, number: u64, what: &str) {
        let what = format!("segment {}, line {number}: {what}", segment.file);
        self.find(self.position.saturating_add(1), what);
        self.is_broken = true;
    }

    /// Checks the end of a segment after all of its lines were read.
    pub(super) fn segment_ends(&mut self, segment: &Segment) {
        let is_whole = self.committed == self.position;
        if !is_whole || (self.position, self.commit_no) != (segment.last_position, segment.last_commit) {
            let (position, commit_no) = (self.position, self.commit_no);
            let what = format!("segment {} ends at position {position}, commit {commit_no}", segment.file);
            let what = format!("{what} and not where the manifest says, or not with a commit");
            self.find(self.committed.saturating_add(1), what);
            self.is_broken = true;
            self.segment_ends_at(segment);
        }
    }

    fn segment_ends_at(&mut self, segment: &Segment) {
        (self.position, self.commit_no) = (segment.last_position, segment.last_commit);
        (self.committed, self.recorded_at_us) = (self.position, None);
        self.anchors_here();
    }

    pub(super) fn event(&mut self, event: &EventRow) {
        let expected = self.position.saturating_add(1);
        if event.position != expected {
            self.find(expected, format!("position {} stands where {expected} should", event.position));
            self.is_broken = true;
        }
        self.position = event.position;
        let same_time = *self.recorded_at_us.get_or_insert(event.recorded_at_us) == event.recorded_at_us;
        if !same_time {
            self.find(event.position, "it is of another time than the event before it in its commit");
        }
        self.look_at_box(event);
        let Some(leaf) = event.line_leaf(self.shard) else {
            self.find(event.position, "the event has not the columns of a line");
            self.is_broken = true;
            return;
        };
        let hash = leaf.hash();
        self.tree.push(hash);
        let promised =
            |anchor: &&Anchor| anchor.leaf.is_some_and(|it| it.0 == event.position && it.1 != hash);
        if let Some(name) = self.anchors.iter().find(promised).map(|anchor| anchor.name.clone()) {
            self.find(event.position, format!("this is not the event that {name} promises at this position"));
        }
        self.anchors_here();
    }

    fn look_at_box(&mut self, event: &EventRow) {
        match (&event.sealed, event.sealed_hash) {
            (Some(Sealed::Here(sealed)), hash) => {
                let found = <[u8; 32]>::from(Sha256::digest(&sealed.0));
                if hash.is_none_or(|hash| hash.0 != found) {
                    self.find(event.position, "the box is not the one whose hash is in the log");
                }
            }
            (_, Some(_)) => self.lacking_boxes += 1,
            (_, None) => {}
        }
    }

    pub(super) fn commit(&mut self, commit: &CommitLine) {
        let first = self.committed.saturating_add(1);
        let expected = self.commit_no.saturating_add(1);
        if commit.commit_no != expected {
            self.find(first, format!("commit {} stands where {expected} should", commit.commit_no));
        }
        if commit.last_position != self.position || self.position < first {
            let what = format!("the commit ends at position {}", commit.last_position);
            self.find(first, format!("{what}, its events from {first} to {}", self.position));
            self.is_broken = true;
        }
        if self.recorded_at_us.take().is_some_and(|at| at != commit.recorded_at_us) {
            self.find(first, "the events are of another time than their commit");
        }
        if commit.recorded_at_us < self.committed_at_us {
            self.find(first, "the commit is of an earlier time than the one before it");
        }
        self.look_at_root(commit, first);
        self.look_at_signature(commit, first);
        (self.commit_no, self.committed) = (commit.commit_no, self.position);
        self.committed_at_us = commit.recorded_at_us;
    }

    fn look_at_root(&mut self, commit: &CommitLine, first: u64) {
        if self.is_broken {
            return;
        }
        if commit.root.is_none_or(|root| root.0 != self.tree.head().root) {
            let what =
                format!("the root is not that of the events {first} to {} and those before", self.position);
            self.find(first, what);
            self.is_broken = true;
        }
    }

    fn look_at_signature(&mut self, commit: &CommitLine, first: u64) {
        let key = commit.signature.as_ref().and_then(|signature| signature.0.first_chunk());
        match self.signed_by(commit) {
            Ok(origin) => {
                self.signed += 1;
                if self.origins.insert(origin) && self.origins.len() > 1 {
                    self.find(first, format!("the commit is signed for another log, {origin}"));
                }
            }
            Err(Error::UnknownKey) => {
                let key = key.copied().map(u32::from_be_bytes).unwrap_or_default();
                let (count, ..) = self.untrusted.get_or_insert((0, commit.commit_no, key));
                *count += 1;
            }
            Err(error) => self.find(first, format!("the commit: {error}")),
        }
    }

    /// Returns the origin of the log that signed a commit.
    fn signed_by(&self, commit: &CommitLine) -> Result<&'a str, Error> {
        let signature = commit.signature.as_ref().ok_or(Error::Malformed("a signed commit"))?;
        let signature =
            Signature::from_bytes(&signature.0).ok_or(Error::Malformed("a signature of 68 bytes"))?;
        let root = commit.root.ok_or(Error::Malformed("a commit with a root"))?.0;
        let root = CommitRoot {
            origin: String::new(),
            shard: self.shard,
            commit_no: commit.commit_no,
            batch: commit.batch.0,
            writer: commit.writer.0,
            recorded_at_us: commit.recorded_at_us,
            head: daybook_proof::TreeHead { size: commit.last_position, root },
        };
        Ok(root.signed_by(&signature, self.keys)?.name())
    }

    /// Compares the tree with every anchor of this size.
    fn anchors_here(&mut self) {
        while let Some(anchor) = self.anchors.pop_if(|anchor| anchor.head.size <= self.position) {
            let Anchor { name, head, .. } = anchor;
            if self.is_broken || head.size < self.position {
                let what = format!(
                    "whether the export is that of {name}: it is damaged before position {}",
                    head.size
                );
                self.report.open(what);
            } else if head == self.tree.head() {
                self.report.holds(format!("the first {} events are those of {name}", head.size));
            } else {
                let what = format!("A FORK: up to here these are not the {} events of {name}", head.size);
                self.find(self.position, what);
            }
            self.origins.extend(self.keys.iter().map(Key::name).find(|name| *name == anchor.origin));
        }
    }

    /// Ends the walk, after everything was read.
    pub(super) fn finish(mut self) {
        for anchor in std::mem::take(&mut self.anchors) {
            let Anchor { name, head, .. } = anchor;
            let what = format!("THE EXPORT IS CUT: it ends here, {name} has {} events", head.size);
            self.find(self.position.saturating_add(1), what);
        }
        if self.origins.len() > 1 {
            let origins: Vec<_> = self.origins.iter().copied().collect();
            self.report.wrong(format!("the signatures are of several logs: {}", origins.join(", ")));
        }
        let Self { report, position, commit_no, signed, untrusted, lacking_boxes, .. } = self;
        if let Some((count, first, key)) = untrusted {
            report.open(format!(
                "the signatures of {count} commits, the first of them commit {first}: the key {key:08x} was not given"
            ));
        }
        if lacking_boxes > 0 {
            report.limit(format!("{lacking_boxes} boxes that are not in the export: erased, or left out"));
        }
        if report.total() == 0 {
            report.holds(format!(
                "{position} events in {commit_no} commits, none missing between the first and the last"
            ));
            report.holds("every hash of the manifest, every line, and that each box there is hashes to what the log has");
            report.holds(format!(
                "the root of every commit, made anew from all events; {signed} signatures of these"
            ));
        }
        report.fact("events", position);
        report.fact("commits", commit_no);
        report.fact("lacking_boxes", lacking_boxes);
    }
}
