//! The load: connections that send one request at a time each.
//!
//! It runs on one thread with a runtime of its own, so that other work of this process does not delay it.

mod arrivals;
pub(crate) mod client;
mod pace;
mod shed;
mod traffic;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use daybook_engine::Entropy;
use daybook_random::Random;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::timeout;

use self::arrivals::Arrivals;
use self::client::{Client, failed};
pub(crate) use self::pace::Pace;
pub(crate) use self::shed::Shed;
pub(crate) use self::traffic::{Ask, Traffic};
use crate::error::Error;

/// Timeout of an answer, so that a measurement cannot hang.
const RESPONSE_TIMEOUT: Duration = Duration::from_mins(1);

/// A load: its connections, requests and pace.
#[derive(Clone)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    pub(crate) ask: Ask,
    pub(crate) pace: Pace,
    /// Prefix of all idempotency keys.
    label: String,
    /// Newest log position in an answer.
    pub(crate) acknowledged: Arc<AtomicU64>,
    /// Maximum time from the due time of a request until a connection is free; a later request is not sent. If it is
    /// set, the service may also reject requests.
    gives_up_after: Option<Duration>,
}

impl Load {
    /// Creates a load of `connections`.
    pub(crate) fn new(connections: usize, ask: Ask, pace: Pace) -> Self {
        Self {
            connections,
            ask,
            pace,
            // Two loads never use the same keys, not even in two runs on the same database.
            label: hex::encode(Entropy.bytes::<8>()),
            acknowledged: Arc::default(),
            gives_up_after: None,
        }
    }

    /// Creates an open loop of `per_second` requests on `connections`, at times that depend on `seed`.
    pub(crate) fn open(connections: usize, ask: Ask, per_second: f64, duration: Duration, seed: u64) -> Self {
        let arrivals = Arrivals::independent(per_second, duration, Random::new(seed));
        Self::new(connections, ask, Pace::Open(Arc::new(arrivals)))
    }

    /// Lets the service reject requests, and limits the wait of a request for a connection.
    pub(crate) fn giving_up_after(self, patience: Duration) -> Self {
        Self { gives_up_after: Some(patience), ..self }
    }
}

/// Result of a load.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Latencies of all requests that were answered with 200, from their due time to the answer, the shortest first.
    pub(crate) latencies: Vec<Duration>,
    /// Latencies of the same requests from their sending, if the service may reject requests.
    pub(crate) answered_in: Vec<Duration>,
    /// Rejected requests.
    pub(crate) shed: Shed,
    /// Number of transactions that must have been added to the log.
    pub(crate) transactions: u64,
    /// Number of entries that must have been added to the lists of all users together.
    pub(crate) listings: u64,
    /// Errors and answers with another status. Each ended its connection.
    pub(crate) refused: Vec<String>,
    /// Time from the first request to the last answer.
    pub(crate) elapsed: Duration,
}

impl Outcome {
    /// Returns an error if any answer had another status than 200.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Some(first) = self.refused.first() else { return Ok(()) };
        let text = format!("{} requests were not answered 200; the first: {first}", self.refused.len());
        Err(failed(text))
    }

    fn add(&mut self, other: Self) {
        self.latencies.extend(other.latencies);
        self.answered_in.extend(other.answered_in);
        self.shed.add(other.shed);
        self.transactions += other.transactions;
        self.listings += other.listings;
        self.refused.extend(other.refused);
    }
}

impl Traffic {
    /// Runs `load` on the service.
    pub(crate) async fn run(self: &Arc<Self>, load: Load) -> Result<Outcome, Error> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (report, reported) = oneshot::channel();
        let traffic = Arc::clone(self);
        std::thread::Builder::new().name("load".into()).spawn(move || {
            let outcome = runtime.block_on(traffic.drive(load));
            // The receiver is gone if the benchmark was stopped.
            let _ = report.send(outcome);
        })?;
        reported.await.map_err(failed)?
    }

    async fn drive(self: Arc<Self>, load: Load) -> Result<Outcome, Error> {
        let mut clients = Vec::with_capacity(load.connections);
        for _ in 0..load.connections {
            clients.push(Client::connect(self.address).await?);
        }
        let (load, mut workers) = (Arc::new(load), JoinSet::new());
        let running = Arc::new(pace::Running::begin(load.pace.clone())?);
        for (number, client) in clients.into_iter().enumerate() {
            let worker = Worker {
                traffic: Arc::clone(&self),
                load: Arc::clone(&load),
                client,
                random: Random::new(number as u64),
                key: format!("{}-{number}", load.label),
                asked: 0,
                outcome: Outcome::default(),
            };
            workers.spawn(worker.work(Arc::clone(&running)));
        }
        let mut all = Outcome::default();
        for one in workers.join_all().await {
            all.add(one);
        }
        all.elapsed = running.elapsed();
        all.latencies.sort_unstable();
        all.answered_in.sort_unstable();
        Ok(all)
    }
}

/// One connection.
struct Worker {
    traffic: Arc<Traffic>,
    load: Arc<Load>,
    client: Client,
    random: Random,
    key: String,
    asked: u64,
    outcome: Outcome,
}

impl Worker {
    async fn work(mut self, running: Arc<pace::Running>) -> Outcome {
        while let Some(due) = running.next().await {
            if let Err(error) = self.ask(due).await {
                self.outcome.refused.push(error.to_string());
                break;
            }
        }
        self.outcome
    }

    /// Sends one request, which was due at `due`. An error ends the connection.
    async fn ask(&mut self, due: Instant) -> Result<(), Error> {
        let may_shed = self.load.gives_up_after.is_some();
        if self.load.gives_up_after.is_some_and(|patience| due.elapsed() > patience) {
            self.outcome.shed.never_sent += 1;
            return Ok(());
        }
        self.asked += 1;
        let key = format!("{}-{}", self.key, self.asked);
        let asked = self.traffic.next(self.load.ask, &mut self.random, &key);
        let sent = Instant::now();
        if self.client.is_closed() {
            self.client = Client::connect(self.traffic.address).await?;
        }
        let answer = timeout(RESPONSE_TIMEOUT, self.client.send(&asked.call));
        let answer = answer.await.map_err(|_| failed(format!("no answer within {RESPONSE_TIMEOUT:?}")))??;
        let (answered_in, latency) = (sent.elapsed(), due.elapsed());
        if answer.status != 200 {
            if may_shed && self.outcome.shed.count(&answer) {
                return Ok(());
            }
            return Err(failed(format!("{}: {}", answer.status, String::from_utf8_lossy(&answer.body))));
        }
        self.load.acknowledged.fetch_max(answer.position, Ordering::Relaxed);
        self.outcome.latencies.push(latency);
        if may_shed {
            self.outcome.answered_in.push(answered_in);
        }
        self.outcome.transactions += asked.transactions;
        self.outcome.listings += asked.listings;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurement_with_failed_answer_is_invalid() {
        assert!(Outcome::default().check().is_ok());
        let mut outcome = Outcome { refused: vec!["503 Service Unavailable".into()], ..Outcome::default() };
        outcome.add(Outcome { transactions: 1_000_000, ..Outcome::default() });
        let refused = outcome.check().expect_err("an answer was not 200").to_string();
        assert!(refused.contains("1 requests") && refused.contains("503"), "{refused}");
    }
}
