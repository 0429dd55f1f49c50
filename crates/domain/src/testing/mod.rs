//! Given / when / then over a small world, for tests of rules. A history is given as commands, so tests reach only
//! states that can occur. The expected result is given as events.

pub mod fixture;

use std::collections::HashMap;

use crate::aggregate::{Key, NewEvent};
use crate::command::Command;
use crate::decide::Decide;
use crate::id::PlatformId;
use crate::refusal::Refusal;
use crate::state::{State, States};
use crate::time::Timestamp;

/// The world of [`fixture::bank`] after a history of commands, none of which is refused.
///
/// # Panics
///
/// Panics if a command is refused.
#[must_use]
#[track_caller]
pub fn given(history: impl IntoIterator<Item = Command>) -> World {
    let mut world = World::default();
    for command in fixture::bank().into_iter().chain(history) {
        world.follow(&command);
    }
    world
}

/// A world made of events: every state in it is the fold of its events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct World {
    states: HashMap<Key, State>,
    now: Timestamp,
}

impl States for World {
    fn state(&self, key: Key) -> Option<&State> {
        self.states.get(&key)
    }
}

impl World {
    /// Folds `facts` that happen at the present time of the world.
    ///
    /// # Panics
    ///
    /// Panics if an event does not belong to its stream.
    pub fn record(&mut self, facts: &[NewEvent]) {
        self.record_at(facts, self.now);
    }

    /// Folds `facts` that happen at `at`, by the clock of their platform.
    ///
    /// # Panics
    ///
    /// Panics if an event does not belong to its stream.
    #[allow(clippy::expect_used, reason = "a test kit answers by panicking")]
    pub fn record_at(&mut self, facts: &[NewEvent], at: Timestamp) {
        for fact in facts {
            let at = fact.effective_at.unwrap_or(at);
            if let Some(state) = self.states.get_mut(&fact.key) {
                state.evolve(&fact.event, at).expect("belongs to its stream");
            } else {
                let state = State::begin(&fact.event, at).expect("begins a stream");
                self.states.insert(fact.key, state);
            }
        }
    }

    /// Lets `ms` milliseconds pass.
    pub fn pass(&mut self, ms: i64) {
        self.now = self.now.plus_ms(ms);
    }

    /// The same world, `ms` milliseconds later.
    #[must_use]
    pub fn later(mut self, ms: i64) -> Self {
        self.pass(ms);
        self
    }

    /// Decides `command` and folds the new events.
    pub fn submit(&mut self, command: &Command) -> Result<Vec<NewEvent>, Refusal> {
        let now = self.now_of(command.platform(self));
        let facts = command.decide(self, now)?;
        self.record_at(&facts, now);
        Ok(facts)
    }

    #[track_caller]
    fn follow(&mut self, command: &Command) {
        let answer = self.submit(command);
        assert!(answer.is_ok(), "{command:?} was refused: {answer:?}");
    }

    /// Submits `command`, for a check of the answer.
    pub fn when(self, command: impl Into<Command>) -> Answer {
        let mut after = self.clone();
        let given = after.submit(&command.into());
        Answer { before: self, after, given }
    }

    /// Every state, in no order.
    pub fn states(&self) -> impl Iterator<Item = (&Key, &State)> {
        self.states.iter()
    }

    /// The time on the clock of a platform, which may be ahead.
    #[must_use]
    pub fn now_of(&self, platform: Option<PlatformId>) -> Timestamp {
        States::now_of(self, platform, self.now)
    }

    /// The wall-clock time of this world.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }
}

/// A world of which only some states are visible.
#[derive(Debug)]
pub struct RestrictedWorld<'a> {
    /// The world.
    pub world: &'a World,
    /// Keys of the visible states.
    pub keys: Vec<Key>,
}

impl<'a> RestrictedWorld<'a> {
    /// The states that a writer loads for `command`: all that it needs, named in at most three rounds.
    #[must_use]
    pub fn needed(world: &'a World, command: &Command) -> Self {
        let mut loaded = Self { world, keys: vec![] };
        for _ in 0..3 {
            loaded.keys = command.needs(&loaded);
        }
        loaded
    }
}

impl States for RestrictedWorld<'_> {
    fn state(&self, key: Key) -> Option<&State> {
        self.world.state(key).filter(|_| self.keys.contains(&key))
    }
}

/// The answer to a command, and the world before and after it.
#[derive(Debug)]
#[must_use]
pub struct Answer {
    before: World,
    after: World,
    given: Result<Vec<NewEvent>, Refusal>,
}

impl Answer {
    /// Expects exactly these events, in this order. Returns the world after them.
    ///
    /// # Panics
    ///
    /// Panics if the answer differs.
    #[track_caller]
    pub fn then(self, facts: impl IntoIterator<Item = NewEvent>) -> World {
        assert_eq!(self.given, Ok(facts.into_iter().collect()));
        self.after
    }

    /// Expects this refusal and an unchanged world. Returns the world as it was.
    ///
    /// # Panics
    ///
    /// Panics if the answer differs, or if the world changed.
    #[track_caller]
    pub fn refused(self, refusal: impl Into<Refusal>) -> World {
        assert_eq!(self.given, Err(refusal.into()));
        assert_eq!(self.before, self.after);
        self.before
    }

    /// Expects that the command was accepted, with any events. Returns the world after them.
    ///
    /// # Panics
    ///
    /// Panics if the command was refused.
    #[track_caller]
    #[allow(clippy::must_use_candidate, reason = "some tests end here")]
    pub fn accepted(self) -> World {
        assert!(self.given.is_ok(), "{:?}", self.given);
        self.after
    }
}
