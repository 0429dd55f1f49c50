//! Runner of webhooks: fills lanes and delivers from due ones, many concurrently, and a few of each subscription.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use daybook_domain::subscription::StopReason;
use daybook_domain::subscription::change::Change;
use daybook_domain::{Command, PlatformId, SubscriptionId, Timestamp};
use daybook_log::{Activity, Position, Shard};
use daybook_pg::{Causes, Pg, in_background};
use tokio::sync::{Semaphore, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::Instant;

use super::attempts::{Attempts, id_at};
use super::backlog::RefillScope;
use super::call_limiter::{CallLimiter, CallOutcome};
use super::call_slots::DueLanes;
use super::fan_out;
use super::lanes::{self, Lane};
use super::{CallTimeout, Deliver, DeliveryResult, ReceiverResponse, WebhookError, schedule};
use crate::batch::Call;
use crate::engine::Engine;
use crate::heartbeat::{Component, LATE_AFTER};

/// Maximum number of finished calls recorded concurrently. Other work needs the database connections, too.
const MAX_CONCURRENT_WRITES: usize = 2;
/// Pause after a round without work.
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Pause after a round without work while the shard is quiet.
const QUIET_INTERVAL: Duration = Duration::from_secs(4);
/// Minimum pause between two rounds.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Maximum number of untried lanes of a subscription. Further events stay in the log as its backlog.
const MAX_UNTRIED_LANES: u32 = 500;
/// Refill interval of backlogged subscriptions that were called since.
const REFILL_INTERVAL: Duration = Duration::from_millis(500);
/// Refill interval of all backlogged subscriptions: another process may have called them.
const FULL_REFILL_INTERVAL: Duration = Duration::from_secs(10);
/// Delay of a lane in milliseconds after a service of ours was unavailable.
const UNAVAILABLE_RETRY_MS: i64 = 5_000;
/// Time in milliseconds after which a failing subscription is deactivated, if it accepted nothing meanwhile: one day.
const SILENCE_LIMIT_MS: i64 = 24 * 3_600 * 1_000;

/// Delivers the events of one shard to subscriptions.
#[derive(Clone)]
pub struct Webhooks {
    engine: Engine,
    pg: Pg,
    sender: Arc<dyn Deliver>,
    attempts: Attempts,
    shard: Shard,
    /// Permits to record the result of a call.
    write_permits: Arc<Semaphore>,
    window: u32,
    calls: Option<usize>,
}

impl Webhooks {
    /// Creates a runner of `shard` that delivers through `sender` and records the attempts in `attempts`. The role of
    /// `pg` must be allowed to move the cursor over the log.
    #[must_use]
    pub fn new(engine: Engine, pg: Pg, shard: Shard, attempts: Attempts, sender: Arc<dyn Deliver>) -> Self {
        Self {
            engine,
            pg,
            sender,
            attempts,
            shard,
            write_permits: Arc::new(Semaphore::new(MAX_CONCURRENT_WRITES)),
            window: MAX_UNTRIED_LANES,
            calls: None,
        }
    }

    /// Returns the same runner for another shard. Both share the permits to record results.
    #[must_use]
    pub fn of(self, shard: Shard) -> Self {
        Self { shard, ..self }
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
        in_background(self.run_on(stop)).await;
    }

    async fn run_on(self, mut stop: watch::Receiver<bool>) {
        let mut activity = Activity::of(&**self.engine.log(), self.shard);
        let mut state = State { call_limiter: CallLimiter::of(self.calls), ..State::default() };
        while !*stop.borrow() {
            let done = self.round(&mut state).await;
            let fault = done.is_err().then_some("subscriptions cannot be looked up".into());
            self.engine.heartbeats(self.shard).turn(Component::Webhooks, LATE_AFTER, fault);
            let has_more_work = done.unwrap_or_else(|error| {
                tracing::warn!(error = %Causes(&error), "cannot look up due webhooks");
                false
            });
            if has_more_work || !state.calls.tasks.is_empty() {
                activity.note();
            }
            let rest = if has_more_work { MIN_POLL_INTERVAL } else { IDLE_POLL_INTERVAL };
            tokio::select! {
                () = activity.pause(rest, QUIET_INTERVAL) => {}
                // Other calls that ended meanwhile are processed with this one.
                Some(ended) = state.calls.tasks.join_next_with_id() => {
                    state.settle(ended);
                    tokio::time::sleep(MIN_POLL_INTERVAL).await;
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
        let refill = state.subscriptions_to_refill(Instant::now());
        let State { calls, call_limiter, .. } = state;
        let step = fan_out::step(&self.engine, &self.pg, self.shard, (self.window, &refill)).await?;
        if call_limiter.slots.is_full() {
            return Ok(step.is_behind);
        }
        let (capacities, now) =
            (call_limiter.capacities(step.active.keys().copied(), Instant::now()), self.engine.clock().now());
        let due = lanes::due(&self.pg, self.shard, &capacities, now).await?;
        let platform = |id: &SubscriptionId| step.active.get(id).map(|known| known.platform);
        let due = due.into_iter();
        let due = due.filter_map(|lanes| Some(DueLanes { platform: platform(&lanes.subscription)?, lanes }));
        let dealt = call_limiter.deal(due.collect());
        if dealt.is_empty() {
            return Ok(step.is_behind);
        }
        let lanes = lanes::take(&self.pg, self.shard, &dealt, now).await?;
        let has_more_work = step.is_behind || !lanes.is_empty();
        for lane in lanes {
            // Every leased lane has a place, so its platform is known.
            let Some(platform) = platform(&lane.subscription) else { continue };
            let call_timeout = call_limiter.begin(platform, lane.subscription);
            let own = self.clone();
            let task =
                calls.tasks.spawn(in_background(async move { own.work_on(&lane, call_timeout).await }));
            calls.lanes.insert(task.id(), (platform, lane));
        }
        Ok(has_more_work)
    }

    /// Delivers the next event of a lane.
    async fn work_on(&self, lane: &Lane, call_timeout: CallTimeout) -> CallOutcome {
        match self.try_work_on(lane, call_timeout).await {
            Ok(outcome_kind) => outcome_kind,
            Err(error) => {
                tracing::warn!(error = %Causes(&error), subscription = %lane.subscription, "no webhook was sent");
                let later =
                    Timestamp::from_ms(self.engine.clock().now().ms().saturating_add(UNAVAILABLE_RETRY_MS));
                // If this fails as well, the lease of the lane expires after a while.
                let _ = lanes::put(&self.pg, self.shard, lane, (lane.version, lane.attempts), later).await;
                CallOutcome::Taken
            }
        }
    }

    async fn try_work_on(&self, lane: &Lane, call_timeout: CallTimeout) -> Result<CallOutcome, WebhookError> {
        let log = self.engine.log();
        let mut version = lane.version;
        while version <= lane.last {
            let before = version.unsigned_abs().saturating_sub(1);
            let Some(next) = log.stream_page(self.shard, lane.record, before, 1).await?.pop() else { break };
            let told = self.sender.deliver(self.shard, lane.subscription, next.position, call_timeout).await;
            match told.map_err(WebhookError::Deliver)? {
                DeliveryResult::Nothing => version = version.saturating_add(1),
                DeliveryResult::Called(response) => {
                    return self.called(lane, version, next.position, response).await;
                }
            }
        }
        let now = self.engine.clock().now();
        lanes::put(&self.pg, self.shard, lane, (version.max(lane.last.saturating_add(1)), 0), now).await?;
        Ok(CallOutcome::Taken)
    }

    /// Records the response of a receiver and schedules the lane.
    async fn called(
        &self,
        lane: &Lane,
        version: i32,
        position: Position,
        response: ReceiverResponse,
    ) -> Result<CallOutcome, WebhookError> {
        self.engine.metrics().called(response.outcome);
        let _turn = self.write_permits.acquire().await;
        let (is_taken, is_gone) = (response.is_taken, response.is_gone());
        let outcome_kind = response.outcome_kind();
        let number = if version == lane.version { lane.attempts.saturating_add(1) } else { 1 };
        let id = self.engine.entropy().ulid(self.engine.clock().now());
        self.attempts.record(self.shard, (id, lane.subscription), position, number, response).await?;
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
        let since = id_at(now.ms().saturating_sub(SILENCE_LIMIT_MS));
        // Stop the subscription before the lane is returned; otherwise another worker would call it once more.
        if is_gone {
            self.stop(lane.subscription, StopReason::Gone).await?;
        } else if is_given_up && !self.attempts.was_taken(self.shard, lane.subscription, since).await? {
            self.stop(lane.subscription, StopReason::Silent).await?;
        }
        lanes::put(&self.pg, self.shard, lane, next, due).await?;
        Ok(outcome_kind)
    }

    /// Deactivates a subscription. Its platform finds the reason in the subscription and the calls in the attempts.
    async fn stop(&self, id: SubscriptionId, reason: StopReason) -> Result<(), WebhookError> {
        let Some(known) = fan_out::active_one(&self.engine, self.shard, id).await? else { return Ok(()) };
        tracing::warn!(subscription = %id, reason = reason.as_str(), "a webhook subscription was deactivated");
        let command = Command::ChangeSubscription(Change::stop(id, known.platform, reason));
        self.engine.submit(Call::of(self.shard), command).await?;
        Ok(())
    }
}

/// State of a running runner.
#[derive(Default)]
struct State {
    has_begun: bool,
    /// Times of the last refill: of called subscriptions, and of all.
    refilled_at: Option<Instant>,
    all_refilled_at: Option<Instant>,
    /// Subscriptions called since the last refill.
    called: HashSet<SubscriptionId>,
    calls: Calls,
    call_limiter: CallLimiter,
}

impl State {
    /// Returns the backlogged subscriptions to refill at `now`: those that were called, because only a call makes room.
    fn subscriptions_to_refill(&mut self, now: Instant) -> RefillScope {
        let is_over = |before: Option<Instant>, pause| before.is_none_or(|before| now - before >= pause);
        if is_over(self.all_refilled_at, FULL_REFILL_INTERVAL) {
            (self.refilled_at, self.all_refilled_at) = (Some(now), Some(now));
            self.called.clear();
            return RefillScope::All;
        }
        if is_over(self.refilled_at, REFILL_INTERVAL) {
            self.refilled_at = Some(now);
            return RefillScope::These(std::mem::take(&mut self.called));
        }
        RefillScope::These(HashSet::new())
    }

    /// Records the end of a call. A panic fails this call only.
    fn settle(&mut self, ended: Result<(Id, CallOutcome), JoinError>) {
        let (id, outcome_kind) = ended.unwrap_or_else(|error| {
            tracing::error!(error = %Causes(&error), "a webhook call panicked");
            (error.id(), CallOutcome::Failed)
        });
        if let Some((platform, lane)) = self.calls.lanes.remove(&id) {
            self.called.insert(lane.subscription);
            self.call_limiter.end(platform, lane.subscription, outcome_kind, Instant::now());
        }
    }
}

/// Calls in progress, each with its platform and its lane.
#[derive(Default)]
struct Calls {
    tasks: JoinSet<CallOutcome>,
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
