//! Moment at which records are read: now, at an earlier position, or after a dry run.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use daybook_domain::account::Account;
use daybook_domain::{AccountId, Key, State, States};
use daybook_engine::Submitted;
use daybook_engine::access::PlatformRecord;
use daybook_projector::{Reads, RecordedEvent, Records, Timeline, fold};

use crate::app::App;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::wire::moment::{self, AsOf};

/// Moment that everything in an answer reflects.
#[derive(Clone, Copy)]
pub(crate) enum View<'a> {
    /// Current state, not older than this head of the log.
    Now(u64),
    /// State after a command: current, not older than this position, and read from the primary, which has it already.
    After(u64),
    /// State after the event at this position, and before the next.
    At(u64),
    /// Current state with the events of a dry run applied.
    DryRun(&'a Submitted),
}

impl<'a> View<'a> {
    /// Returns the view at the moment of the parameter `at`; the current state if it was not sent.
    pub(crate) async fn asked(
        app: &App,
        platform: &PlatformRecord,
        as_of: InQuery<AsOf>,
    ) -> Result<Self, ApiError> {
        let Some(until) = as_of.values()?.until(app.engine.clock().now())? else {
            return Self::now(app, platform).await;
        };
        let position = app.reads.aggregates().position_until(platform.shard, until).await?;
        position.map(Self::At).ok_or_else(moment::beyond)
    }

    /// Returns the current state.
    pub(crate) async fn now(app: &App, platform: &PlatformRecord) -> Result<Self, ApiError> {
        Ok(Self::Now(app.reads.aggregates().head(platform.shard).await?))
    }

    /// Returns the state after a command, or the simulated state after a dry run.
    pub(crate) async fn after(
        app: &App,
        platform: &PlatformRecord,
        done: &'a Submitted,
    ) -> Result<Self, ApiError> {
        match done {
            Submitted { dry_run: true, .. } => Ok(Self::DryRun(done)),
            // The log is at least this long, because the commit came after the head was read.
            done if done.is_recorded() => Ok(Self::After(done.position)),
            _ => Self::unchanged(app, platform).await,
        }
    }

    /// Returns the state after a command that changed nothing.
    pub(crate) async fn unchanged(app: &App, platform: &PlatformRecord) -> Result<Self, ApiError> {
        Ok(Self::After(app.engine.reads().aggregates().head(platform.shard).await?))
    }

    /// Returns the position that the caller requested, if any.
    pub(crate) fn position(self) -> Option<u64> {
        match self {
            Self::At(position) => Some(position),
            Self::Now(_) | Self::After(_) | Self::DryRun(_) => None,
        }
    }

    /// Returns the read models for this view.
    fn reads(self, app: &App) -> &Reads {
        match self {
            Self::Now(_) | Self::At(_) => &app.reads,
            Self::After(_) | Self::DryRun(_) => app.engine.reads(),
        }
    }

    /// Returns the states of the existing aggregates among `keys`.
    pub(super) async fn records(
        self,
        app: &App,
        platform: &PlatformRecord,
        keys: &[Key],
    ) -> Result<Records, ApiError> {
        let (reads, shard) = (self.reads(app), platform.shard);
        match self {
            Self::Now(head) | Self::After(head) => {
                Ok(reads.aggregates().records_since(shard, head, keys).await?)
            }
            Self::At(position) => Ok(reads.aggregates().records_at(shard, keys, position).await?),
            Self::DryRun(done) => {
                let mut before = reads.aggregates().records_at(shard, keys, done.position).await?;
                let mut states = Vec::with_capacity(keys.len());
                for key in keys.iter().collect::<HashSet<_>>() {
                    states.extend(fold(before.take(*key), &own(done, *key))?.map(|state| (*key, state)));
                }
                Ok(states.into_iter().collect())
            }
        }
    }

    /// Returns all events of each of `keys`, in order.
    pub(super) async fn timelines(
        self,
        app: &App,
        platform: &PlatformRecord,
        keys: &[Key],
    ) -> Result<HashMap<Key, Timeline>, ApiError> {
        let (reads, shard) = (self.reads(app), platform.shard);
        match self {
            Self::Now(head) | Self::After(head) => {
                Ok(reads.aggregates().timelines_since(shard, head, keys).await?)
            }
            Self::At(position) => Ok(reads.aggregates().timelines_at(shard, keys, position).await?),
            Self::DryRun(done) => {
                let mut timelines = reads.aggregates().timelines_at(shard, keys, done.position).await?;
                for key in keys.iter().collect::<HashSet<_>>() {
                    Arc::make_mut(timelines.entry(*key).or_default()).extend(own(done, *key));
                }
                timelines.retain(|_, events| !events.is_empty());
                Ok(timelines)
            }
        }
    }

    /// Returns the accounts after their last entries; accounts without an entry are omitted.
    pub(super) async fn accounts(
        self,
        app: &App,
        platform: &PlatformRecord,
        ids: &[AccountId],
    ) -> Result<HashMap<AccountId, Account>, ApiError> {
        if let Self::Now(head) | Self::After(head) = self {
            return Ok(self.reads(app).aggregates().accounts_since(platform.shard, head, ids).await?);
        }
        let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
        let found = self.records(app, platform, &keys).await?;
        let account = |id: &AccountId| match found.state(Key::from(*id)) {
            Some(State::Account(account)) => Some((*id, Account::clone(account))),
            _ => None,
        };
        Ok(ids.iter().filter_map(account).collect())
    }
}

/// Returns the events of `key` that the dry run decided and did not record.
fn own(done: &Submitted, key: Key) -> Vec<RecordedEvent> {
    done.events.iter().filter(|happened| happened.key == key).cloned().collect()
}
