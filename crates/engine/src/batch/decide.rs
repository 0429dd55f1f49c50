//! Deciding a batch: commands run in order on the overlay, and each sees the changes of those before it.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use daybook_domain::event::Encoded;
use daybook_domain::{Actor, Command, Decide, Key, NewEvent, PlatformId, State, States, Timestamp};
use daybook_log::{Batch, EncodedEvent, Head, KeyUse, UsedKey};
use daybook_pg::Causes;
use daybook_projector::RecordedEvent;
use uuid::Uuid;

use super::{BoundKey, Call, Outcome, Outcomes, Pending, Submitted};
use crate::cache::{Changes, Overlay};
use crate::entropy::Entropy;
use crate::error::{Failure, SubmitError};

/// Metadata that all events of one decision share.
struct EventMetadata {
    /// Time by the platform's clock.
    now: Timestamp,
    actor: Option<Uuid>,
    cause: Uuid,
    platform: PlatformId,
}

/// States that one command reads; none for an aggregate that does not exist.
type Prefetched = Vec<(Key, Option<State>)>;

/// States of one command, in front of the overlay. A decision reads each state several times, and a linear search of a
/// handful of states is faster than hashing twice.
struct PrefetchedStates<'a> {
    found: &'a Prefetched,
    overlay: &'a Overlay<'a>,
}

impl States for PrefetchedStates<'_> {
    fn state(&self, key: Key) -> Option<&State> {
        match self.found.iter().find(|(found, _)| *found == key) {
            Some((_, state)) => state.as_ref(),
            None => self.overlay.state(key),
        }
    }
}

/// Decides commands one after the other.
pub(crate) struct Decider<'a> {
    overlay: Overlay<'a>,
    used: HashMap<daybook_log::Key, KeyUse>,
    events: Vec<EncodedEvent>,
    keys: Vec<KeyUse>,
    head: Head,
    at: Timestamp,
    entropy: Entropy,
}

/// A savepoint within a batch.
#[derive(Clone, Copy)]
struct Savepoint {
    changes: usize,
    events: usize,
    keys: usize,
}

/// A decided batch, before its commit.
pub(crate) struct Decided {
    pub changes: Changes,
    pub batch: Option<Batch>,
}

impl<'a> Decider<'a> {
    pub(crate) fn new(
        overlay: Overlay<'a>,
        head: Head,
        used: Vec<UsedKey>,
        at: Timestamp,
        entropy: Entropy,
    ) -> Self {
        let used = used.into_iter().map(|used| (used.used.key, used.used)).collect();
        Self { overlay, used, events: Vec::new(), keys: Vec::new(), head, at, entropy }
    }

    /// Loads the states that a command reads, after the commands before it. Returns the key of the first state that is
    /// not in the cache, if any.
    fn find(&self, needs: Vec<Key>) -> Result<Prefetched, Key> {
        let find = |key| Ok((key, self.overlay.slot(key).ok_or(key)?.state.clone()));
        needs.into_iter().map(find).collect()
    }

    /// Decides commands that were submitted together, one after the other. Returns none, and decides none of them, if a
    /// state must be loaded first. A command with a state in `unreadable` fails. A dry run leaves nothing behind for
    /// the commands after it.
    pub(crate) fn decide(&mut self, pending: &Pending, unreadable: &HashSet<Key>) -> Option<Outcomes> {
        if let Some(used) = self.key_used(pending.key.as_ref()) {
            return Some(Err(used));
        }
        let begin = self.savepoint();
        let mut outcomes = Vec::with_capacity(pending.asked.len());
        for (call, command) in &pending.asked {
            outcomes.push(match self.find(command.needs(&self.overlay)) {
                Ok(found) => self.execute(call, command, found),
                Err(key) if unreadable.contains(&key) => Err(SubmitError::Failed),
                Err(_) => {
                    self.rollback_to(begin);
                    return None;
                }
            });
        }
        if pending.asked.iter().any(|(call, _)| call.dry_run) {
            let position = self.head.position + begin.events as u64;
            self.rollback_to(begin);
            outcomes.iter_mut().flatten().for_each(|done| done.is_only_decided(position));
        } else if let (Some(key), Some(first)) = (pending.key, first_recorded(pending, &outcomes)) {
            self.use_up(key, first);
        }
        Some(Ok(outcomes))
    }

    /// Returns a savepoint for a possible rollback.
    fn savepoint(&self) -> Savepoint {
        Savepoint { changes: self.overlay.changes(), events: self.events.len(), keys: self.keys.len() }
    }

    /// Rolls back to `savepoint`.
    fn rollback_to(&mut self, savepoint: Savepoint) {
        self.overlay.rollback_to(savepoint.changes);
        self.events.truncate(savepoint.events);
        for used in self.keys.drain(savepoint.keys..) {
            self.used.remove(&used.key);
        }
    }

