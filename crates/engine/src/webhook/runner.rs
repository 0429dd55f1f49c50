//! The runner: puts events into lanes and works on those that are due, many at a time, and of each subscription a few.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use daybook_domain::subscription::change::Change;
use daybook_domain::{Command, SubscriptionId, Timestamp};
use daybook_log::{Position, Shard};
use daybook_pg::Pg;
use futures::FutureExt;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::attempts::{Attempts, id_at};
use super::fan_out::{self, Active};
use super::lanes::{self, Lane};
use super::{Answered, Tell, Told, WebhookError, schedule};
use crate::batch::Call;
use crate::engine::{Engine, SHARD};

/// Calls that are under way at once.
const CALLS: usize = 1_024;
/// Calls to one subscription that are under way at once.
const CALLS_OF_ONE: usize = 8;
/// After so many calls in vain, one after the other, a subscription is called one at a time until it takes something.
const IN_VAIN: u32 = 3;
/// Calls of which is noted at once what came of them: the connections are those of others, too.
const NOTED_AT_ONCE: usize = 2;
/// How long it rests when there was nothing to do.
const REST: Duration = Duration::from_millis(200);
/// How long it rests in between at least.
const BREATH: Duration = Duration::from_millis(20);
/// When something of ours is away, how long a lane waits.
const AWAY_MS: i64 = 5_000;
/// A subscription that took nothing for so long when a call is given up is not called any more: a day.
const SILENT_MS: i64 = 24 * 3_600 * 1_000;

/// Tells subscriptions of the events of one shard.
#[derive(Clone)]
pub struct Webhooks {
    engine: Engine,
    pg: Pg,
    tell: Arc<dyn Tell>,
    attempts: Attempts,
    shard: Shard,
    /// Whoever notes something takes a turn.
    desk: Arc<Semaphore>,
}

/// What is known of a subscription while the runner runs.
#[derive(Default)]
struct Open {
    under_way: usize,
    in_vain: u32,
}

impl Open {
    fn room(&self) -> usize {
        let most = if self.in_vain >= IN_VAIN { 1 } else { CALLS_OF_ONE };
        most.saturating_sub(self.under_way)
    }
}

impl Webhooks {
    /// A runner that has `tell` call those who subscribed, and notes that in `attempts`. Lanes follow from the log by a
    /// cursor, so `pg` acts as whoever may move one.
    #[must_use]
    pub fn new(engine: Engine, pg: Pg, attempts: Attempts, tell: Arc<dyn Tell>) -> Self {
        Self { engine, pg, tell, attempts, shard: SHARD, desk: Arc::new(Semaphore::new(NOTED_AT_ONCE)) }
    }

