//! Roots: checks that every commit has the Merkle root of all events up to its end and a signature of it, and that
//! every checkpoint that was given away matches the tree.

use std::collections::VecDeque;

use daybook_log::Shard;
use daybook_log::raw::{RawCommit, RawEvent};
use daybook_proof::{Frontier, Hash, Key, Signature, TreeHead};

use crate::check::CheckedEvent;
use crate::finding::Findings;
use crate::tiles::Tiles;

/// The data that the caller trusts. None of it comes from the database.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// Trusted public keys. Without any, signatures are checked only if `unsigned` is true.
    pub keys: Vec<Key>,
    /// True if commits before the first signed one need no signature. A signature that is present still needs its key.
    pub unsigned: bool,
    /// Further public keys of the log. A signature of one of them is neither wrong nor checked: it is reported as
    /// unchecked.
    pub others: Vec<Key>,
    /// Signed tree heads that were given away: the place at which each is kept, and its content.
    pub heads: Vec<(String, TreeHead)>,
}

/// The hash tree of the events that were read.
#[derive(Debug)]
pub(crate) struct Roots {
    shard: Shard,
    trust: Trust,
    /// None if it cannot be computed: an event is missing or has no leaf.
    tree: Option<Tiles>,
    /// Commits whose events are still to come.
    ahead: VecDeque<RawCommit>,
    /// True if the root of the newest commit differs from its events. The roots of later commits then differ as well.
    is_broken: bool,
    /// True if the rows are those of a bundle. Bundles contain no frontiers.
    of_bundle: bool,
    /// Name of the first key that signed.
    origin: Option<String>,
    /// Number of commits without a root.
    rootless: u64,
    /// Last position and number of the first commit without a root; none after it was reported.
    first_rootless: Option<(u64, u64)>,
    /// Largest size of a trusted tree head.
    given: u64,
    /// Number of commits that are signed with a key of `others`, and number and key id of the first.
    untrusted: Option<(u64, u64, u32)>,
}

impl Roots {
    /// Starts with the tree of `frontier`.
    pub(crate) fn new(shard: Shard, frontier: Option<Frontier>, mut trust: Trust) -> Self {
        trust.heads.sort_by_key(|(_, head)| std::cmp::Reverse(head.size));
        let given = trust.heads.first().map_or(0, |(_, head)| head.size);
        Self {
            shard,
            trust,
            tree: frontier.and_then(|frontier| Tiles::of(&frontier)),
            ahead: VecDeque::new(),
            is_broken: false,
            of_bundle: false,
            origin: None,
            rootless: 0,
            first_rootless: None,
            given,
            untrusted: None,
        }
    }

    /// Starts at the beginning of a bundle.
    pub(crate) fn of_bundle(shard: Shard, trust: Trust) -> Self {
        Self { of_bundle: true, ..Self::new(shard, Some(Frontier::default()), trust) }
    }

    /// True if the rows are those of a bundle.
    pub(crate) fn is_of_bundle(&self) -> bool {
        self.of_bundle
    }

    pub(crate) fn take(&mut self, commit: &RawCommit) {
        // A commit that does not end after the one before it has no tree of its own. It is reported elsewhere.
        let before = self.ahead.back().map(|commit| commit.last_position);
        let before = before.or_else(|| self.tree.as_ref().map(Tiles::size)).unwrap_or_default();
        if commit.last_position > before {
            self.ahead.push_back(commit.clone());
        }
    }

    pub(crate) fn event(&mut self, event: &CheckedEvent, found: &mut Findings) {
        let tree = self.tree.take().filter(|tree| tree.size() + 1 == event.position);
        self.tree = tree.zip(event.leaf).map(|(mut tree, leaf)| {
            tree.push(leaf);
            tree
        });
        let Some(tree) = &self.tree else {
            self.ahead.retain(|commit| commit.last_position > event.position);
            return;
        };
        // Computes the root only at the end of a commit or at a trusted head: it costs as many hashes as the tree has
        // levels.
        let is_asked = self.trust.heads.last().is_some_and(|(_, head)| head.size <= event.position);
        let is_end = self.ahead.front().is_some_and(|commit| commit.last_position <= event.position);
        if !is_asked && !is_end {
            return;
        }
        let Some(frontier) = tree.frontier() else { return };
        let (head, hashes) = (frontier.head(), frontier.hashes().concat());
        while let Some((place, kept)) = self.trust.heads.pop_if(|(_, kept)| kept.size <= event.position) {
            if kept.size == head.size && kept.root != head.root {
                found.add(kept.size, place, "it was signed for other events than the log has up to here");
            }
        }
        if let Some(commit) = self.ahead.pop_front_if(|commit| commit.last_position <= event.position) {
            self.commit(&commit, head, &hashes, found);
        }
    }

