//! The witness: knows all commands, all answers and the log, and checks them against each other. It asks the auditor in
//! the order of the log.

mod answers;

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

use daybook_domain::subscription::Notice;
use daybook_domain::time::DAY_MS;
use daybook_domain::{Actor, Command, Key, State, UserId};
use daybook_engine::{Call, SHARD};
use daybook_log::memory::MemoryLog;
use daybook_log::{Log, Recorded, StreamId};
use daybook_projector::RecordedEvent;
use futures::FutureExt;

pub(crate) use answers::Known;

use crate::auditor::Auditor;
use crate::bank::Bank;
use crate::faults::chance::Chance;
use crate::laws::Laws;

/// One attempt to execute a command; a retry is another attempt.
pub(crate) struct Attempt {
    pub call: Call,
    pub command: Command,
    /// Number of decisions in the log when the command was sent, and the time of the client.
    begun: usize,
    begun_ms: i64,
    /// Number of movements in a bank statement; 0 for other commands.
    covers: usize,
    recorded: Option<Vec<RecordedEvent>>,
    /// True if the attempt was refused, so that it must never be recorded.
    is_refused: bool,
    is_answered: bool,
}

/// State of the ledger after a decision.
struct Moment {
    position: u64,
    auditor: Auditor,
    states: Arc<HashMap<Key, State>>,
}

/// Observes everything.
pub(crate) struct Witness {
    pub auditor: Auditor,
    pub bank: Bank,
    pub laws: Laws,
    pub attempts: Vec<Attempt>,
    truth: Arc<MemoryLog>,
    chance: Chance,
    moments: Vec<Moment>,
    /// Attempts that used each key, with their times.
    uses: HashMap<daybook_log::Key, Vec<(usize, i64)>>,
    position: u64,
    /// Versions of each record that subscribers must be notified of.
    notices: HashMap<StreamId, Vec<u32>>,
}

impl Witness {
    /// Creates the witness of an empty log.
    pub(crate) fn new(truth: &Arc<MemoryLog>, chance: &Chance, wall: i64) -> Self {
        let auditor = Auditor { wall, ..Auditor::default() };
        let moments = vec![Moment { position: 0, auditor: auditor.clone(), states: Arc::default() }];
        let (laws, bank) = (Laws::default(), Bank::default());
        let (truth, chance) = (truth.clone(), chance.clone());
        let (attempts, uses) = (vec![], HashMap::new());
        Self {
            auditor,
            bank,
            laws,
            attempts,
            truth,
            chance,
            moments,
            uses,
            position: 0,
            notices: HashMap::new(),
        }
    }

    /// Registers an attempt at `now_ms`. Returns its number, and the call to send, by which its events can be
    /// recognized in the log.
    pub(crate) fn ask(
        &mut self,
        key: Option<daybook_engine::BoundKey>,
        command: &Command,
        now_ms: i64,
        covers: usize,
    ) -> (usize, Call) {
        let mark = self.attempts.len();
        let actor = Actor::User(UserId::from_u128(mark as u128 + 1));
        let call = Call { actor, key, ..Call::of(SHARD) };
        self.attempts.push(Attempt {
            call: call.clone(),
            command: command.clone(),
            begun: self.moments.len() - 1,
            begun_ms: now_ms,
            covers,
            recorded: None,
            is_refused: false,
            is_answered: false,
        });
        (mark, call)
    }

    /// Checks all new events of the log, one decision after the other.
    pub(crate) fn catch_up(&mut self) -> Result<(), String> {
        let news = self.truth.read(SHARD, self.position, u64::MAX).now_or_never();
        let news = news.ok_or("the log does not answer")?.map_err(|error| error.to_string())?;
        for decision in news.chunk_by(|one, other| one.event.cause_id == other.event.cause_id) {
            self.decision(decision)?;
            self.position += decision.len() as u64;
        }
        Ok(())
    }