    /// Decides one command and applies its events to the overlay. A panic in a rule fails this command only.
    fn execute(&mut self, call: &Call, command: &Command, mut found: Prefetched) -> Outcome {
        if let Some(used) = self.key_used(call.key.as_ref()) {
            return Err(used);
        }
        // A sandbox clock may be ahead of the wall clock; the recording times of the log are not.
        let states = PrefetchedStates { found: &found, overlay: &self.overlay };
        let now = states.now_of(command.platform(&states), self.at);
        let decide = AssertUnwindSafe(|| command.decide(&states, now));
        let Ok(decision) = catch_unwind(decide) else {
            tracing::error!(subject = ?command.subject(), "a rule panicked");
            return Err(SubmitError::Failed);
        };
        let facts = decision?;
        let events = self.record(call, command, &facts, now).map_err(|failure| {
            tracing::error!(failure = %Causes(&failure), "a decision could not be folded");
            SubmitError::Failed
        })?;
        let position = events.last().map_or(self.head.position, |event| event.position);
        self.refresh_states(&mut found, command.subject(), &facts);
        let states = found.into_iter().filter_map(|(key, state)| Some((key, state?))).collect();
        Ok(Submitted { position, dry_run: call.dry_run, events, states, signed: None })
    }

    fn key_used(&self, key: Option<&BoundKey>) -> Option<SubmitError> {
        let (key, fingerprint) = key?;
        Some(SubmitError::key_used(self.used.get(key)?, fingerprint))
    }

    fn use_up(&mut self, (key, fingerprint): BoundKey, subject: Key) {
        let used = KeyUse { key, fingerprint, object: Some(Uuid::from_u128(subject.id)) };
        self.used.insert(key, used.clone());
        self.keys.push(used);
    }

    /// Adds the events of one decision to the batch, all or none.
    fn record(
        &mut self,
        call: &Call,
        command: &Command,
        facts: &[NewEvent],
        now: Timestamp,
    ) -> Result<Vec<RecordedEvent>, Failure> {
        if facts.is_empty() {
            return Ok(vec![]);
        }
        let encoded: Vec<Encoded> = facts.iter().map(|fact| fact.event.encode()).collect::<Result<_, _>>()?;
        let subject = command.subject();
        let (versions, platform) = self.overlay.record(subject, facts, now)?;
        let origin = EventMetadata {
            now,
            actor: person(call.actor),
            cause: Uuid::from_u128(self.entropy.ulid(self.at)),
            platform,
        };
        if let Some(key) = call.key {
            self.use_up(key, subject);
        }
        let written = facts.iter().zip(encoded).zip(versions);
        Ok(written.map(|((fact, encoded), version)| self.place(fact, encoded, version, &origin)).collect())
    }

    /// Appends an event to the batch and assigns its position.
    fn place(
        &mut self,
        fact: &NewEvent,
        encoded: Encoded,
        version: u32,
        origin: &EventMetadata,
    ) -> RecordedEvent {
        let event_id =
            encoded.sealed.as_ref().map_or_else(|| self.entropy.ulid(self.at), |sealed| sealed.id.as_u128());
        let effective_at = fact.effective_at.unwrap_or(origin.now);
        self.events.push(EncodedEvent {
            event_id: Uuid::from_u128(event_id),
            stream: Uuid::from_u128(fact.key.id),
            stream_kind: fact.key.kind.code(),
            version,
            event_type: encoded.schema.event_type,
            schema_version: encoded.schema.version,
            effective_at_ms: (effective_at != self.at).then_some(effective_at.ms()),
            actor: origin.actor,
            cause_id: origin.cause,
            platform: Uuid::from(origin.platform),
            data: encoded.data,
            sealed: encoded.sealed.map(|sealed| sealed.bytes.to_vec()),
        });
        RecordedEvent {
            position: self.head.position + self.events.len() as u64,
            recorded_at: self.at,
            effective_at,
            event_id,
            key: fact.key,
            platform: origin.platform,
            version,
            event: fact.event.clone(),
        }
    }

    /// Refreshes the found states, and adds the subject, after `facts` were applied.
    fn refresh_states(&self, found: &mut Prefetched, subject: Key, facts: &[NewEvent]) {
        if !found.iter().any(|(key, _)| *key == subject) {
            found.push((subject, None));
        }
        for (key, state) in found {
            if *key == subject || facts.iter().any(|fact| fact.key == *key) {
                *state = self.overlay.slot(*key).and_then(|slot| slot.state.clone());
            }
        }
    }

    /// Ends the batch. There is nothing to append if no event was recorded.
    pub(crate) fn finish(self) -> Decided {
        let batch = (!self.events.is_empty()).then(|| Batch {
            id: Uuid::from_u128(self.entropy.ulid(self.at)),
            recorded_at_ms: self.at.ms(),
            events: self.events,
            keys: self.keys,
        });
        Decided { changes: self.overlay.into_changes(), batch }
    }
}

/// Returns the subject of the first command that recorded something.
fn first_recorded(pending: &Pending, outcomes: &[Outcome]) -> Option<Key> {
    let recorded = |outcome: &Outcome| outcome.as_ref().is_ok_and(|done| !done.events.is_empty());
    let place = outcomes.iter().position(recorded)?;
    pending.commands().nth(place).map(Command::subject)
}

/// Returns the person behind an actor, for the log's column.
fn person(actor: Actor) -> Option<Uuid> {
    match actor {
        Actor::User(id) => Some(Uuid::from(id)),
        Actor::Operator(id) => Some(Uuid::from(id)),
        Actor::Process | Actor::Platform | Actor::Bank => None,
    }
}
