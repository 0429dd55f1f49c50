//! Given / when / then over events, for tests of rules.

use std::collections::HashMap;

use crate::aggregate::{Fact, Key};
use crate::command::{Command, Refusal};
use crate::state::{State, States};
use crate::time::Timestamp;

/// A world made of facts; every state in it is their fold.
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
    /// Folds `facts` that happened now.
    ///
    /// # Panics
    ///
    /// If a fact does not belong to its stream.
    #[allow(clippy::expect_used, reason = "a test kit answers by panicking")]
    pub fn record(&mut self, facts: &[Fact]) {
        for fact in facts {
            match self.states.get_mut(&fact.key) {
                Some(state) => state.evolve(&fact.event, self.now).expect("belongs to its stream"),
                None => {
                    let state = State::begin(&fact.event, self.now).expect("begins a stream");
                    self.states.insert(fact.key, state);
                }
            }
        }
    }

    /// Lets `ms` milliseconds pass.
    pub fn pass(&mut self, ms: i64) {
        self.now = self.now.plus_ms(ms);
    }

    /// Decides `command` and folds what it answers.
    pub fn submit(&mut self, command: &Command) -> Result<Vec<Fact>, Refusal> {
        let facts = command.decide(self, self.now)?;
        self.record(&facts);
        Ok(facts)
    }

    /// Every state, in no order.
    pub fn states(&self) -> impl Iterator<Item = (&Key, &State)> {
        self.states.iter()
    }

    /// What time it is in this world.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }
}