    /// Tells them until `stop` says so, through outages of the database. Calls that are under way then are made again by the
    /// next process.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let (mut calls, mut open) = (JoinSet::new(), HashMap::<SubscriptionId, Open>::new());
        let mut begun = false;
        while !*stop.borrow() {
            let done = self.round(&mut begun, &mut calls, &mut open).await;
            let is_busy = done.unwrap_or_else(|error| {
                tracing::warn!(error = &error as &dyn std::error::Error, "cannot look whom to tell");
                false
            });
            let rest = if is_busy { BREATH } else { REST };
            tokio::select! {
                () = tokio::time::sleep(rest) => {}
                // Whatever else ended by then is looked at with it.
                Some(ended) = calls.join_next() => {
                    settle(&mut open, ended);
                    tokio::time::sleep(BREATH).await;
                }
                stopped = stop.changed() => if stopped.is_err() { return },
            }
            while let Some(ended) = calls.try_join_next() {
                settle(&mut open, ended);
            }
        }
    }

    /// One look at log and lanes; answers whether there is more to do at once.
    async fn round(
        &self,
        begun: &mut bool,
        calls: &mut JoinSet<(SubscriptionId, bool)>,
        open: &mut HashMap<SubscriptionId, Open>,
    ) -> Result<bool, WebhookError> {
        if !*begun {
            fan_out::begin(&self.engine, &self.pg, self.shard).await?;
            *begun = true;
        }
        let step = fan_out::step(&self.engine, &self.pg, self.shard).await?;
        let rooms = rooms(&step.active, open, CALLS.saturating_sub(calls.len()));
        if rooms.is_empty() {
            return Ok(step.is_behind);
        }
        let lanes = lanes::take(&self.pg, self.shard, &rooms, self.engine.clock().now()).await?;
        let is_busy = step.is_behind || !lanes.is_empty();
        for lane in lanes {
            open.entry(lane.subscription).or_default().under_way += 1;
            let own = self.clone();
            calls.spawn(async move {
                // Whatever panics costs this call and nothing else.
                let done = AssertUnwindSafe(own.work_on(&lane)).catch_unwind().await;
                (lane.subscription, done.unwrap_or(false))
            });
        }
        Ok(is_busy)
    }

    /// Tells the next thing of a lane; answers whether it was taken, or there was nothing to tell.
    async fn work_on(&self, lane: &Lane) -> bool {
        match self.try_work_on(lane).await {
            Ok(is_taken) => is_taken,
            Err(error) => {
                tracing::warn!(%error, subscription = %lane.subscription, "nobody was told");
                let later = Timestamp::from_ms(self.engine.clock().now().ms().saturating_add(AWAY_MS));
                // If that fails, too, the lane is anybody's again after a while.
                let _ = lanes::put(&self.pg, self.shard, lane, (lane.version, lane.attempts), later).await;
                true
            }
        }
    }

    async fn try_work_on(&self, lane: &Lane) -> Result<bool, WebhookError> {
        let log = self.engine.log();
        let mut version = lane.version;
        while version <= lane.last {
            let before = version.unsigned_abs().saturating_sub(1);
            let Some(next) = log.stream_page(self.shard, lane.record, before, 1).await?.pop() else { break };
            let told = self.tell.tell(self.shard, lane.subscription, next.position).await;
            match told.map_err(WebhookError::Tell)? {
                Told::Nothing => version = version.saturating_add(1),
                Told::Called(answered) => return self.called(lane, version, next.position, answered).await,
            }
        }
        let now = self.engine.clock().now();
        lanes::put(&self.pg, self.shard, lane, (version.max(lane.last.saturating_add(1)), 0), now).await?;
        Ok(true)
    }

    /// Notes what a receiver did, and when the lane goes on.
    async fn called(
        &self,
        lane: &Lane,
        version: i32,
        position: Position,
        answered: Answered,
    ) -> Result<bool, WebhookError> {
        let _turn = self.desk.acquire().await;
        let (is_taken, is_gone) = (answered.is_taken, answered.is_gone());
        let number = if version == lane.version { lane.attempts.saturating_add(1) } else { 1 };
        let id = self.engine.entropy().ulid(self.engine.clock().now());
        self.attempts.record(id, lane.subscription, position, number, answered).await?;
        let now = self.engine.clock().now();
        let [chance] = self.engine.entropy().bytes();
        let (next, due) = match schedule::next(number, now, chance) {
            _ if is_taken => ((version.saturating_add(1), 0), now),
            // Whoever subscribes again goes on here.
            _ if is_gone => ((version, 0), now),
            Some(due) => ((version, number), due),
            None => ((version.saturating_add(1), 0), now),
        };
        let is_given_up = !is_taken && next.0 > version;
        lanes::put(&self.pg, self.shard, lane, next, due).await?;
        let since = id_at(now.ms().saturating_sub(SILENT_MS));
        if is_gone || (is_given_up && !self.attempts.was_taken(lane.subscription, since).await?) {
            self.disable(lane.subscription).await?;
        }
        Ok(is_taken)
    }

    /// Sets a subscription inactive: its platform sees that in the subscription, and why in the attempts.
    async fn disable(&self, id: SubscriptionId) -> Result<(), WebhookError> {
        let active = fan_out::active(&self.engine, self.shard).await?;
        let Some(platform) = fan_out::platform_of(&active, id) else { return Ok(()) };
        tracing::warn!(subscription = %id, "it takes nothing and is not called any more");
        let change = Change { is_active: Some(false), ..Change::nothing(id, platform) };
        self.engine.submit(Call::default(), Command::ChangeSubscription(change)).await?;
        Ok(())
    }
}

/// How much more each subscription may be told now.
fn rooms(active: &Active, open: &HashMap<SubscriptionId, Open>, mut all: usize) -> Vec<(Uuid, i32)> {
    let mut rooms = vec![];
    for id in fan_out::ids(active) {
        let room = open.get(&id).map_or(CALLS_OF_ONE, Open::room).min(all);
        if room > 0 {
            all -= room;
            rooms.push((Uuid::from_u128(id.as_u128()), i32::try_from(room).unwrap_or(1)));
        }
    }
    rooms
}

/// Notes that a call ended.
fn settle(
    open: &mut HashMap<SubscriptionId, Open>,
    ended: Result<(SubscriptionId, bool), tokio::task::JoinError>,
) {
    match ended {
        Ok((id, is_taken)) => {
            let known = open.entry(id).or_default();
            known.under_way = known.under_way.saturating_sub(1);
            known.in_vain = if is_taken { 0 } else { known.in_vain.saturating_add(1) };
            if known.under_way == 0 && known.in_vain == 0 {
                open.remove(&id);
            }
        }
        Err(error) => tracing::error!(%error, "a call was broken off"),
    }
}
