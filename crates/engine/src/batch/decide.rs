//! A batch being decided: commands in order on the overlay, each seeing what those before it did.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use daybook_domain::{Actor, Command, Fact, Key, PlatformId, State, States, Timestamp};
use daybook_log::{Batch, Head, KeyUse, NewEvent, UsedKey};
use daybook_projector::Happened;
use uuid::Uuid;

use super::{BoundKey, Call, Outcome, Outcomes, Pending, Submitted};
use crate::cache::{Changes, Overlay};
use crate::entropy::Entropy;
use crate::error::{Failure, SubmitError};

/// What all events of one decision have in common.
struct Origin {
    /// What time it is for the platform.
    now: Timestamp,
    actor: Option<Uuid>,
    cause: Uuid,
    platform: PlatformId,
}

/// Decides commands one after the other.
pub(crate) struct Decider<'a> {
    overlay: Overlay<'a>,
    used: HashMap<daybook_log::Key, KeyUse>,
    events: Vec<NewEvent>,
    keys: Vec<KeyUse>,
    head: Head,
    at: Timestamp,
    entropy: Entropy,
}

/// How far a batch had come at one moment.
struct Mark {
    /// The states that had changed by then; none if nobody goes back there.
    changed: Option<Changes>,
    events: usize,
    keys: usize,
}

