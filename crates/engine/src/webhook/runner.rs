//! Runner of webhooks: fills lanes and delivers from due ones, many concurrently, and a few of each subscription.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use daybook_domain::subscription::StopReason;
use daybook_domain::subscription::change::Change;
use daybook_domain::{Command, PlatformId, SubscriptionId, Timestamp};
use daybook_log::{Position, Shard};
use daybook_pg::{Causes, Pg, unasked};
use tokio::sync::{Semaphore, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;

use super::attempts::{Attempts, id_at};
use super::backlog::ComesOn;
use super::fan_out;
use super::lanes::{self, Lane};
use super::open::{Ending, Open};
use super::places::Due;
use super::{Answered, Patience, Tell, Told, WebhookError, schedule};
use crate::batch::Call;
use crate::engine::{Engine, SHARD};
use crate::heartbeat::{Component, LATE};

/// Maximum number of finished calls recorded concurrently. Other work needs the database connections, too.
const NOTED_AT_ONCE: usize = 2;
/// Pause after a round without work.
const REST: Duration = Duration::from_millis(200);
/// Minimum pause between two rounds.
const BREATH: Duration = Duration::from_millis(20);
/// Maximum number of untried lanes of a subscription. Further events stay in the log as its backlog.
const WINDOW: u32 = 500;
/// Refill interval of backlogged subscriptions that were called since.
const COMES_ON: Duration = Duration::from_millis(500);
/// Refill interval of all backlogged subscriptions: another process may have called them.
const ALL_COME_ON: Duration = Duration::from_secs(10);
/// Delay of a lane in milliseconds after a service of ours was unavailable.
const AWAY_MS: i64 = 5_000;
/// Time in milliseconds after which a failing subscription is deactivated, if it accepted nothing meanwhile: one day.
const SILENT_MS: i64 = 24 * 3_600 * 1_000;

/// Delivers the events of one shard to subscriptions.
#[derive(Clone)]
pub struct Webhooks {
    engine: Engine,
    pg: Pg,
    tell: Arc<dyn Tell>,
    attempts: Attempts,
    shard: Shard,
    /// Permits to record the result of a call.
    desk: Arc<Semaphore>,
    window: u32,
    calls: Option<usize>,
}

impl Webhooks {
    /// Creates a runner that delivers through `tell` and records the attempts in `attempts`. The role of `pg` must be
    /// allowed to move the cursor over the log.
    #[must_use]
    pub fn new(engine: Engine, pg: Pg, attempts: Attempts, tell: Arc<dyn Tell>) -> Self {
        Self {
            engine,
            pg,
            tell,
            attempts,
            shard: SHARD,
            desk: Arc::new(Semaphore::new(NOTED_AT_ONCE)),
            window: WINDOW,
            calls: None,
        }
    }

    /// Returns the same runner with another maximum of untried lanes per subscription.
    #[must_use]
    pub fn with_window(self, window: u32) -> Self {
        Self { window, ..self }
    }

    /// Returns the same runner with another maximum of concurrent calls.
    #[must_use]
    pub fn with_calls(self, calls: usize) -> Self {
        Self { calls: Some(calls), ..self }
    }

    /// Delivers events until `stop` is set. Continues through outages of the database. Calls in progress are then
    /// aborted, and the next process repeats them.
    pub async fn run(self, stop: watch::Receiver<bool>) {
        unasked(self.run_on(stop)).await;
    }

    async fn run_on(self, mut stop: watch::Receiver<bool>) {
        let mut state = State { open: Open::of(self.calls), ..State::default() };
        while !*stop.borrow() {
            let done = self.round(&mut state).await;
            let fault = done.is_err().then_some("subscriptions cannot be looked up".into());
            self.engine.heartbeats().turn(Component::Webhooks, LATE, fault);
            let is_busy = done.unwrap_or_else(|error| {
                tracing::warn!(error = %Causes(&error), "cannot look up due webhooks");
                false
            });
            let rest = if is_busy { BREATH } else { REST };
            tokio::select! {
                () = tokio::time::sleep(rest) => {}
                // Other calls that ended meanwhile are processed with this one.
                Some(ended) = state.calls.tasks.join_next_with_id() => {
                    state.settle(ended);
                    tokio::time::sleep(BREATH).await;
                }
                stopped = stop.changed() => if stopped.is_err() { break },
            }
            while let Some(ended) = state.calls.tasks.try_join_next_with_id() {
                state.settle(ended);
            }
        }
        for lane in state.calls.break_off().await {
            let now = self.engine.clock().now();
            // If this fails, the lease of the lane expires after a while.
            let _ = lanes::put(&self.pg, self.shard, &lane, (lane.version, lane.attempts), now).await;
        }
    }

    /// Runs one round. Returns true if the next can follow immediately.
    async fn round(&self, state: &mut State) -> Result<bool, WebhookError> {
        if !state.has_begun {
            fan_out::begin(&self.engine, &self.pg, self.shard).await?;
            state.has_begun = true;
        }
        let comes_on = state.who_comes_on(Instant::now());
        let State { calls, open, .. } = state;
        let step = fan_out::step(&self.engine, &self.pg, self.shard, (self.window, &comes_on)).await?;
        if open.places.is_full() {
            return Ok(step.is_behind);
        }
        let (rooms, now) =
            (open.rooms(step.active.keys().copied(), Instant::now()), self.engine.clock().now());
        let due = lanes::due(&self.pg, self.shard, &rooms, now).await?;
        let platform = |id: &SubscriptionId| step.active.get(id).map(|known| known.platform);
        let due = due.into_iter();
        let due = due.filter_map(|lanes| Some(Due { platform: platform(&lanes.subscription)?, lanes }));
        let dealt = open.deal(due.collect());
        if dealt.is_empty() {
            return Ok(step.is_behind);
        }
        let lanes = lanes::take(&self.pg, self.shard, &dealt, now).await?;
        let is_busy = step.is_behind || !lanes.is_empty();
        for lane in lanes {
            // Every leased lane has a place, so its platform is known.
            let Some(platform) = platform(&lane.subscription) else { continue };
            let patience = open.begin(platform, lane.subscription);
            let own = self.clone();
            let task = calls.tasks.spawn(unasked(async move { own.work_on(&lane, patience).await }));
            calls.lanes.insert(task.id(), (platform, lane));
        }
        Ok(is_busy)
    }

    /// Delivers the next event of a lane.
    async fn work_on(&self, lane: &Lane, patience: Patience) -> Ending {
        match self.try_work_on(lane, patience).await {
            Ok(ending) => ending,
            Err(error) => {
                tracing::warn!(error = %Causes(&error), subscription = %lane.subscription, "no webhook was sent");
                let later = Timestamp::from_ms(self.engine.clock().now().ms().saturating_add(AWAY_MS));
                // If this fails as well, the lease of the lane expires after a while.
                let _ = lanes::put(&self.pg, self.shard, lane, (lane.version, lane.attempts), later).await;
                Ending::Taken
            }
        }
    }

    async fn try_work_on(&self, lane: &Lane, patience: Patience) -> Result<Ending, WebhookError> {
        let log = self.engine.log();
        let mut version = lane.version;
        while version <= lane.last {
            let before = version.unsigned_abs().saturating_sub(1);
            let Some(next) = log.stream_page(self.shard, lane.record, before, 1).await?.pop() else { break };
            let told = self.tell.tell(self.shard, lane.subscription, next.position, patience).await;
            match told.map_err(WebhookError::Tell)? {
                Told::Nothing => version = version.saturating_add(1),
                Told::Called(answered) => return self.called(lane, version, next.position, answered).await,
            }
        }
        let now = self.engine.clock().now();
        lanes::put(&self.pg, self.shard, lane, (version.max(lane.last.saturating_add(1)), 0), now).await?;
        Ok(Ending::Taken)
    }

    /// Records the response of a receiver and schedules the lane.
    async fn called(
        &self,
        lane: &Lane,
        version: i32,
        position: Position,
        answered: Answered,
    ) -> Result<Ending, WebhookError> {
        self.engine.metrics().called(answered.outcome);
        let _turn = self.desk.acquire().await;
        let (is_taken, is_gone) = (answered.is_taken, answered.is_gone());
        let ending = answered.ending();
        let number = if version == lane.version { lane.attempts.saturating_add(1) } else { 1 };
        let id = self.engine.entropy().ulid(self.engine.clock().now());
        self.attempts.record(id, lane.subscription, position, number, answered).await?;
        let now = self.engine.clock().now();
        let [chance] = self.engine.entropy().bytes();
        let (next, due) = match schedule::next(number, now, chance) {
            _ if is_taken => ((version.saturating_add(1), 0), now),
            // If the subscription is activated again, it continues here.
            _ if is_gone => ((version, 0), now),
            Some(due) => ((version, number), due),
            None => ((version.saturating_add(1), 0), now),
        };
        let is_given_up = !is_taken && next.0 > version;
        let since = id_at(now.ms().saturating_sub(SILENT_MS));
        // Stop the subscription before the lane is returned; otherwise another worker would call it once more.
        if is_gone {
            self.stop(lane.subscription, StopReason::Gone).await?;
        } else if is_given_up && !self.attempts.was_taken(lane.subscription, since).await? {
            self.stop(lane.subscription, StopReason::Silent).await?;
        }
        lanes::put(&self.pg, self.shard, lane, next, due).await?;
        Ok(ending)
    }

    /// Deactivates a subscription. Its platform finds the reason in the subscription and the calls in the attempts.
    async fn stop(&self, id: SubscriptionId, reason: StopReason) -> Result<(), WebhookError> {
        let Some(known) = fan_out::active_one(&self.engine, self.shard, id).await? else { return Ok(()) };
        tracing::warn!(subscription = %id, reason = reason.as_str(), "a webhook subscription was deactivated");
        let command = Command::ChangeSubscription(Change::stop(id, known.platform, reason));
        self.engine.submit(Call::default(), command).await?;
        Ok(())
    }
}

/// State of a running runner.
#[derive(Default)]
struct State {
    has_begun: bool,
    /// Times of the last refill: of called subscriptions, and of all.
    came_on: Option<Instant>,
    all_came_on: Option<Instant>,
    /// Subscriptions called since the last refill.
    called: HashSet<SubscriptionId>,
    calls: Calls,
    open: Open,
}

impl State {
    /// Returns the backlogged subscriptions to refill at `now`: those that were called, because only a call makes room.
    fn who_comes_on(&mut self, now: Instant) -> ComesOn {
        let is_over = |before: Option<Instant>, pause| before.is_none_or(|before| now - before >= pause);
        if is_over(self.all_came_on, ALL_COME_ON) {
            (self.came_on, self.all_came_on) = (Some(now), Some(now));
            self.called.clear();
            return ComesOn::All;
        }
        if is_over(self.came_on, COMES_ON) {
            self.came_on = Some(now);
            return ComesOn::These(std::mem::take(&mut self.called));
        }
        ComesOn::These(HashSet::new())
    }

    /// Records the end of a call. A panic fails this call only.
    fn settle(&mut self, ended: Result<(Id, Ending), JoinError>) {
        let (id, ending) = ended.unwrap_or_else(|error| {
            tracing::error!(error = %Causes(&error), "a webhook call panicked");
            (error.id(), Ending::InVain)
        });
        if let Some((platform, lane)) = self.calls.lanes.remove(&id) {
            self.called.insert(lane.subscription);
            self.open.end(platform, lane.subscription, ending, Instant::now());
        }
    }
}

/// Calls in progress, each with its platform and its lane.
#[derive(Default)]
struct Calls {
    tasks: JoinSet<Ending>,
    lanes: HashMap<Id, (PlatformId, Lane)>,
}

impl Calls {
    /// Aborts all calls. Returns the lanes of those that did not finish.
    async fn break_off(mut self) -> Vec<Lane> {
        self.tasks.abort_all();
        while let Some(ended) = self.tasks.join_next_with_id().await {
            if let Ok((id, _)) = ended {
                self.lanes.remove(&id);
            }
        }
        self.lanes.into_values().map(|(_, lane)| lane).collect()
    }
}
