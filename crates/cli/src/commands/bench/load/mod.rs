//! The load: connections that ask, each for one thing at a time.
//!
//! It runs on one thread with a runtime of its own, so that it does not wait for whatever else this process does.

mod arrivals;
pub(crate) mod client;
mod pace;
mod traffic;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hyper::StatusCode;
use hyper::header::HeaderMap;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

pub(crate) use self::arrivals::Arrivals;
use self::client::{Client, failed};
pub(crate) use self::pace::Pace;
pub(crate) use self::traffic::{Ask, Traffic};
use super::random::Random;
use crate::commands::Error;

/// Who asks for what, and when.
#[derive(Clone)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    pub(crate) ask: Ask,
    pub(crate) pace: Pace,
    /// Begins each idempotency key; has not been used before.
    pub(crate) label: String,
    /// The newest position of the log that an answer told.
    pub(crate) acknowledged: Arc<AtomicU64>,
}

impl Load {
    /// `connections` that ask.
    pub(crate) fn new(connections: usize, ask: Ask, pace: Pace, label: impl Into<String>) -> Self {
        Self { connections, ask, pace, label: label.into(), acknowledged: Arc::default() }
    }
}

/// What came of a load.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Of each request that was answered 200, from when it was to be sent to its answer, shortest first.
    pub(crate) latencies: Vec<Duration>,
    /// How many more there must be in the log.
    pub(crate) transactions: u64,
    /// How many more there must be in the lists of all users together.
    pub(crate) listings: u64,
    /// What other answers said; each ended its connection.
    pub(crate) refused: Vec<String>,
    /// From the first request to the last answer.
    pub(crate) elapsed: Duration,
}

impl Outcome {
    /// An answer that was not 200 makes it no measurement.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Some(first) = self.refused.first() else { return Ok(()) };
        let text = format!("{} requests were not answered 200; the first: {first}", self.refused.len());
        Err(failed(text))
    }

    fn add(&mut self, other: Self) {
        self.latencies.extend(other.latencies);
        self.transactions += other.transactions;
        self.listings += other.listings;
        self.refused.extend(other.refused);
    }
}

impl Traffic {
    /// Puts the service under `load`.
    pub(crate) async fn run(self: &Arc<Self>, load: Load) -> Result<Outcome, Error> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (report, reported) = oneshot::channel();
        let traffic = Arc::clone(self);
        std::thread::Builder::new().name("load".into()).spawn(move || {
            let outcome = runtime.block_on(traffic.drive(load));
            // Nobody waits any more if the benchmark was stopped.
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

    /// Asks once, for something that was due at `due`; an error ends the connection.
    async fn ask(&mut self, due: Instant) -> Result<(), Error> {
        let key = format!("{}-{}", self.key, self.outcome.latencies.len());
        let asked = self.traffic.next(self.load.ask, &mut self.random, &key)?;
        let answer = self.client.send(asked.call).await?;
        let latency = due.elapsed();
        if answer.status != StatusCode::OK {
            return Err(failed(format!("{}: {}", answer.status, String::from_utf8_lossy(&answer.body))));
        }
        self.load.acknowledged.fetch_max(position(&answer.headers), Ordering::Relaxed);
        self.outcome.latencies.push(latency);
        self.outcome.transactions += asked.transactions;
        self.outcome.listings += asked.listings;
        Ok(())
    }
}

/// How far into the log an answer has seen; 0 if it does not say.
fn position(headers: &HeaderMap) -> u64 {
    let told = headers.get("x-daybook-position").and_then(|position| position.to_str().ok()?.parse().ok());
    told.unwrap_or_default()
}