/// What came of a batch before it is committed.
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

    /// A state that a command looks at and that is not at hand, now that those before it are decided.
    fn lacks(&self, needs: &[Key]) -> Option<Key> {
        needs.iter().copied().find(|key| self.overlay.slot(*key).is_none())
    }

    /// Decides commands that came together, one after the other; none of them if one has to wait for a state. Those
    /// whose state is in `unreadable` fail. Of a dry run nothing is left for those that come after it.
    pub(crate) fn decide(&mut self, pending: &Pending, unreadable: &HashSet<Key>) -> Option<Outcomes> {
        if let Some(used) = self.key_used(pending.key.as_ref()) {
            return Some(Err(used));
        }
        let begin = self.mark(pending);
        let mut outcomes = Vec::with_capacity(pending.asked.len());
        for (call, command) in &pending.asked {
            let needs = command.needs(&self.overlay);
            outcomes.push(match self.lacks(&needs) {
                None => self.carry_out(call, command, needs),
                Some(key) if unreadable.contains(&key) => Err(SubmitError::Failed),
                Some(_) => {
                    self.go_back(begin);
                    return None;
                }
            });
        }
        if pending.asked.iter().any(|(call, _)| call.dry_run) {
            let position = self.head.position + begin.events as u64;
            self.go_back(begin);
            outcomes.iter_mut().flatten().for_each(|done| done.is_only_decided(position));
        } else if let (Some(key), Some(first)) = (pending.key, first_recorded(pending, &outcomes)) {
            self.use_up(key, first);
        }
        Some(Ok(outcomes))
    }

    /// How far the batch has come, to go back to if need be: of one command alone only in a dry run.
    fn mark(&self, pending: &Pending) -> Mark {
        let may_go_back = pending.asked.len() > 1 || pending.asked.iter().any(|(call, _)| call.dry_run);
        let changed = may_go_back.then(|| self.overlay.changed());
        Mark { changed, events: self.events.len(), keys: self.keys.len() }
    }

    /// Forgets what was decided since `mark`.
    fn go_back(&mut self, mark: Mark) {
        if let Some(changed) = mark.changed {
            self.overlay.restore(changed);
        }
        self.events.truncate(mark.events);
        for used in self.keys.drain(mark.keys..) {
            self.used.remove(&used.key);
        }
    }

    /// Decides one command and folds its facts. A panic in a rule costs this command and nothing else.
    fn carry_out(&mut self, call: &Call, command: &Command, needs: Vec<Key>) -> Outcome {
        if let Some(used) = self.key_used(call.key.as_ref()) {
            return Err(used);
        }
        // A sandbox may be ahead of the wall's clock; the order of the log is not.
        let now = self.overlay.now_of(command.platform(&self.overlay), self.at);
        let decide = AssertUnwindSafe(|| command.decide(&self.overlay, now));
        let Ok(decision) = catch_unwind(decide) else {
            tracing::error!(subject = ?command.subject(), "a rule panicked");
            return Err(SubmitError::Failed);
        };
        let facts = decision?;
        let events = self.record(call, command, &facts, now).map_err(|failure| {
            tracing::error!(failure = &failure as &dyn std::error::Error, "a decision could not be folded");
            SubmitError::Failed
        })?;
        let position = events.last().map_or(self.head.position, |event| event.position);
        let states = self.states_of(needs.into_iter().chain([command.subject()]));
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

    /// Takes one decision's facts into the batch, all or none.
    fn record(
        &mut self,
        call: &Call,
        command: &Command,
        facts: &[Fact],
        now: Timestamp,
    ) -> Result<Vec<Happened>, Failure> {
        if facts.is_empty() {
            return Ok(vec![]);
        }
        let subject = command.subject();
        let (versions, platform) = self.overlay.record(subject, facts, now)?;
        let origin = Origin {
            now,
            actor: person(call.actor),
            cause: Uuid::from_u128(self.entropy.ulid(self.at)),
            platform,
        };
        if let Some(key) = call.key {
            self.use_up(key, subject);
        }
        Ok(facts.iter().zip(versions).map(|(fact, version)| self.place(fact, version, &origin)).collect())
    }

    /// Gives a fact its place in the log.
    fn place(&mut self, fact: &Fact, version: u32, origin: &Origin) -> Happened {
        let encoded = fact.event.encode();
        let event_id =
            encoded.sealed.as_ref().map_or_else(|| self.entropy.ulid(self.at), |sealed| sealed.id.as_u128());
        let effective_at = fact.effective_at.unwrap_or(origin.now);
        self.events.push(NewEvent {
            event_id: Uuid::from_u128(event_id),
            stream: Uuid::from_u128(fact.key.id),
            stream_kind: fact.key.kind.code(),
            version,
            event_type: encoded.schema.event_type,
            schema_version: encoded.schema.version,
            effective_at_ms: (effective_at != self.at).then_some(effective_at.ms()),
            actor: origin.actor,
            cause_id: origin.cause,
            platform: Uuid::from_u128(origin.platform.as_u128()),
            data: encoded.data,
            sealed: encoded.sealed.map(|sealed| sealed.bytes.to_vec()),
        });
        Happened {
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

    fn states_of(&self, keys: impl Iterator<Item = Key>) -> Vec<(Key, Arc<State>)> {
        keys.filter_map(|key| Some((key, self.overlay.slot(key)?.state.clone()?))).collect()
    }

    /// Ends the batch; nothing to append if nothing happened.
    pub(crate) fn finish(mut self) -> Decided {
        if daybook_fault::mutant("lost_leg") && self.events.len().is_multiple_of(7) {
            self.events.pop();
        }
        let batch = (!self.events.is_empty()).then(|| Batch {
            id: Uuid::from_u128(self.entropy.ulid(self.at)),
            recorded_at_ms: self.at.ms(),
            events: self.events,
            keys: self.keys,
        });
        Decided { changes: self.overlay.into_changes(), batch }
    }
}

/// What the first command that recorded something is about.
fn first_recorded(pending: &Pending, outcomes: &[Outcome]) -> Option<Key> {
    let recorded = |outcome: &Outcome| outcome.as_ref().is_ok_and(|done| !done.events.is_empty());
    let place = outcomes.iter().position(recorded)?;
    pending.commands().nth(place).map(Command::subject)
}

/// The person behind an actor, for the log's column.
fn person(actor: Actor) -> Option<Uuid> {
    match actor {
        Actor::User(id) => Some(Uuid::from_u128(id.as_u128())),
        Actor::Operator(id) => Some(Uuid::from_u128(id.as_u128())),
        Actor::Process | Actor::Platform | Actor::Bank => None,
    }
}
