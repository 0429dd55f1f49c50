//! The writer's cache of states, and the overlay with the uncommitted changes of a batch.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use daybook_domain::node::Node;
use daybook_domain::roles::Grant;
use daybook_domain::user::document::{Document, SubDocument};
use daybook_domain::{Key, NewEvent, PlatformId, Sealed, State, States, Timestamp};
use daybook_projector::RecordedEvent;
use lru::LruCache;

use crate::error::Failure;

/// Approximate bytes of a cache entry besides its state: the map entry, the key, the reference counts and the rounding
/// of the allocator.
const ENTRY_BYTES: usize = size_of::<(Key, Slot)>() + 80;
/// Approximate bytes of the texts in a part of a document.
const PART_TEXT_BYTES: usize = 64;
/// Capacity reserved for a batch: more states than one batch ever reads.
const MAX_STATES_PER_BATCH: NonZeroUsize = NonZeroUsize::new(1 << 16).unwrap();

/// An aggregate at a version. It has no state at version 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slot {
    pub version: u32,
    pub state: Option<State>,
}

impl Slot {
    /// Applies the event that makes this `version + 1`.
    fn fold(&mut self, event: &daybook_domain::Event, at: Timestamp) -> Result<(), Failure> {
        match &mut self.state {
            Some(state) => state.evolve(event, at)?,
            None => self.state = Some(State::begin(event, at)?),
        }
        self.version += 1;
        Ok(())
    }

    /// Returns the approximate size in bytes.
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
            Some(State::Statement(statement)) => size_of_val(&**statement),
            Some(State::Evidence(evidence)) => size_of_val(&**evidence),
            Some(State::Break(of)) => size_of_val(&**of) + size_of_val(of.matches.as_slice()),
            Some(State::Roles(roles)) => size_of_val(&**roles) + roles.grants().count() * size_of::<Grant>(),
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

/// A least-recently-used cache of states, bounded by memory. It is trimmed between batches only, so that a batch keeps
/// the states that it needs.
pub(crate) struct StateCache {
    slots: LruCache<Key, Slot>,
    weight: usize,
    /// Maximum weight between batches.
    budget: CacheBudget,
}

/// Memory for the caches of all writers, in approximate bytes. Each gets an equal part.
#[derive(Clone, Debug)]
pub(crate) struct CacheBudget {
    bytes: usize,
    /// Counted by its clones, one for each cache, and this one.
    caches: Arc<()>,
}

impl CacheBudget {
    pub(crate) fn new(bytes: usize) -> Self {
        Self { bytes, caches: Arc::new(()) }
    }

    /// Returns the part of one cache.
    fn part(&self) -> usize {
        self.bytes / Arc::strong_count(&self.caches).saturating_sub(1).max(1)
    }
}

impl StateCache {
    /// Creates an empty cache that gets a part of `budget`. The map is allocated at once for as many nodes without a box
    /// as fit into all of it: moving 100,000 entries into a larger map would block every caller for 30 ms.
    pub(crate) fn sharing(budget: &CacheBudget) -> Self {
        let slots = MAX_STATES_PER_BATCH.saturating_add(budget.bytes / (ENTRY_BYTES + size_of::<Node>()));
        Self { slots: LruCache::new(slots), weight: 0, budget: budget.clone() }
    }

    /// Creates an empty cache for `bytes` approximate bytes.
    #[cfg(feature = "testing")]
    pub(crate) fn new(bytes: usize) -> Self {
        Self::sharing(&CacheBudget::new(bytes))
    }

    /// Returns true if `key` is cached, even as an aggregate that does not exist, and marks it as used.
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

    /// Applies an event that another process appended. If the slot misses an event in between, it is dropped and loaded
    /// again when needed.
    pub(crate) fn observe(&mut self, happened: &RecordedEvent) -> Result<(), Failure> {
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

    /// Drops a slot. It is loaded again when needed.
    pub(crate) fn forget(&mut self, key: Key) {
        if let Some(slot) = self.slots.pop(&key) {
            self.weight -= slot.weight();
        }
    }

    /// Evicts the least recently used slots until the cache is within its limit.
    pub(crate) fn trim(&mut self) {
        let part = self.budget.part();
        while self.weight > part {
            let Some((_, slot)) = self.slots.pop_lru() else { break };
            self.weight -= slot.weight();
        }
    }
}

/// Changes of a batch. It is read dozens of times per command, so it uses the fast hasher of the cache.
pub(crate) type Changes = HashMap<Key, Slot, lru::DefaultHasher>;

/// The cache with the uncommitted changes of a batch on top.
pub(crate) struct Overlay<'a> {
    base: &'a StateCache,
    changed: Changes,
    /// Replaced slots, oldest first, for rollback. Copying all changes before each call would make the cost of a batch
    /// quadratic in its length.
    replaced: Vec<(Key, Option<Slot>)>,
}

impl<'a> Overlay<'a> {
    pub(crate) fn new(base: &'a StateCache) -> Self {
        Self { base, changed: Changes::default(), replaced: Vec::new() }
    }

    pub(crate) fn slot(&self, key: Key) -> Option<&Slot> {
        self.changed.get(&key).or_else(|| self.base.peek(key))
    }

    /// Applies the events of one decision about `subject`, all or none. Returns the version that each event makes, and
    /// the subject's platform.
    pub(crate) fn record(
        &mut self,
        subject: Key,
        facts: &[NewEvent],
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

    /// Returns the number of changes, as a savepoint for [`Overlay::rollback_to`].
    pub(crate) fn changes(&self) -> usize {
        self.replaced.len()
    }

    /// Rolls back to the savepoint that [`Overlay::changes`] returned.
    pub(crate) fn rollback_to(&mut self, changes: usize) {
        for (key, before) in self.replaced.drain(changes..).rev() {
            match before {
                Some(slot) => drop(self.changed.insert(key, slot)),
                None => drop(self.changed.remove(&key)),
            }
        }
    }

    /// Returns the changes, to be merged into the cache after the commit.
    pub(crate) fn into_changes(self) -> Changes {
        self.changed
    }
}

impl States for Overlay<'_> {
    fn state(&self, key: Key) -> Option<&State> {
        self.slot(key)?.state.as_ref()
    }
}
