//! A server on a database, under observation.
//!
//! After every load its acknowledged transactions are counted in two ways that are independent of its answers: in the
//! log, and in the lists of users.

use std::sync::Arc;
use std::time::{Duration, Instant};

use daybook_domain::Kind;
use daybook_engine::SHARD;
use daybook_log::postgres::PostgresLog;
use daybook_pg::Pg;
use daybook_projector::Reads;
use tokio::time::interval;

use super::child::Child;
use super::cpu::{Cpu, Processes, peak_mib, resident_mib};
use super::nodes::Nodes;
use super::{SETTLE_NEVER, Stage, patient, vacuum};
use crate::error::Error;
use crate::figures::{Sample, count};
use crate::load::client::failed;
use crate::load::{Load, Outcome, Traffic};

/// Timeout for the read models to catch up after a load.
const CATCH_UP_TIMEOUT: Duration = Duration::from_mins(10);
/// Interval of memory checks.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The server and its database.
pub(crate) struct Running<'a> {
    pub(crate) traffic: Arc<Traffic>,
    pub(crate) child: Child,
    pub(crate) pg: Pg,
    pub(crate) reads: Reads,
    stage: &'a Stage<'a>,
    database: String,
}

/// Result of one load.
pub(crate) struct Measured {
    pub(crate) outcome: Outcome,
    pub(crate) cores: Cpu,
    /// Maximum memory of the server during the load, and its peak until then, in MiB.
    pub(crate) memory_mib: f64,
    pub(crate) peak_mib: f64,
    /// Last position of the log before the load.
    pub(crate) before: u64,
    /// Number of new events in the log.
    pub(crate) events: u64,
    /// Number of events that the read models lagged behind at the last answer, and the time until they caught up.
    pub(crate) lag: u64,
    pub(crate) drained_in: Duration,
}

impl<'a> Running<'a> {
    /// Starts a server on a copy of the stage. Transactions settle after `settle_after`.
    pub(crate) async fn on_copy(
        stage: &'a Stage<'a>,
        database: &str,
        settle_after: Duration,
    ) -> Result<Self, Error> {
        let pg = stage.copy(database).await?;
        Self::start(stage, database, pg, settle_after).await
    }

    /// Starts a server on an existing database. Transactions do not settle.
    pub(crate) async fn on(stage: &'a Stage<'a>, database: &str) -> Result<Self, Error> {
        Self::start(stage, database, stage.server.database(database)?, SETTLE_NEVER).await
    }

    async fn start(
        stage: &'a Stage<'a>,
        database: &str,
        pg: Pg,
        settle_after: Duration,
    ) -> Result<Self, Error> {
        let child = Child::start(stage, database, settle_after).await?;
        let traffic = Arc::new(Traffic::new(Arc::clone(&stage.nodes), child.address));
        let reads = reads(&pg);
        Ok(Self { traffic, child, pg, reads, stage, database: database.to_owned() })
    }

    /// Returns the nodes.
    pub(crate) fn nodes(&self) -> &Arc<Nodes> {
        &self.stage.nodes
    }

    /// Returns the processes of the measurement.
    pub(crate) fn processes(&self) -> Processes {
        Processes { server: Some(self.child.pid()), ..self.stage.processes() }
    }

    /// Runs a load, waits for the read models, and checks that every transaction was carried out.
    pub(crate) async fn measure(&self, load: Load) -> Result<Measured, Error> {
        let listed = self.nodes().listed(self.child.address).await?;
        let measured = self.observe(load).await?;
        let outcome = &measured.outcome;
        outcome.check()?;
        let created = created_after(&self.pg, measured.before).await?;
        equal("transactions in the log", outcome.transactions, created)?;
        let now_listed = self.nodes().listed(self.child.address).await?;
        equal("transactions in the users' lists", outcome.listings, now_listed.saturating_sub(listed))?;
        Ok(measured)
    }