    fn commit(&mut self, commit: &RawCommit, head: TreeHead, hashes: &[u8], found: &mut Findings) {
        let place = || format!("commit {}", commit.commit_no);
        let at = head.size;
        if commit.root.is_none() && commit.frontier.is_none() {
            if self.of_bundle {
                self.without_root(commit, head, found);
                return;
            }
            if self.rootless == 0 && at <= self.given {
                found.add(at, place(), "it has no root, although a signed checkpoint covers its events");
            } else if self.rootless == 0 {
                self.first_rootless = Some((at, commit.commit_no));
            }
            self.rootless += 1;
            return;
        }
        if let Some((position, commit_no)) = self.first_rootless.take() {
            // Commits get their roots in order.
            found.add(
                position,
                format!("commit {commit_no}"),
                "it has no root, although a later commit has one",
            );
        }
        let was_broken = self.is_broken;
        self.is_broken = commit.root.as_deref() != Some(head.root.as_slice());
        if self.is_broken && !was_broken {
            found.add(at, place(), "its root is not that of the events up to here: they were changed since");
        }
        if !self.of_bundle && commit.frontier.as_deref() != Some(hashes) && !self.is_broken {
            found.add(at, place(), "its frontier is not that of the events up to here");
        }
        if self.is_broken || (self.trust.keys.is_empty() && !self.trust.unsigned) {
            return;
        }
        self.signature(commit, head, found);
    }

    /// Checks a commit of a bundle that has no root and therefore no signature.
    fn without_root(&mut self, commit: &RawCommit, head: TreeHead, found: &mut Findings) {
        if commit.signature.is_some() || self.origin.is_some() || !self.trust.unsigned {
            found.add(
                head.size,
                format!("commit {}", commit.commit_no),
                "it has no root, and so nobody signed it",
            );
        }
    }

    fn signature(&mut self, commit: &RawCommit, head: TreeHead, found: &mut Findings) {
        let place = || format!("commit {}", commit.commit_no);
        let at = head.size;
        let signature = match commit.signature.as_deref() {
            None if self.trust.unsigned && self.origin.is_none() => return,
            signature => signature.and_then(Signature::from_bytes),
        };
        let Some(signature) = signature else {
            found.add(at, place(), "it is not signed");
            return;
        };
        let root = commit.root("", self.shard, head);
        match root.signed_by(&signature, &self.trust.keys) {
            Ok(key) => {
                let origin = self.origin.get_or_insert_with(|| key.name().to_owned());
                if origin != key.name() {
                    found.add(at, place(), format!("it is signed for another log, {}", key.name()));
                }
            }
            Err(_) if root.signed_by(&signature, &self.trust.others).is_ok() => {
                let key = u32::from_be_bytes(signature.key_id);
                let (count, ..) = self.untrusted.get_or_insert((0, commit.commit_no, key));
                *count += 1;
            }
            Err(_) => found.add(at, place(), "its signature is not that of a key that is trusted"),
        }
    }

    /// Reports the trusted heads beyond the last position: the log was cut.
    pub(crate) fn finish(&self, position: u64, found: &mut Findings) {
        for (place, head) in self.trust.heads.iter().filter(|(_, head)| head.size > position) {
            let what = format!("it was signed for {} events: the log was cut after {position}", head.size);
            found.add(position + 1, place.clone(), what);
        }
    }

    /// Returns the tiles of the leaves that were read; none if the tree cannot be computed. Called once, at the end.
    pub(crate) fn take_tiles(&mut self) -> Option<Tiles> {
        self.tree.as_mut().map(std::mem::take)
    }

    /// Describes the parts that could not be checked.
    pub(crate) fn unchecked(&self) -> Vec<String> {
        let rootless = || {
            format!("{} commits have no root yet: the service gives them one when it starts", self.rootless)
        };
        let untrusted = |(count, first, key)| {
            format!(
                "the signatures of {count} commits, the first of them commit {first}: the key {key:08x} was not given"
            )
        };
        let tree = || "from where an event is missing or has no leaf: the hash tree".to_owned();
        let unchecked = [
            (self.rootless > 0).then(rootless),
            self.untrusted.map(untrusted),
            self.tree.is_none().then(tree),
        ];
        unchecked.into_iter().flatten().collect()
    }
}

/// Returns the leaf hash of a row; none if the row has no leaf.
pub(crate) fn leaf(raw: &RawEvent<impl AsRef<[u8]>>, shard: Shard) -> Option<Hash> {
    Some(raw.leaf(shard)?.hash())
}
