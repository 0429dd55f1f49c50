//! Folding: the state of an aggregate at a version, from its events, or from a snapshot (row) and the events after it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use daybook_domain::{Key, State, States};

use crate::error::Error;
use crate::store::recorded_event::RecordedEvent;

/// A state and the version of its last event.
#[derive(Clone, Debug, PartialEq)]
pub struct Versioned {
    /// Version of the last event that was folded.
    pub version: u32,
    /// The state after that event.
    pub state: State,
}

impl Versioned {
    /// Folds the next event of the stream.
    pub(crate) fn fold(&mut self, happened: &RecordedEvent) -> Result<(), Error> {
        let broken = || Error::Broken { position: happened.position };
        if self.version.checked_add(1) != Some(happened.version) {
            return Err(broken());
        }
        self.state.evolve(&happened.event, happened.effective_at).map_err(|_| broken())?;
        self.version = happened.version;
        Ok(())
    }

    /// Returns the state after the first event of a stream.
    pub(crate) fn begin(happened: &RecordedEvent) -> Result<Self, Error> {
        if happened.version == 1 {
            Self::from_last(happened)
        } else {
            Err(Error::Broken { position: happened.position })
        }
    }

    /// Returns the state of an aggregate whose every event contains the whole state, from its last event.
    pub(crate) fn from_last(happened: &RecordedEvent) -> Result<Self, Error> {
        State::begin(&happened.event, happened.effective_at)
            .map(|state| Self { version: happened.version, state })
            .map_err(|_| Error::Broken { position: happened.position })
    }
}

/// Folds `events` of one stream onto `state`; without a state the stream begins with them.
///
/// # Errors
///
/// [`Error::Broken`] if an event does not continue the stream.
pub fn fold(state: Option<Versioned>, events: &[RecordedEvent]) -> Result<Option<Versioned>, Error> {
    let mut state = state;
    for happened in events {
        match &mut state {
            Some(state) => state.fold(happened)?,
            None => state = Some(Versioned::begin(happened)?),
        }
    }
    Ok(state)
}

/// All events of an aggregate, in order; shared by all readers.
pub type Timeline = Arc<Vec<RecordedEvent>>;

/// States of many aggregates, each at the newest version that was recorded when it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records(HashMap<Key, Versioned>);

impl Records {
    /// Returns the state and its version; none if the aggregate does not exist.
    #[must_use]
    pub fn get(&self, key: impl Into<Key>) -> Option<&Versioned> {
        self.0.get(&key.into())
    }

    /// Adds the states of `more`.
    #[must_use]
    pub fn with(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }

    /// Folds the next event of an aggregate, which may be its first.
    ///
    /// # Errors
    ///
    /// [`Error::Broken`] if it does not continue its stream; the state must not be used then.
    pub fn fold(&mut self, happened: &RecordedEvent) -> Result<(), Error> {
        match self.0.entry(happened.key) {
            Entry::Occupied(mut state) => state.get_mut().fold(happened)?,
            Entry::Vacant(place) => {
                place.insert(Versioned::begin(happened)?);
            }
        }
        Ok(())
    }

    /// Returns the number of aggregates.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Removes an aggregate and returns its state and version.
    pub fn take(&mut self, key: impl Into<Key>) -> Option<Versioned> {
        self.0.remove(&key.into())
    }
}

impl From<HashMap<Key, Versioned>> for Records {
    fn from(states: HashMap<Key, Versioned>) -> Self {
        Self(states)
    }
}

impl FromIterator<(Key, Versioned)> for Records {
    fn from_iter<I: IntoIterator<Item = (Key, Versioned)>>(states: I) -> Self {
        Self(states.into_iter().collect())
    }
}

impl States for Records {
    fn state(&self, key: Key) -> Option<&State> {
        self.0.get(&key).map(|versioned| &versioned.state)
    }
}

/// Groups `events`, which are in order, by aggregate.
pub(crate) fn by_key(events: Vec<RecordedEvent>) -> HashMap<Key, Timeline> {
    let mut streams: HashMap<Key, Vec<RecordedEvent>> = HashMap::new();
    for happened in events {
        streams.entry(happened.key).or_default().push(happened);
    }
    streams.into_iter().map(|(key, events)| (key, events.into())).collect()
}
