//! Sources of the values that are queried at each scrape: positions, lags and queues.
//!
//! A value that cannot be queried is omitted; an old value is never shown.

use std::time::Duration;

use daybook_api::Observability;
use daybook_domain::Timestamp;
use daybook_domain::calendar::{Day, banking_days_between};
use daybook_engine::Engine;
use daybook_engine::heartbeat::Condition;
use daybook_engine::reconciliation::overdue_before;
use daybook_engine::webhook::{self, WebhookError};
use daybook_log::postgres::PostgresLog;
use daybook_log::{FIRST_SHARD, Position, Shard};
use daybook_pg::{Causes, Pg, Role};
use futures::future::join_all;
use tokio::time::timeout;

use super::sample::{Sample, ShardSample, count};

/// Sources of the values.
pub struct Source {
    /// Engine: writer queues, read models and to-dos.
    pub engine: Engine,
    /// The log.
    pub log: PostgresLog,
    /// The database.
    pub pg: Pg,
    /// Observability of requests.
    pub observability: Observability,
}

impl Source {
    /// Adds the values that this process knows without a query.
    pub(super) fn look(&self, sample: &mut Sample) {
        let (_, capacity) = self.engine.queue(FIRST_SHARD);
        let help = "Maximum number of commands that wait for the writer of a shard";
        sample.gauge("writer_queue_capacity", help, count(capacity as u64));
        for shard in self.engine.served().into_keys() {
            sample.add(self.look_at(shard));
        }
        let (replicas, serving) = self.log.replicas().map_or((0, 0), |replicas| replicas.count());
        let help = "Replicas that may answer queries";
        sample.gauge("replicas", help, count(replicas as u64));
        let help = "Replicas that answer queries at present; the primary answers for the others";
        sample.gauge("replicas_serving", help, count(serving as u64));
        for (name, help, of) in POOL {
            let pools = self.pg.servers().flat_map(|server| {
                let name = server.placement().to_string();
                server.pools().map(move |pool| (name.clone(), pool)).collect::<Vec<_>>()
            });
            sample.pools(
                (name, help),
                pools.map(|(server, pool)| (server, pool.pool, count(of(&pool) as u64))),
            );
        }
    }

    fn look_at(&self, shard: Shard) -> ShardSample {
        let mut sample = ShardSample::new(shard);
        let (waiting, _) = self.engine.queue(shard);
        sample.gauge("writer_queue", "Commands that wait for the writer", count(waiting as u64));
        let running = f64::from(u8::from(self.engine.is_writing(shard)));
        let help = "1 while the writer takes commands; it stops if the log is corrupt or was replaced";
        sample.gauge("writer_running", help, running);
        let conditions = self.engine.heartbeats(shard).conditions();
        let stands = |condition: &Condition| f64::from(u8::from(condition.stands_still()));
        let values = conditions.iter().map(|(component, condition)| (component.as_str(), stands(condition)));
        let help =
            "1 while a background worker has failed for more than five minutes, or has stopped reporting";
        sample.gauges(("standing_still", help), "part", values);
        sample
    }

    /// Adds the values that are queried from the database, for all shards at the same time. Returns true if the
    /// database answered all queries within `at_most`.
    pub(super) async fn ask(&self, sample: &mut Sample, at_most: Duration) -> bool {
        let shards = self.engine.served();
        let asked = join_all(shards.into_keys().map(async |shard| {
            let mut sample = ShardSample::new(shard);
            let asked = timeout(at_most, self.query(&mut sample)).await;
            (sample, asked)
        }));
        let mut is_whole = true;
        for (of_shard, asked) in asked.await {
            if let Ok(Err(error)) = &asked {
                let shard = of_shard.shard;
                tracing::debug!(shard, error = %Causes(error), "the database cannot be queried for metrics");
            }
            is_whole &= matches!(asked, Ok(Ok(())));
            sample.add(of_shard);
        }
        is_whole
    }

    async fn query(&self, sample: &mut ShardSample) -> Result<(), WebhookError> {
        let now = self.engine.clock().now();
        let head = self.log_and_projection(sample, now).await?;
        self.to_dos(sample, now).await?;
        self.webhooks(sample, (now, head)).await?;
        self.proofs(sample, (now, head)).await?;
        // Last, since it reads the most rows.
        self.bank(sample, Day::of(now)).await
    }

    async fn log_and_projection(
        &self,
        sample: &mut ShardSample,
        now: Timestamp,
    ) -> Result<Position, WebhookError> {
        let reads = self.engine.reads();
        // In this order, no value is ahead of one that is read after it.
        let projected = reads.store().position(sample.shard).await?;
        let head = self.engine.log().head(sample.shard).await?;
        sample.gauge("log_position", "Position of the newest event", count(head.position));
        sample.gauge("log_commits", "Number of the newest commit", count(head.commit_no));
        sample.gauge("projection_position", "Position that the read models have reached", count(projected));
        let help = "Number of events that the read models are behind the log";
        sample.gauge("projection_lag_events", help, count(head.position.saturating_sub(projected)));
        let seconds = self.waiting_since(sample.shard, projected, head.position, now).await?;
        let help = "Age of the oldest event that is not in the read models yet; 0 if there is none";
        sample.gauge("projection_lag_seconds", help, seconds);
        Ok(head.position)
    }

