//! What is asked when somebody looks: how far everything has come, and what waits.
//!
//! What cannot be told is left out rather than shown as it was.

use std::sync::atomic::AtomicU64;

use daybook_api::Watching;
use daybook_domain::Timestamp;
use daybook_engine::heartbeat::Condition;
use daybook_engine::webhook::{self, WebhookError};
use daybook_engine::{Engine, SHARD};
use daybook_log::Position;
use daybook_log::postgres::PostgresLog;
use daybook_pg::{Pg, Role};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// A number of this moment.
type Number = Gauge<f64, AtomicU64>;

/// Numbers of one moment.
pub(super) struct Sample {
    pub(super) registry: Registry,
}

impl Sample {
    /// None yet, whose names will begin with `prefix`.
    pub(super) fn new(prefix: &str) -> Self {
        Self { registry: Registry::with_prefix(prefix) }
    }

    /// One number.
    pub(super) fn gauge(&mut self, name: &str, help: &str, value: f64) {
        let gauge = Number::default();
        gauge.set(value);
        self.registry.register(name, help, gauge);
    }

    /// A number for each value of a label.
    fn gauges(
        &mut self,
        (name, help): (&str, &str),
        label: &'static str,
        values: impl IntoIterator<Item = (&'static str, f64)>,
    ) {
        let family = Family::<[(&'static str, &'static str); 1], Number>::default();
        for (value, number) in values {
            family.get_or_create(&[(label, value)]).set(number);
        }
        self.registry.register(name, help, family);
    }
}

/// Who can tell.
pub struct Source {
    /// The queue, read models and to-dos.
    pub engine: Engine,
    /// The log.
    pub log: PostgresLog,
    /// The database.
    pub pg: Pg,
    /// How requests are watched.
    pub watching: Watching,
}

impl Source {
    /// What this process knows without asking.
    pub(super) fn look(&self, sample: &mut Sample) {
        let (waiting, capacity) = self.engine.queue();
        sample.gauge("writer_queue", "Calls that wait for the writer", count(waiting as u64));
        sample.gauge("writer_queue_capacity", "Calls that may wait for the writer", count(capacity as u64));
        let running = f64::from(u8::from(self.engine.is_writing()));
        sample.gauge(
            "writer_running",
            "1 while the writer takes commands; it stops if the log is corrupt or was replaced",
            running,
        );
        let conditions = self.engine.heartbeats().conditions();
        let stands = |condition: &Condition| f64::from(u8::from(condition.stands_still()));
        let values = conditions.iter().map(|(component, condition)| (component.as_str(), stands(condition)));
        let help =
            "1 while a background worker fails for more than five minutes, or reports nothing any more";
        sample.gauges(("standing_still", help), "part", values);
        let pools: Vec<_> = self.pg.pools().collect();
        for (name, help, of) in POOL {
            let values = pools.iter().map(|pool| (pool.pool, count(of(pool) as u64)));
            sample.gauges((name, help), "pool", values);
        }
    }

    /// What the database tells.
    pub(super) async fn ask(&self, sample: &mut Sample) -> Result<(), WebhookError> {
        let now = self.engine.clock().now();
        let head = self.log_and_projection(sample, now).await?;
        self.to_dos(sample, now).await?;
        self.webhooks(sample, (now, head)).await?;
        self.proofs(sample, (now, head)).await
    }

    async fn log_and_projection(
        &self,
        sample: &mut Sample,
        now: Timestamp,
    ) -> Result<Position, WebhookError> {
        let reads = self.engine.reads();
        // In this order: nothing is ahead of what is read after it.
        let projected = reads.store().position(SHARD).await?;
        let head = self.engine.log().head(SHARD).await?;
        sample.gauge("log_position", "Position of the newest event", count(head.position));
        sample.gauge("log_commits", "Number of the newest commit", count(head.commit_no));
        sample.gauge("projection_position", "How far read models have come", count(projected));
        let help = "Events that read models are behind the log";
        sample.gauge("projection_lag_events", help, count(head.position.saturating_sub(projected)));
        let seconds = self.waiting_since(projected, head.position, now).await?;
        let help = "How long the oldest event waits that is not in read models; 0 if there is none";
        sample.gauge("projection_lag_seconds", help, seconds);
        Ok(head.position)
    }

