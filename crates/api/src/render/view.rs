//! As of when records are looked at.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use daybook_domain::account::Account;
use daybook_domain::{AccountId, Key, State, States};
use daybook_engine::Submitted;
use daybook_engine::access::PlatformRecord;
use daybook_projector::{Happened, Records, Timeline, fold};

use crate::app::App;
use crate::error::ApiError;
use crate::in_query::InQuery;
use crate::wire::moment::{self, AsOf};

/// A moment, and everything that an answer shows is of it.
#[derive(Clone, Copy)]
pub(crate) enum View<'a> {
    /// As fresh as the log, which ended here when it was asked last.
    Now(u64),
    /// After the event at this position, and before the next.
    At(u64),
    /// As a dry run would have left it.
    If(&'a Submitted),
}

impl<'a> View<'a> {
    /// The view as of the moment that the parameter `at` names; now, if it was not sent.
    pub(crate) async fn asked(
        app: &App,
        platform: &PlatformRecord,
        as_of: InQuery<AsOf>,
    ) -> Result<Self, ApiError> {
        let Some(until) = as_of.values()?.until(app.engine.clock().now())? else {
            return Self::now(app, platform).await;
        };
        let position = app.engine.reads().aggregates().position_until(platform.shard, until).await?;
        position.map(Self::At).ok_or_else(moment::beyond)
    }

    /// As fresh as the log.
    pub(crate) async fn now(app: &App, platform: &PlatformRecord) -> Result<Self, ApiError> {
        Ok(Self::Now(app.engine.reads().aggregates().head(platform.shard).await?))
    }

    /// As what was submitted left it, or would have.
    pub(crate) async fn after(
        app: &App,
        platform: &PlatformRecord,
        done: &'a Submitted,
    ) -> Result<Self, ApiError> {
        match done {
            Submitted { dry_run: true, .. } => Ok(Self::If(done)),
            // The log came to here after it was asked for.
            done if done.is_recorded() => Ok(Self::Now(done.position)),
            _ => Self::now(app, platform).await,
        }
    }

    /// The position that was asked for.
    pub(crate) fn position(self) -> Option<u64> {
        match self {
            Self::At(position) => Some(position),
            Self::Now(_) | Self::If(_) => None,
        }
    }

    /// The states of those of `keys` that exist.
    pub(super) async fn records(
        self,
        app: &App,
        platform: &PlatformRecord,
        keys: &[Key],
    ) -> Result<Records, ApiError> {
        let (reads, shard) = (app.engine.reads(), platform.shard);
        match self {
            Self::Now(head) => Ok(reads.aggregates().records_since(shard, head, keys).await?),
            Self::At(position) => Ok(reads.aggregates().records_at(shard, keys, position).await?),
            Self::If(done) => {
                let mut before = reads.aggregates().records_at(shard, keys, done.position).await?;
                let mut states = Vec::with_capacity(keys.len());
                for key in keys.iter().collect::<HashSet<_>>() {
                    states.extend(fold(before.take(*key), &own(done, *key))?.map(|state| (*key, state)));
                }
                Ok(states.into_iter().collect())
            }
        }
    }

    /// All events of each of `keys`, in order.
    pub(super) async fn timelines(
        self,
        app: &App,
        platform: &PlatformRecord,
        keys: &[Key],
    ) -> Result<HashMap<Key, Timeline>, ApiError> {
        let (reads, shard) = (app.engine.reads(), platform.shard);
        match self {
            Self::Now(head) => Ok(reads.aggregates().timelines_since(shard, head, keys).await?),
            Self::At(position) => Ok(reads.aggregates().timelines_at(shard, keys, position).await?),
            Self::If(done) => {
                let mut timelines = reads.aggregates().timelines_at(shard, keys, done.position).await?;
                for key in keys.iter().collect::<HashSet<_>>() {
                    Arc::make_mut(timelines.entry(*key).or_default()).extend(own(done, *key));
                }
                timelines.retain(|_, events| !events.is_empty());
                Ok(timelines)
            }
        }
    }

    /// Accounts as their last entries leave them; those without an entry are left out.
    pub(super) async fn accounts(
        self,
        app: &App,
        platform: &PlatformRecord,
        ids: &[AccountId],
    ) -> Result<HashMap<AccountId, Account>, ApiError> {
        if let Self::Now(head) = self {
            return Ok(app.engine.reads().aggregates().accounts_since(platform.shard, head, ids).await?);
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

/// The events of `key` that were decided and not recorded.
fn own(done: &Submitted, key: Key) -> Vec<Happened> {
    done.events.iter().filter(|happened| happened.key == key).cloned().collect()
}