    fn decision(&mut self, recorded: &[Recorded]) -> Result<(), String> {
        let decode = |one| RecordedEvent::decode(one).map_err(|error| format!("{error:?}"));
        let events = recorded.iter().map(decode).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = recorded.first() else { return Ok(()) };
        for one in recorded {
            self.chance.trace(&(one.position, one.recorded_at_ms, one.event.event_id, &one.event.data));
        }
        let mark = first.event.actor.map_or(0, |actor| actor.as_u128());
        let mark = usize::try_from(mark).ok().and_then(|mark| mark.checked_sub(1));
        let mark =
            mark.filter(|mark| *mark < self.attempts.len()).ok_or_else(|| wrong("nobody asked", &events))?;
        let Attempt { command, call, covers, recorded: before, is_refused, .. } = &self.attempts[mark];
        if before.is_some() {
            return Err(wrong("recorded twice", &(command, events)));
        }
        if *is_refused {
            return Err(wrong("recorded although it was refused", &(command, events)));
        }
        self.auditor.wall = first.recorded_at_ms;
        let predicted = self.auditor.predict(command);
        if predicted != Ok(true) {
            return Err(format!("the auditor says {predicted:?} of what was recorded: {command:?}"));
        }
        if let Some((key, _)) = call.key {
            let uses = self.uses.entry(key).or_default();
            if uses.last().is_some_and(|(_, at)| first.recorded_at_ms - at < DAY_MS) {
                return Err(wrong("a key has two effects", command));
            }
            uses.push((mark, first.recorded_at_ms));
        }
        if let Command::BookStatement(statement) = command {
            self.bank.stated(statement, *covers);
        }
        for happened in &events {
            Laws::ended(happened, &self.auditor)?;
            self.bank.hear(happened, &self.auditor);
            if Notice::of(&happened.event).is_some() {
                let record = StreamId::from_u128(happened.key.id);
                self.notices.entry(record).or_default().push(happened.version);
            }
        }
        self.laws.decision(&events)?;
        self.laws.check()?;
        self.laws.agrees(&self.auditor)?;
        self.attempts[mark].recorded = Some(events);
        let states = Arc::new(self.laws.told.states.clone());
        let position = self.laws.told.position;
        self.moments.push(Moment { position, auditor: self.auditor.clone(), states });
        self.chance.count("decisions");
        Ok(())
    }

    /// Returns the last checked position.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Returns the records with notices.
    pub(crate) fn records(&self) -> impl Iterator<Item = StreamId> {
        self.notices.keys().copied()
    }

    /// Returns the number of notices of `record` between two versions, both excluded.
    pub(crate) fn notices(&self, record: StreamId, after: u32, before: u32) -> usize {
        let versions = self.notices.get(&record).into_iter().flatten();
        versions.filter(|version| after < **version && **version < before).count()
    }

    /// Makes the final checks, when no call is in progress.
    pub(crate) fn end(&mut self) -> Result<(), String> {
        self.catch_up()?;
        for attempt in &self.attempts {
            if attempt.recorded.is_some() && !attempt.is_answered {
                self.chance.met("a command was recorded and nobody was answered");
            }
        }
        let keys: Vec<_> = self.uses.keys().copied().collect();
        let now_ms = self.auditor.wall;
        let used = self.truth.used_keys(SHARD, &keys, now_ms).now_or_never();
        let used = used.ok_or("the log does not answer")?.map_err(|error| error.to_string())?;
        let counts = |uses: &[(usize, i64)]| uses.iter().any(|(_, at)| *at > now_ms - DAY_MS);
        let expected = self.uses.values().filter(|uses| counts(uses)).count();
        if used.len() != expected {
            return Err(format!("{expected} keys had an effect, the log knows {}", used.len()));
        }
        let everything = self.truth.read(SHARD, 0, u64::MAX).now_or_never();
        let everything = everything.ok_or("the log does not answer")?.map_err(|error| error.to_string())?;
        let decode = |one| RecordedEvent::decode(one).map_err(|error| format!("{error:?}"));
        self.laws.replay(&everything.iter().map(decode).collect::<Result<Vec<_>, _>>()?)
    }
}

fn wrong(what: &str, about: &impl Debug) -> String {
    format!("{what}: {about:?}")
}