    async fn to_dos(&self, sample: &mut Sample, now: Timestamp) -> Result<(), WebhookError> {
        let due = self.engine.reads().lists().backlog(SHARD, now).await?;
        let of = |process| due.iter().find(move |backlog| backlog.process == process);
        let all = daybook_domain::process::Process::ALL;
        let counts = all.map(|process| (process.as_str(), of(process).map_or(0.0, |due| count(due.count))));
        let help =
            "To-dos that are due by the wall's clock, by process; ten thousand of each are counted at most";
        sample.gauges(("todos_due", help), "process", counts);
        let ages =
            all.map(|process| (process.as_str(), of(process).map_or(0.0, |due| seconds(due.since, now))));
        let help = "How long the first to-do is due, by process; 0 if none is";
        sample.gauges(("todos_due_seconds", help), "process", ages);
        Ok(())
    }

    async fn webhooks(
        &self,
        sample: &mut Sample,
        (now, head): (Timestamp, Position),
    ) -> Result<(), WebhookError> {
        let waiting = webhook::waiting(&self.pg.acting_as(Role::Projector), SHARD, now).await?;
        let states = [("new", waiting.lanes - waiting.retrying), ("retrying", waiting.retrying)];
        let help = "Records that some subscription is still to be told of, by whether the next event was told in vain";
        sample.gauges(("webhook_lanes", help), "state", states.map(|(state, lanes)| (state, count(lanes))));
        let due = waiting.due_since.map_or(0.0, |since| seconds(since, now));
        let help = "How long the first of these is due; 0 if none is";
        sample.gauge("webhook_due_seconds", help, due);
        let position = waiting.position.unwrap_or(head);
        let help = "Events that nobody has put into lanes yet";
        sample.gauge("webhook_lag_events", help, count(head.saturating_sub(position)));
        let help = "Subscriptions that get no more lanes, because many of theirs wait already";
        sample.gauge("webhook_subscriptions_behind", help, count(waiting.behind));
        let behind = self.waiting_since(waiting.behind_at.unwrap_or(head), head, now).await?;
        let help = "How old the oldest event is that may still be told to one of these; 0 if there is none";
        sample.gauge("webhook_behind_seconds", help, behind);
        Ok(())
    }

    async fn proofs(
        &self,
        sample: &mut Sample,
        (now, head): (Timestamp, Position),
    ) -> Result<(), WebhookError> {
        let size = self.log.last_checkpoint(SHARD).await?.map_or(0, |made| made.size);
        sample.gauge("checkpoint_size", "Events that the newest checkpoint covers", count(size));
        let help = "How long the oldest event waits that no checkpoint covers; 0 if there is none";
        sample.gauge("checkpoint_lag_seconds", help, self.waiting_since(size, head, now).await?);
        let pending = self.log.unattested(SHARD).await?.len();
        let help = "Platforms whose newest tree of accounts is not attested yet";
        sample.gauge("attestations_pending", help, count(pending as u64));
        Ok(())
    }

    /// How long the first event behind `position` waits, if the log has come further.
    async fn waiting_since(
        &self,
        position: Position,
        head: Position,
        now: Timestamp,
    ) -> Result<f64, WebhookError> {
        if position >= head {
            return Ok(0.0);
        }
        let commit = self.log.raw_commit_of(SHARD, position + 1).await?;
        let recorded = commit.map(|commit| Timestamp::from_ms(commit.recorded_at_us / 1000));
        Ok(recorded.map_or(0.0, |recorded| seconds(recorded, now)))
    }
}

/// What is shown of a pool.
type OfPool = (&'static str, &'static str, fn(&daybook_pg::PoolUsage) -> usize);

const POOL: [OfPool; 4] = [
    ("db_pool_max", "The most connections that a pool may have", |pool| pool.max),
    ("db_pool_size", "Connections that a pool has", |pool| pool.size),
    ("db_pool_in_use", "Connections of a pool that are in use", |pool| pool.in_use),
    ("db_pool_waiting", "Callers that wait for a connection of a pool", |pool| pool.waiting),
];

/// From `since` to `now`; clocks of two machines may differ.
fn seconds(since: Timestamp, now: Timestamp) -> f64 {
    // Exact for as long as there are computers.
    #[allow(clippy::cast_precision_loss)]
    let ms = now.ms().saturating_sub(since.ms()).max(0) as f64;
    ms / 1000.0
}

/// A count as Prometheus has it, which is exact to 2^53.
pub(super) fn count(number: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    let number = number as f64;
    number
}
