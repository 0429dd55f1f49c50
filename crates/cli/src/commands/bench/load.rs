//! The load: connections that create transactions one after the other, each waiting for its answer.
//!
//! It runs on one thread with a runtime of its own, so that it neither waits for the server's tasks nor makes them
//! wait, and its share of the CPU can be told. What is equal in many requests is made before the clock runs.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{HOST, HeaderMap, HeaderValue};
use hyper::{Method, Request, StatusCode, Uri};
use serde_json::json;
use tokio::sync::{Barrier, oneshot};
use tokio::task::JoinSet;

use super::client::{Call, Client, failed, host};
use super::cpu;
use super::nodes::Nodes;
use super::random::Random;
use crate::commands::Error;

/// Requests between any two nodes, ready but for the idempotency key.
pub(super) struct Traffic {
    address: SocketAddr,
    ends: Vec<End>,
}

/// One node, as sender and as receiver.
struct End {
    owner: usize,
    send_to: Uri,
    headers: HeaderMap,
    /// The body of a request in which it receives.
    receives: Bytes,
}

/// What came of a load.
#[derive(Default)]
pub(super) struct Outcome {
    /// From request to answer of each transaction that was acknowledged, shortest first.
    pub(super) latencies: Vec<Duration>,
    /// How many more there must be in the lists of all users together.
    pub(super) listings: u64,
    /// What other answers than 200 said; each ended its connection.
    pub(super) refused: Vec<String>,
    /// From the first request to the last answer.
    pub(super) elapsed: Duration,
    /// CPU time of the generator's thread, in seconds.
    pub(super) cpu_s: f64,
}

impl Traffic {
    /// Payments of a dollar between any two of `nodes`.
    pub(super) fn between(nodes: &Nodes, address: SocketAddr) -> Result<Arc<Self>, Error> {
        let mut ends = Vec::new();
        for (owner, user) in nodes.users.iter().enumerate() {
            for node in &user.nodes {
                let path = format!("/v3.1/users/{}/nodes/{node}/trans", user.id);
                let mut headers = user.headers.clone();
                headers.insert(HOST, host(address)?);
                let body = json!({
                    "to": { "type": "DEPOSIT-US", "id": node },
                    "amount": { "amount": 1, "currency": "USD" },
                    "extra": { "ip": "127.0.0.1", "note": "Bench" },
                });
                let receives = body.to_string().into();
                ends.push(End { owner, send_to: path.parse().map_err(failed)?, headers, receives });
            }
        }
        Ok(Arc::new(Self { address, ends }))
    }

    /// Keeps `connections` busy for `duration`; `label` has not been used before.
    pub(super) async fn run(
        self: &Arc<Self>,
        connections: usize,
        duration: Duration,
        label: &str,
    ) -> Result<Outcome, Error> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (report, reported) = oneshot::channel();
        let (traffic, label) = (Arc::clone(self), label.to_owned());
        std::thread::Builder::new().name("load".into()).spawn(move || {
            let outcome = runtime.block_on(traffic.drive(connections, duration, &label));
            // Nobody waits any more if the benchmark was stopped.
            let _ = report.send(outcome);
        })?;
        reported.await.map_err(failed)?
    }

    async fn drive(
        self: Arc<Self>,
        connections: usize,
        duration: Duration,
        label: &str,
    ) -> Result<Outcome, Error> {
        let mut workers = JoinSet::new();
        let begin = Arc::new(Barrier::new(connections + 1));
        for number in 0..connections {
            let client = Client::connect(self.address).await?;
            let worker = Worker {
                traffic: Arc::clone(&self),
                client,
                random: Random::new(number as u64),
                key: format!("{label}-{number}"),
                outcome: Outcome::default(),
            };
            workers.spawn(worker.work(Arc::clone(&begin), duration));
        }
        begin.wait().await;
        let (started, used_s) = (Instant::now(), cpu::this_thread_s());
        let mut all = Outcome::default();
        for one in workers.join_all().await {
            all.latencies.extend(one.latencies);
            all.listings += one.listings;
            all.refused.extend(one.refused);
        }
        (all.elapsed, all.cpu_s) = (started.elapsed(), cpu::this_thread_s() - used_s);
        all.latencies.sort_unstable();
        Ok(all)
    }

    /// A request from one node to another, and how many lists it will be in.
    fn request(&self, random: &mut Random, key: HeaderValue) -> Option<(Call, u64)> {
        let from = random.below(self.ends.len());
        let to = (from + 1 + random.below(self.ends.len() - 1)) % self.ends.len();
        let (from, to) = (self.ends.get(from)?, self.ends.get(to)?);
        let mut call = Request::new(Full::new(to.receives.clone()));
        *call.method_mut() = Method::POST;
        *call.uri_mut() = from.send_to.clone();
        *call.headers_mut() = from.headers.clone();
        call.headers_mut().insert("x-sp-idempotency-key", key);
        Some((call, if from.owner == to.owner { 1 } else { 2 }))
    }
}

/// One connection.
struct Worker {
    traffic: Arc<Traffic>,
    client: Client,
    random: Random,
    key: String,
    outcome: Outcome,
}

impl Worker {
    async fn work(mut self, begin: Arc<Barrier>, duration: Duration) -> Outcome {
        begin.wait().await;
        let started = Instant::now();
        while started.elapsed() < duration {
            if let Err(error) = self.create().await {
                self.outcome.refused.push(error.to_string());
                break;
            }
        }
        self.outcome
    }

    /// Creates one transaction; an error ends the connection.
    async fn create(&mut self) -> Result<(), Error> {
        let key = format!("{}-{}", self.key, self.outcome.latencies.len());
        let key = HeaderValue::try_from(key).map_err(failed)?;
        let (call, lists) = self.traffic.request(&mut self.random, key).ok_or_else(|| failed("no nodes"))?;
        let asked = Instant::now();
        let (status, answer) = self.client.send(call).await.map_err(failed)?;
        let latency = asked.elapsed();
        if status != StatusCode::OK {
            return Err(failed(format!("{status}: {}", String::from_utf8_lossy(&answer))));
        }
        self.outcome.latencies.push(latency);
        self.outcome.listings += lists;
        Ok(())
    }
}
