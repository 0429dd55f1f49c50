//! The writer's cache of states, and the overlay of a batch that is being decided on it.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use daybook_domain::node::Node;
use daybook_domain::user::document::{Document, SubDocument};
use daybook_domain::{Fact, Key, PlatformId, Sealed, State, States, Timestamp};
use daybook_projector::Happened;
use lru::LruCache;

use crate::error::Failure;

/// What an aggregate occupies beside its state: the entry of the map, a key to find it by, the counters of who shares it, and
/// what an allocator rounds up.
const ENTRY_BYTES: usize = size_of::<(Key, Slot)>() + 80;
/// What the texts of a part of a document occupy.
const PART_TEXT_BYTES: usize = 64;
/// More states than a batch ever looks at.
const BATCH: NonZeroUsize = NonZeroUsize::new(1 << 16).unwrap();

/// An aggregate as far as it has come; no state at version 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slot {
    pub version: u32,
    pub state: Option<State>,
}

impl Slot {
    /// Folds the event that makes this `version + 1`.
    fn fold(&mut self, event: &daybook_domain::Event, at: Timestamp) -> Result<(), Failure> {
        match &mut self.state {
            Some(state) => state.evolve(event, at)?,
            None => self.state = Some(State::begin(event, at)?),
        }
        self.version += 1;
        Ok(())
    }

    /// About how many bytes it occupies.
    fn weight(&self) -> usize {
        let weigh = |sealed: &Option<Sealed>| sealed.as_ref().map_or(0, |sealed| sealed.bytes.len());
        let held = match &self.state {
            Some(State::Platform(platform)) => size_of_val(&**platform),
            Some(State::User(user)) => {
                let document = |document: &Document| {
                    let part_bytes = size_of::<SubDocument>() + PART_TEXT_BYTES;
                    size_of::<Document>() + document.parts.len() * part_bytes + weigh(&document.contents)
                };
                let documents: usize = user.documents.iter().map(document).sum();
                size_of_val(&**user) + documents + weigh(&user.profile)
            }
            Some(State::Node(node)) => size_of_val(&**node) + weigh(&node.details),
            Some(State::Account(account)) => size_of_val(&**account),
            Some(State::Transaction(transaction)) => {
                size_of_val(&**transaction) + weigh(&transaction.details)
            }
            Some(State::Custody(custody)) => size_of_val(&**custody),
            Some(State::Operation(operation)) => size_of_val(&**operation),
            Some(State::Subnet(subnet)) => size_of_val(&**subnet) + weigh(&subnet.details),
            Some(State::Subscription(subscription)) => {
                size_of_val(&**subscription) + weigh(&subscription.url)
            }
            Some(State::Attachment(attachment)) => size_of_val(&**attachment),
            Some(State::Attestation(attestation)) => size_of_val(&**attestation),
            None => 0,
        };
        ENTRY_BYTES + held
    }
}

/// Least recently used states, bounded by memory. Trimmed between batches, so that what a batch needs stays.
pub(crate) struct Cache {
    slots: LruCache<Key, Slot>,
    weight: usize,
    /// What it may weigh between batches.
    cap: usize,
}

impl Cache {
    /// An empty one for `cap` approximate bytes. There is room for as many nodes without a box as fit, from the beginning: to
    /// move 100,000 into a larger map would keep everybody waiting for 30 ms.
    pub(crate) fn new(cap: usize) -> Self {
        let slots = BATCH.saturating_add(cap / (ENTRY_BYTES + size_of::<Node>()));
        Self { slots: LruCache::new(slots), weight: 0, cap }
    }

    /// Whether `key` is there, be it as an aggregate that does not exist; marks it as used.
    pub(crate) fn touch(&mut self, key: Key) -> bool {
        self.slots.get(&key).is_some()
    }

    pub(crate) fn peek(&self, key: Key) -> Option<&Slot> {
        self.slots.peek(&key)
    }

