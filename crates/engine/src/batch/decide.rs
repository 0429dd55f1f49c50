//! A batch being decided: commands in order on the overlay, each seeing what those before it did.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use daybook_domain::{Actor, Command, Fact, Key, PlatformId, State, States, Timestamp};
use daybook_log::{Batch, Head, KeyUse, NewEvent, UsedKey};
use daybook_projector::Happened;
use uuid::Uuid;

use super::{Outcome, Pending, Submitted};
use crate::cache::{Overlay, Slot};
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

/// What came of a batch before it is committed.
pub(crate) struct Decided {
    pub changes: HashMap<Key, Slot>,
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

    /// A state that the command looks at and that is not at hand, now that those before it are decided.
    pub(crate) fn lacks(&self, command: &Command) -> Option<Key> {
        command.needs(&self.overlay).into_iter().find(|key| self.overlay.slot(*key).is_none())
    }

    /// Decides one command. Of a dry run nothing is left for those that come after it.
    pub(crate) fn decide(&mut self, pending: &Pending) -> Outcome {
        if !pending.call.dry_run {
            return self.carry_out(pending);
        }
        let (changed, count) = (self.overlay.changed(), self.events.len());
        let outcome = self.carry_out(pending);
        self.overlay.restore(changed);
        self.events.truncate(count);
        let position = self.head.position + count as u64;
        let mut done = outcome?;
        for happened in &mut done.events {
            happened.position = 0;
        }
        Ok(Submitted { position, ..done })
    }

    /// Decides one command and folds its facts. A panic in a rule costs this command and nothing else.
    fn carry_out(&mut self, pending: &Pending) -> Outcome {
        if let Some(error) = self.key_used(&pending.call) {
            return Err(error);
        }
        // A sandbox may be ahead of the wall's clock; the order of the log is not.
        let now = self.overlay.now_of(pending.command.platform(&self.overlay), self.at);
        let decide = AssertUnwindSafe(|| pending.command.decide(&self.overlay, now));
        let Ok(decision) = catch_unwind(decide) else {
            tracing::error!(subject = ?pending.command.subject(), "a rule panicked");
            return Err(SubmitError::Failed);
        };
        let facts = decision?;
        let events = self.record(pending, &facts, now).map_err(|failure| {
            tracing::error!(failure = &failure as &dyn std::error::Error, "a decision could not be folded");
            SubmitError::Failed
        })?;
        let position = events.last().map_or(self.head.position, |event| event.position);
        let (dry_run, states) = (pending.call.dry_run, self.states_of(&pending.command));
        Ok(Submitted { position, dry_run, events, states, signed: None })
    }

    fn key_used(&self, call: &Call) -> Option<SubmitError> {
        let (key, fingerprint) = call.key.as_ref()?;
        Some(SubmitError::key_used(self.used.get(key)?, fingerprint))
    }

    /// Takes one decision's facts into the batch, all or none.
    fn record(
        &mut self,
        pending: &Pending,
        facts: &[Fact],
        now: Timestamp,
    ) -> Result<Vec<Happened>, Failure> {
        if facts.is_empty() {
            return Ok(vec![]);
        }
        let subject = pending.command.subject();
        let (versions, platform) = self.overlay.record(subject, facts, now)?;
        let origin = Origin {
            now,
            actor: person(pending.call.actor),
            cause: Uuid::from_u128(self.entropy.ulid(self.at)),
            platform,
        };
        if let Some((key, fingerprint)) = pending.call.key.filter(|_| !pending.call.dry_run) {
            let used = KeyUse { key, fingerprint, object: Some(Uuid::from_u128(subject.id)) };
            self.used.insert(key, used.clone());
            self.keys.push(used);
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

    fn states_of(&self, command: &Command) -> Vec<(Key, Arc<State>)> {
        let keys = command.needs(&self.overlay).into_iter().chain([command.subject()]);
        keys.filter_map(|key| Some((key, self.overlay.slot(key)?.state.clone()?))).collect()
    }

    /// Ends the batch; nothing to append if nothing happened.
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

/// The person behind an actor, for the log's column.
fn person(actor: Actor) -> Option<Uuid> {
    match actor {
        Actor::User(id) => Some(Uuid::from_u128(id.as_u128())),
        Actor::Operator(id) => Some(Uuid::from_u128(id.as_u128())),
        Actor::Process | Actor::Platform | Actor::Bank => None,
    }
}
