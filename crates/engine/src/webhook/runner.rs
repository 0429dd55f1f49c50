//! The runner: puts events into lanes and works on those that are due, many at a time, and of each subscription a few.

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

/// Calls of which is noted at once what came of them: the connections are those of others, too.
const NOTED_AT_ONCE: usize = 2;
/// How long it rests when there was nothing to do.
const REST: Duration = Duration::from_millis(200);
/// How long it rests in between at least.
const BREATH: Duration = Duration::from_millis(20);
/// How many lanes of a subscription that were never tried are enough: what is more stays in the log.
const WINDOW: u32 = 500;
/// How often those who are behind and were called come on.
const COMES_ON: Duration = Duration::from_millis(500);
/// How often all who are behind do: another process may have called them.
const ALL_COME_ON: Duration = Duration::from_secs(10);
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
    window: u32,
    calls: Option<usize>,
}

impl Webhooks {
    /// A runner that has `tell` call those who subscribed, and notes that in `attempts`. Lanes follow from the log by a
    /// cursor, so `pg` acts as whoever may move one.
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

    /// The same, for whom so many lanes are enough.
    #[must_use]
    pub fn with_window(self, window: u32) -> Self {
        Self { window, ..self }
    }

    /// The same with so many calls under way at most.
    #[must_use]
    pub fn with_calls(self, calls: usize) -> Self {
        Self { calls: Some(calls), ..self }
    }

    /// Tells them until `stop` says so, through outages of the database. Calls that are under way then are broken off, and
    /// made again by the next process.
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
                tracing::warn!(error = %Causes(&error), "cannot look whom to tell");
                false
            });
            let rest = if is_busy { BREATH } else { REST };
            tokio::select! {
                () = tokio::time::sleep(rest) => {}
                // Whatever else ended by then is looked at with it.
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
            // If that fails, the lane is anybody's again after a while.
            let _ = lanes::put(&self.pg, self.shard, &lane, (lane.version, lane.attempts), now).await;
        }
    }

    /// One look at log and lanes; answers whether there is more to do at once.
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
            // It is one of those that were dealt a place.
            let Some(platform) = platform(&lane.subscription) else { continue };
            let patience = open.begin(platform, lane.subscription);
            let own = self.clone();
            let task = calls.tasks.spawn(unasked(async move { own.work_on(&lane, patience).await }));
            calls.lanes.insert(task.id(), (platform, lane));
        }
        Ok(is_busy)
    }

    /// Tells the next thing of a lane; answers what came of it.
    async fn work_on(&self, lane: &Lane, patience: Patience) -> Ending {
        match self.try_work_on(lane, patience).await {
            Ok(ending) => ending,
            Err(error) => {
                tracing::warn!(error = %Causes(&error), subscription = %lane.subscription, "nobody was told");
                let later = Timestamp::from_ms(self.engine.clock().now().ms().saturating_add(AWAY_MS));
                // If that fails, too, the lane is anybody's again after a while.
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

    /// Notes what a receiver did, and when the lane goes on.
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
            // Whoever subscribes again goes on here.
            _ if is_gone => ((version, 0), now),
            Some(due) => ((version, number), due),
            None => ((version.saturating_add(1), 0), now),
        };
        let is_given_up = !is_taken && next.0 > version;
        let since = id_at(now.ms().saturating_sub(SILENT_MS));
        // Before the lane is anybody's again, or another worker would call once more.
        if is_gone {
            self.stop(lane.subscription, StopReason::Gone).await?;
        } else if is_given_up && !self.attempts.was_taken(lane.subscription, since).await? {
            self.stop(lane.subscription, StopReason::Silent).await?;
        }
        lanes::put(&self.pg, self.shard, lane, next, due).await?;
        Ok(ending)
    }

    /// Sets a subscription inactive: its platform sees that and why in the subscription, and what was tried in the attempts.
    async fn stop(&self, id: SubscriptionId, reason: StopReason) -> Result<(), WebhookError> {
        let Some(known) = fan_out::active_one(&self.engine, self.shard, id).await? else { return Ok(()) };
        tracing::warn!(subscription = %id, reason = reason.as_str(), "it is not called any more");
        let command = Command::ChangeSubscription(Change::stop(id, known.platform, reason));
        self.engine.submit(Call::default(), command).await?;
        Ok(())
    }
}

/// What it knows while it runs.
#[derive(Default)]
struct State {
    has_begun: bool,
    /// When those who are behind came on, and when all of them did.
    came_on: Option<Instant>,
    all_came_on: Option<Instant>,
    /// Who was called since.
    called: HashSet<SubscriptionId>,
    calls: Calls,
    open: Open,
}

impl State {
    /// Who comes on at `now`, if it is behind: only a call makes room.
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

    /// Notes that a call ended. Whatever panics costs that call and nothing else.
    fn settle(&mut self, ended: Result<(Id, Ending), JoinError>) {
        let (id, ending) = ended.unwrap_or_else(|error| {
            tracing::error!(error = %Causes(&error), "a call broke off");
            (error.id(), Ending::InVain)
        });
        if let Some((platform, lane)) = self.calls.lanes.remove(&id) {
            self.called.insert(lane.subscription);
            self.open.end(platform, lane.subscription, ending, Instant::now());
        }
    }
}

/// The calls that are under way, each with its lane and the platform that it is of.
#[derive(Default)]
struct Calls {
    tasks: JoinSet<Ending>,
    lanes: HashMap<Id, (PlatformId, Lane)>,
}

impl Calls {
    /// Ends all of them; answers the lanes of those that did not come to their end.
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
