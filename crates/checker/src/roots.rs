//! Roots: every commit has the root of the tree of all events up to it, and is signed with it; what was given away as a
//! checkpoint is the head of that tree.

use std::collections::VecDeque;

use daybook_log::Shard;
use daybook_log::raw::{RawCommit, RawEvent};
use daybook_proof::{Frontier, Hash, Key, Signature, TreeHead};

use crate::check::Checked;
use crate::finding::Findings;
use crate::tiles::Tiles;

/// What whoever verifies trusts, and where it is from: never the database.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// Public keys; without any, no signature is checked, unless there may be none.
    pub keys: Vec<Key>,
    /// Whether commits before the first signed one need no signature. One that is there needs its key all the same.
    pub unsigned: bool,
    /// Further keys that the log is known to have: what one of them signed is not wrong, and not checked.
    pub others: Vec<Key>,
    /// Heads of the tree that were signed and given away: where each is kept, and what it says.
    pub heads: Vec<(String, TreeHead)>,
}

/// The tree as far as the log was read.
#[derive(Debug)]
pub(crate) struct Roots {
    shard: Shard,
    trust: Trust,
    /// None where it cannot be told: an event is missing, or has no leaf.
    tree: Option<Tiles>,
    /// Commits whose events are still to come.
    ahead: VecDeque<RawCommit>,
    /// Whether the newest commit has another root than its events: those after it have, too.
    is_broken: bool,
    /// Whether the rows are those of a bundle, which have no frontiers.
    of_bundle: bool,
    /// The name of the first key that signed.
    origin: Option<String>,
    /// Commits that were made without a root and have not got one since.
    rootless: u64,
    /// Where the first of these ends and its number, unless it was told of.
    first_rootless: Option<(u64, u64)>,
    /// How many events were signed for, as far as is trusted.
    given: u64,
    /// How many commits are signed with a key that was not given; number and key of the first.
    untrusted: Option<(u64, u64, u32)>,
}

impl Roots {
    /// Begins at this tree.
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

    /// Begins at the beginning of a bundle.
    pub(crate) fn of_bundle(shard: Shard, trust: Trust) -> Self {
        Self { of_bundle: true, ..Self::new(shard, Some(Frontier::default()), trust) }
    }

    /// Whether the rows are those of a bundle.
    pub(crate) fn is_of_bundle(&self) -> bool {
        self.of_bundle
    }

    pub(crate) fn take(&mut self, commit: &RawCommit) {
        // What does not end behind the one that it follows has no tree of its own, and is a finding already.
        let before = self.ahead.back().map(|commit| commit.last_position);
        let before = before.or_else(|| self.tree.as_ref().map(Tiles::size)).unwrap_or_default();
        if commit.last_position > before {
            self.ahead.push_back(commit.clone());
        }
    }

    pub(crate) fn event(&mut self, event: &Checked, found: &mut Findings) {
        let tree = self.tree.take().filter(|tree| tree.size() + 1 == event.position);
        self.tree = tree.zip(event.leaf).map(|(mut tree, leaf)| {
            tree.push(leaf);
            tree
        });
        let Some(tree) = &self.tree else {
            self.ahead.retain(|commit| commit.last_position > event.position);
            return;
        };
        // Only where somebody looks: a root costs as many hashes as the tree is high.
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
                found.add(at, place(), "it has no root, and its events were signed for");
            } else if self.rootless == 0 {
                self.first_rootless = Some((at, commit.commit_no));
            }
            self.rootless += 1;
            return;
        }
        if let Some((position, commit_no)) = self.first_rootless.take() {
            // Roots are given in order.
            found.add(position, format!("commit {commit_no}"), "it has no root, and one after it has");
        }
        let was_broken = self.is_broken;
        self.is_broken = commit.root.as_deref() != Some(head.root.as_slice());
        if self.is_broken && !was_broken {
            found.add(at, place(), "its root is not that of the events up to here: they were changed since");
        }
        if !self.of_bundle && commit.frontier.as_deref() != Some(hashes) && !self.is_broken {
            found.add(at, place(), "what the tree grows on from is not that of the events up to here");
        }
        if self.is_broken || (self.trust.keys.is_empty() && !self.trust.unsigned) {
            return;
        }
        self.signature(commit, head, found);
    }

    /// A commit of a bundle that nobody made a root of: nobody signed it, either.
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

    /// What was given away and is not there any more.
    pub(crate) fn finish(&self, position: u64, found: &mut Findings) {
        for (place, head) in self.trust.heads.iter().filter(|(_, head)| head.size > position) {
            let what = format!("it was signed for {} events: the log was cut after {position}", head.size);
            found.add(position + 1, place.clone(), what);
        }
    }

    /// The tiles that there have to be, if all leaves were read. Asked once, after everything else.
    pub(crate) fn take_tiles(&mut self) -> Option<Tiles> {
        self.tree.as_mut().map(std::mem::take)
    }

    /// What cannot be said.
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

/// The leaf of a row, if it has one.
pub(crate) fn leaf(raw: &RawEvent<impl AsRef<[u8]>>, shard: Shard) -> Option<Hash> {
    Some(raw.leaf(shard)?.hash())
}
