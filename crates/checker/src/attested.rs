//! Attestations: compares the root that an attestation states with the newest entries of the platform's accounts.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::event::Schema;
use daybook_domain::{AttestationId, Event, account, attestation};
use daybook_log::postgres::PostgresLog;
use daybook_log::{Error, Log, Shard};
use daybook_proof::last::{LastEntries, LastEntry, LastTree};
use daybook_proof::{Hash, TreeHead};
use uuid::Uuid;

use crate::check::CheckedEvent;
use crate::finding::{Finding, Findings};
use crate::ids::{Id, Ids};

/// A position of the log, and the platform whose accounts are meant.
type Moment = (u64, u128);

/// The newest entry of every account at the current position, and the trees that are computed from them.
#[derive(Debug, Default)]
pub(crate) struct Attested {
    /// Position and leaf hash of the newest entry, by platform and account.
    last: BTreeMap<u128, Ids<(u64, Hash)>>,
    /// Moments whose trees are still to be computed.
    wanted: BTreeSet<Moment>,
    /// Trees that were computed.
    trees: BTreeMap<Moment, TreeHead>,
    /// Position of the event that commits to each tree.
    committed: BTreeMap<Moment, u64>,
    /// Number of attestations that could not be checked.
    unchecked: u64,
}

impl Attested {
    /// Computes the trees of the moments `wanted`, and of no others.
    pub(crate) fn new(wanted: BTreeSet<Moment>) -> Self {
        Self { wanted, ..Self::default() }
    }

    pub(crate) fn event(&mut self, event: &CheckedEvent, found: &mut Findings) {
        self.settle(event.position);
        match &event.event {
            // After the last wanted moment no entries are needed.
            Some(Event::Account(account::Event::Entry(_))) if !self.wanted.is_empty() => {
                if let Some(leaf) = event.leaf {
                    let accounts = self.last.entry(event.platform).or_default();
                    accounts.insert(event.stream.into(), (event.position, leaf));
                }
            }
            Some(Event::Attestation(attestation::Event::Made(made))) => {
                for what in self.made(event, made) {
                    found.add(event.position, place(event.platform), what);
                }
            }
            _ => {}
        }
    }

    fn made(&mut self, event: &CheckedEvent, made: &attestation::Made) -> Vec<&'static str> {
        let moment = (made.position, event.platform);
        self.committed.insert(moment, event.position);
        if made.position >= event.position {
            return vec!["it is about a position that is not before it"];
        }
        let Some(head) = self.trees.get(&moment) else {
            self.unchecked += 1;
            return vec![];
        };
        let is_so = made.accounts == head.size && *made.root == *text(made.position, *head);
        if is_so {
            vec![]
        } else {
            vec!["it is not what the entries of its platform's accounts are up to there"]
        }
    }

    /// Computes the trees of all wanted moments before `position`.
    fn settle(&mut self, position: u64) {
        let is_past = |moment: &&Moment| moment.0 < position;
        while let Some(moment) = self.wanted.first().filter(is_past).copied() {
            self.wanted.remove(&moment);
            if let Some(head) = self.last.get(&moment.1).and_then(tree) {
                self.trees.insert(moment, head);
            }
        }
    }

    /// Describes the attestations that could not be checked; none if all were.
    pub(crate) fn unchecked(&self) -> Option<String> {
        (self.unchecked > 0).then(|| format!("{} attestations", self.unchecked))
    }

    /// Compares the stored trees with the computed ones and returns the inconsistencies. Stored trees are optional,
    /// because they can be computed from the events. `end` is the last position that was read.
    pub(crate) async fn compare(
        &mut self,
        log: &PostgresLog,
        shard: Shard,
        end: u64,
    ) -> Result<Vec<Finding>, Error> {
        self.settle(end + 1);
        let mut wrong = vec![];
        for tree in log.raw_trees(shard).await? {
            let (position, platform) = (tree.last.position, tree.platform.as_u128());
            let moment = (position, platform);
            let known = self.trees.get(&moment);
            let what = if tree.attested.is_some_and(|at| at <= end)
                && tree.attested != self.committed.get(&moment).copied()
            {
                Some("the event that commits to it is not at the position that it names")
            } else if position <= end && known.is_some_and(|head| *head != tree.last.head) {
                Some("it does not match the entries of the accounts")
            } else if position <= end && !log.is_whole(shard, &tree).await? {
                Some("its parts do not match its root")
            } else {
                None
            };
            if let Some(what) = what {
                let place = format!("tree of last entries {position} of platform {}", tree.platform);
                wrong.push(Finding { position: Some(position), place, what: what.to_owned() });
            }
        }
        Ok(wrong)
    }
}

/// Returns the moments of all trees that are attested or stored, up to the position `end`.
pub(crate) async fn wanted(log: &PostgresLog, shard: Shard, end: u64) -> Result<BTreeSet<Moment>, Error> {
    let streams: BTreeSet<Uuid> = log
        .of_type(shard, attestation::event::MADE, 0)
        .await?
        .into_iter()
        .map(|place| place.stream)
        .collect();
    let streams: Vec<_> = streams.into_iter().map(|stream| (stream, 0)).collect();
    let mut wanted = BTreeSet::new();
    for recorded in log.streams(shard, &streams).await? {
        // An event that cannot be decoded is reported when the walk reaches it.
        let stored = &recorded.event;
        let schema = Schema { event_type: stored.event_type, version: stored.schema_version };
        if let Ok(Event::Attestation(attestation::Event::Made(made))) =
            Event::decode(schema, &stored.data, None)
        {
            let platform = AttestationId::from(stored.stream).platform();
            wanted.insert((made.position, platform.as_u128()));
        }
    }
    wanted
        .extend(log.raw_trees(shard).await?.iter().map(|tree| (tree.last.position, tree.platform.as_u128())));
    wanted.retain(|(position, _)| *position <= end);
    Ok(wanted)
}

fn tree(accounts: &Ids<(u64, Hash)>) -> Option<TreeHead> {
    let entry = |(account, (position, leaf_hash)): (&Id, &(u64, Hash))| LastEntry {
        account: account.bytes(),
        position: *position,
        leaf_hash: *leaf_hash,
    };
    let mut entries: Vec<LastEntry> = accounts.iter().map(entry).collect();
    entries.sort_unstable_by_key(|entry| entry.account);
    Some(LastEntries::new(entries).ok()?.head())
}

fn text(position: u64, head: TreeHead) -> String {
    LastTree { position, head }.root_text()
}

fn place(platform: u128) -> String {
    format!("attestation of platform {}", daybook_domain::PlatformId::from_u128(platform))
}