    pub(crate) fn put(&mut self, key: Key, slot: Slot) {
        self.weight += slot.weight();
        if let Some((_, old)) = self.slots.push(key, slot) {
            self.weight -= old.weight();
        }
    }

    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.weight = 0;
    }

    /// Folds what another process appended; a slot with a gap is dropped and read anew when needed.
    pub(crate) fn observe(&mut self, happened: &Happened) -> Result<(), Failure> {
        let Some(slot) = self.slots.peek(&happened.key) else { return Ok(()) };
        if happened.version <= slot.version {
            return Ok(());
        }
        let mut slot = slot.clone();
        if happened.version == slot.version + 1 {
            slot.fold(&happened.event, happened.effective_at)?;
            self.put(happened.key, slot);
        } else {
            self.forget(happened.key);
        }
        Ok(())
    }

    /// Drops a slot; it is read anew when needed.
    pub(crate) fn forget(&mut self, key: Key) {
        if let Some(slot) = self.slots.pop(&key) {
            self.weight -= slot.weight();
        }
    }

    /// Drops the least recently used until the rest fits.
    pub(crate) fn trim(&mut self) {
        while self.weight > self.cap {
            let Some((_, slot)) = self.slots.pop_lru() else { break };
            self.weight -= slot.weight();
        }
    }
}

/// What a batch changed. Looked into dozens of times for each command, so hashed as fast as the cache is.
pub(crate) type Changes = HashMap<Key, Slot, lru::DefaultHasher>;

/// The cache with the changes of a batch that is not committed yet on top.
pub(crate) struct Overlay<'a> {
    base: &'a Cache,
    changed: Changes,
    /// What each change replaced, oldest first: the way back. To copy all that changed before each call would make a batch
    /// dearer by the square of its length.
    replaced: Vec<(Key, Option<Slot>)>,
}

impl<'a> Overlay<'a> {
    pub(crate) fn new(base: &'a Cache) -> Self {
        Self { base, changed: Changes::default(), replaced: Vec::new() }
    }

    pub(crate) fn slot(&self, key: Key) -> Option<&Slot> {
        self.changed.get(&key).or_else(|| self.base.peek(key))
    }

    /// Folds one decision's facts about `subject`, all or none; answers the version that each makes, and the subject's
    /// platform.
    pub(crate) fn record(
        &mut self,
        subject: Key,
        facts: &[Fact],
        at: Timestamp,
    ) -> Result<(Vec<u32>, PlatformId), Failure> {
        let mut staged: Vec<(Key, Slot)> = Vec::new();
        let mut versions = Vec::with_capacity(facts.len());
        for fact in facts {
            let known = staged.iter().position(|(key, _)| *key == fact.key);
            let place = known.unwrap_or(staged.len());
            if known.is_none() {
                let slot = self.slot(fact.key).cloned().ok_or(Failure::Unread(fact.key))?;
                staged.push((fact.key, slot));
            }
            let slot = &mut staged[place].1;
            slot.fold(&fact.event, fact.effective_at.unwrap_or(at))?;
            versions.push(slot.version);
        }
        let slot = staged.iter().find(|(key, _)| *key == subject).map(|(_, slot)| slot);
        let state = slot.or_else(|| self.slot(subject)).and_then(|slot| slot.state.as_ref());
        let platform = state.and_then(|state| state.platform(subject)).ok_or(Failure::Unread(subject))?;
        for (key, slot) in staged {
            self.replaced.push((key, self.changed.insert(key, slot)));
        }
        Ok((versions, platform))
    }

    /// How much changed so far, to come back to.
    pub(crate) fn changes(&self) -> usize {
        self.replaced.len()
    }

    /// Forgets what changed since [`Overlay::changes`] answered this.
    pub(crate) fn go_back(&mut self, changes: usize) {
        for (key, before) in self.replaced.drain(changes..).rev() {
            match before {
                Some(slot) => drop(self.changed.insert(key, slot)),
                None => drop(self.changed.remove(&key)),
            }
        }
    }

    /// What changed, to be merged into the cache once it is committed.
    pub(crate) fn into_changes(self) -> Changes {
        self.changed
    }
}

impl States for Overlay<'_> {
    fn state(&self, key: Key) -> Option<&State> {
        self.slot(key)?.state.as_ref()
    }
}