    /// Runs a load and waits for the read models, without a check of the transactions.
    pub(crate) async fn observe(&self, load: Load) -> Result<Measured, Error> {
        vacuum(&self.pg).await?;
        self.stage.server.rest().await?;
        let (before, earlier) = (self.head().await?, self.processes().cpu());
        let (outcome, memory_mib) = self.watch_memory(self.traffic.run(load)).await;
        let outcome = outcome?;
        let cores = self.processes().cpu().cores_since(earlier, outcome.elapsed.as_secs_f64());
        let (answered, head) = (Instant::now(), self.head().await?);
        let lag = head.saturating_sub(self.reads.store().position(SHARD).await?);
        reach(&self.reads, head).await?;
        let drained_in = answered.elapsed();
        let peak_mib = peak_mib(self.child.pid()).unwrap_or_default();
        let events = head - before;
        Ok(Measured { outcome, cores, memory_mib, peak_mib, before, events, lag, drained_in })
    }

    /// Returns the last position of the log.
    pub(crate) async fn head(&self) -> Result<u64, Error> {
        Ok(self.reads.aggregates().head(SHARD).await?)
    }

    /// Stops the server.
    pub(crate) async fn stop(self) -> Result<(), Error> {
        self.pg.close();
        self.child.stop().await
    }

    /// Stops the server, and drops its database.
    pub(crate) async fn strike(self) -> Result<(), Error> {
        let (stage, database) = (self.stage, self.database.clone());
        self.stop().await?;
        stage.server.drop(&database).await
    }

    /// Returns the result of `work`, and the maximum memory of the server during it, in MiB.
    async fn watch_memory<T>(&self, work: impl Future<Output = T>) -> (T, f64) {
        let (mut most, mut looks) = (0.0_f64, interval(POLL_INTERVAL));
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return (done, most),
                _ = looks.tick() => most = most.max(resident_mib(self.child.pid()).unwrap_or_default()),
            }
        }
    }
}

impl Measured {
    /// Returns transactions per second, or requests per second for loads without transactions.
    pub(crate) fn rate(&self) -> f64 {
        let requests = self.outcome.latencies.len() as u64;
        let done = if self.outcome.transactions > 0 { self.outcome.transactions } else { requests };
        count(done) / self.outcome.elapsed.as_secs_f64()
    }

    /// Returns new events per second.
    pub(crate) fn events_per_second(&self) -> f64 {
        count(self.events) / self.outcome.elapsed.as_secs_f64()
    }

    /// Returns transactions per second as a sample, with latencies and cores.
    pub(crate) fn sample(&self) -> Sample {
        Sample::of(self.rate()).latencies(&self.outcome.latencies).cores(self.cores)
    }
}

/// Opens the read models of a database whose server runs in another process.
pub(crate) fn reads(pg: &Pg) -> Reads {
    Reads::new(pg.clone(), Arc::new(PostgresLog::new(pg.clone())))
}

/// Waits until the read models of a database have reached the end of its log.
pub(crate) async fn caught_up(pg: &Pg) -> Result<(), Error> {
    let reads = reads(pg);
    let head = reads.aggregates().head(SHARD).await?;
    reach(&reads, head).await
}

async fn reach(reads: &Reads, head: u64) -> Result<(), Error> {
    let reached = reads.store().caught_up(SHARD, head, CATCH_UP_TIMEOUT).await?;
    if reached < head { Err(failed(format!("the read models stop at position {reached}"))) } else { Ok(()) }
}

/// Returns the number of transactions that begin after `position` in the log.
pub(crate) async fn created_after(pg: &Pg, position: u64) -> Result<u64, Error> {
    let position = i64::try_from(position).map_err(failed)?;
    let row = patient(pg)
        .await?
        .query_one(include_str!("created.sql"), &[&SHARD, &position, &Kind::Transaction.code()])
        .await
        .map_err(daybook_pg::Error::from)?;
    u64::try_from(row.get::<_, i64>(0)).map_err(failed)
}

/// Returns an error if the numbers differ.
pub(crate) fn equal(what: &str, expected: u64, found: u64) -> Result<(), Error> {
    if expected == found {
        return Ok(());
    }
    Err(failed(format!("{what}: {expected} expected, {found} found")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_or_surplus_transaction_is_an_error() {
        assert!(equal("transactions", 7, 7).is_ok());
        assert!(equal("transactions", 7, 6).is_err() && equal("transactions", 7, 8).is_err());
    }
}
