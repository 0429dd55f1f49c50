//! Queries of the past: states of aggregates as of a position of the log, folded from their streams only.
//!
//! No row is read, so the projection need not have reached the position. A later event that this binary cannot decode
//! does not matter.

use std::collections::{HashMap, HashSet};

use daybook_domain::{Key, Timestamp};
use daybook_log::{Position, Recorded, Shard, StreamId};
use uuid::Uuid;

use super::Aggregates;
use crate::error::Error;
use crate::store::fold::by_key;
use crate::store::fold::{self, Records, Timeline, Versioned};
use crate::store::recorded_event::RecordedEvent;
use crate::store::recorded_event::{decode_all, key_of};

/// As-of point of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Up to and including the event at this position.
    Position(Position),
    /// Up to the last event that was recorded at or before this time.
    Recorded(Timestamp),
}

impl Aggregates {
    /// Returns the position of `until`; none if it names a position after the head of the log.
    ///
    /// # Errors
    ///
    /// A failure of the log.
    pub async fn position_until(&self, shard: Shard, until: Until) -> Result<Option<Position>, Error> {
        match until {
            Until::Position(position) => {
                Ok((position <= self.store.log.head(shard).await?.position).then_some(position))
            }
            Until::Recorded(at) => Ok(Some(self.store.log.position_at(shard, at.ms()).await?)),
        }
    }

    /// Returns the event at `position`; none if the position is after the head of the log.
    ///
    /// # Errors
    ///
    /// [`Error::Undecodable`] if this binary cannot decode it; failures of the log.
    pub async fn event_at(&self, shard: Shard, position: Position) -> Result<Option<RecordedEvent>, Error> {
        let Some(before) = position.checked_sub(1) else { return Ok(None) };
        let recorded = self.store.log.read(shard, before, position).await?;
        recorded.first().map(RecordedEvent::decode).transpose()
    }

    /// Returns the states of aggregates of any kind as of `position`. Those that did not exist yet are left out.
    ///
    /// # Errors
    ///
    /// [`Error::Undecodable`] if this binary cannot decode an event up to there; failures of the log.
    pub async fn records_at(&self, shard: Shard, keys: &[Key], position: Position) -> Result<Records, Error> {
        let (accounts, others): (Vec<Key>, Vec<Key>) =
            keys.iter().partition(|key| key.kind.last_event_is_state());
        let mut states = HashMap::with_capacity(keys.len());
        for (key, events) in self.timelines_at(shard, &others, position).await? {
            states.extend(fold::fold(None, &events)?.map(|state| (key, state)));
        }
        for key in accounts {
            if let Some(entry) = self.entry_at(shard, key, position).await? {
                states.insert(key, Versioned::from_last(&entry)?);
            }
        }
        Ok(states.into_iter().collect())
    }

    /// Returns the timelines of aggregates up to `position`: all events of each, in order.
    ///
    /// # Errors
    ///
    /// As [`Aggregates::records_at`].
    pub async fn timelines_at(
        &self,
        shard: Shard,
        keys: &[Key],
        position: Position,
    ) -> Result<HashMap<Key, Timeline>, Error> {
        let asked: HashSet<Key> = keys.iter().copied().collect();
        let streams: HashSet<StreamId> = asked.iter().map(|key| Uuid::from_u128(key.id)).collect();
        let streams: Vec<_> = streams.into_iter().map(|stream| (stream, 0)).collect();
        let mut recorded = self.store.log.streams(shard, &streams).await?;
        recorded.retain(|recorded| recorded.position <= position && key_of(recorded, &asked).is_some());
        Ok(by_key(decode_all(&recorded)?))
    }

    /// Returns the last entry of an account at or before `position`. It is found by binary search, because positions
    /// grow with versions: a stream of a million entries needs about twenty reads.
    ///
    /// # Errors
    ///
    /// As [`Aggregates::records_at`].
    pub async fn entry_at(
        &self,
        shard: Shard,
        account: Key,
        position: Position,
    ) -> Result<Option<RecordedEvent>, Error> {
        let (stream, asked) = (Uuid::from_u128(account.id), HashSet::from([account]));
        let last = self.store.log.last(shard, &[stream]).await?.pop();
        let Some(last) = last.filter(|last| key_of(last, &asked).is_some()) else { return Ok(None) };
        if last.position <= position {
            return RecordedEvent::decode(&last).map(Some);
        }
        let (mut below, mut above) = (0, last.event.version);
        let mut found: Option<Recorded> = None;
        while below + 1 < above {
            let middle = below + (above - below) / 2;
            let entry = self.store.log.stream_page(shard, stream, middle - 1, 1).await?.pop();
            let entry = entry.ok_or(Error::Broken { position: last.position })?;
            if entry.position <= position {
                (below, found) = (middle, Some(entry));
            } else {
                above = middle;
            }
        }
        found.as_ref().map(RecordedEvent::decode).transpose()
    }
}