    async fn to_dos(&self, sample: &mut ShardSample, now: Timestamp) -> Result<(), WebhookError> {
        let due = self.engine.reads().lists().backlog(sample.shard, now).await?;
        let of = |process| due.iter().find(move |backlog| backlog.process == process);
        let all = daybook_domain::process::Process::ALL;
        let counts = all.map(|process| (process.as_str(), of(process).map_or(0.0, |due| count(due.count))));
        let help =
            "To-dos that are due by wall-clock time, by process; at most ten thousand of each are counted";
        sample.gauges(("todos_due", help), "process", counts);
        let ages =
            all.map(|process| (process.as_str(), of(process).map_or(0.0, |due| seconds(due.since, now))));
        let help = "Seconds since the first to-do became due, by process; 0 if none is due";
        sample.gauges(("todos_due_seconds", help), "process", ages);
        Ok(())
    }

    /// Adds the values about accounts of real platforms at banks.
    async fn bank(&self, sample: &mut ShardSample, today: Day) -> Result<(), WebhookError> {
        let lists = self.engine.reads().lists();
        let days = lists.break_days(sample.shard).await?;
        let mut counts = BREAK_AGES.map(|(name, _)| (name, 0));
        for (day, lines) in days {
            let age = banking_days_between(day, today);
            let of = BREAK_AGES.iter().position(|(_, most)| age <= *most).unwrap_or_default();
            counts[of].1 += lines;
        }
        let help = "Lines in suspense of real platforms, by age in banking days";
        sample.gauges(("breaks", help), "age", counts.map(|(age, lines)| (age, count(lines))));
        let overdue = lists.overdue_items(sample.shard, &overdue_before(today)).await?;
        let help = "Open items of real platforms that are older than the bank takes to state them";
        sample.gauge("open_items_overdue", help, count(overdue));
        let stated = lists.oldest_statement(sample.shard).await?;
        let days = stated.map_or(0, |day| banking_days_between(day, today));
        let help = "Banking days since the newest statement of the real account for which it is longest ago";
        sample.gauge("statement_age_days", help, f64::from(days));
        Ok(())
    }

    async fn webhooks(
        &self,
        sample: &mut ShardSample,
        (now, head): (Timestamp, Position),
    ) -> Result<(), WebhookError> {
        let waiting = webhook::backlog_status(&self.pg.acting_as(Role::Projector), sample.shard, now).await?;
        let states = [("new", waiting.lanes - waiting.retrying), ("retrying", waiting.retrying)];
        let help = "Records with undelivered events for a subscription; retrying if a delivery of the next event failed";
        sample.gauges(("webhook_lanes", help), "state", states.map(|(state, lanes)| (state, count(lanes))));
        let due = waiting.due_since.map_or(0.0, |since| seconds(since, now));
        let help = "Seconds since the first of these became due; 0 if none is due";
        sample.gauge("webhook_due_seconds", help, due);
        let position = waiting.position.unwrap_or(head);
        let help = "Events that have not been distributed to lanes yet";
        sample.gauge("webhook_lag_events", help, count(head.saturating_sub(position)));
        let help =
            "Subscriptions that get no further lanes, because too many of their deliveries are pending";
        sample.gauge("webhook_subscriptions_behind", help, count(waiting.behind));
        let behind = self.waiting_since(sample.shard, waiting.behind_at.unwrap_or(head), head, now).await?;
        let help =
            "Age of the oldest event that such a subscription may still have to get; 0 if there is none";
        sample.gauge("webhook_behind_seconds", help, behind);
        Ok(())
    }

    async fn proofs(
        &self,
        sample: &mut ShardSample,
        (now, head): (Timestamp, Position),
    ) -> Result<(), WebhookError> {
        let size = self.log.last_checkpoint(sample.shard).await?.map_or(0, |made| made.size);
        sample.gauge("checkpoint_size", "Number of events that the newest checkpoint covers", count(size));
        let help = "Age of the oldest event that no checkpoint covers; 0 if there is none";
        sample.gauge(
            "checkpoint_lag_seconds",
            help,
            self.waiting_since(sample.shard, size, head, now).await?,
        );
        let pending = self.log.unattested(sample.shard).await?.len();
        let help = "Platforms whose newest tree of accounts is not attested yet";
        sample.gauge("attestations_pending", help, count(pending as u64));
        Ok(())
    }

    /// Age in seconds of the first event after `position`; 0 if there is none.
    async fn waiting_since(
        &self,
        shard: Shard,
        position: Position,
        head: Position,
        now: Timestamp,
    ) -> Result<f64, WebhookError> {
        if position >= head {
            return Ok(0.0);
        }
        let commit = self.log.raw_commit_of(shard, position + 1).await?;
        let recorded = commit.map(|commit| Timestamp::from_ms(commit.recorded_at_us / 1000));
        Ok(recorded.map_or(0.0, |recorded| seconds(recorded, now)))
    }
}

/// Ages of breaks: name, and largest number of banking days.
const BREAK_AGES: [(&str, u32); 4] = [("0-2", 2), ("3-5", 5), ("6-10", 10), ("11-", u32::MAX)];

/// Gauge of a connection pool: name, help text and value.
type OfPool = (&'static str, &'static str, fn(&daybook_pg::PoolUsage) -> usize);

const POOL: [OfPool; 4] = [
    ("db_pool_max", "Maximum number of connections of a pool", |pool| pool.max),
    ("db_pool_size", "Open connections of a pool", |pool| pool.size),
    ("db_pool_in_use", "Connections of a pool that are in use", |pool| pool.in_use),
    ("db_pool_waiting", "Callers that wait for a connection of a pool", |pool| pool.waiting),
];

/// Seconds from `since` to `now`; 0 if the clocks of two machines disagree.
fn seconds(since: Timestamp, now: Timestamp) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "exact for all realistic durations")]
    let ms = now.ms().saturating_sub(since.ms()).max(0) as f64;
    ms / 1000.0
}
