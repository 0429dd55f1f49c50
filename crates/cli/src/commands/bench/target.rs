//! T1, what is measured: Daybook as `daybook dev` runs it, in this process, listening on a free port of loopback.
//!
//! After every load it is asked, on two ways that have nothing in common with the answers, whether all it acknowledged
//! is there: in the log, and in the lists that users see.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::dev::ServerHandle;
use daybook_domain::Kind;
use daybook_engine::{Entropy, NewPlatform, SHARD, Settings};
use daybook_pg::Pg;
use daybook_proof::Signer;
use daybook_vault::MasterKey;

use super::client::failed;
use super::cpu::Cpu;
use super::load::{Outcome, Traffic};
use super::nodes::Nodes;
use crate::commands::Error;
use crate::keys::Keys;
use crate::service::Service;

/// Credentials of the platform, known to this process alone for as long as it runs.
pub(super) const CLIENT_ID: &str = "client_id_bench";
pub(super) const CLIENT_SECRET: &str = "client_secret_bench";

/// Transactions stay CREATED for as long as a benchmark runs.
pub(super) const SETTLE_AFTER: Duration = Duration::from_hours(1);

/// How long the read models may take to catch up after a load.
const PATIENCE: Duration = Duration::from_mins(10);

/// The running service.
pub(super) struct Target {
    /// Where it listens.
    pub(super) address: SocketAddr,
    service: Service,
    http: ServerHandle,
    pg: Pg,
    postmaster: Option<i32>,
}

/// What one load measured, and what it left.
pub(super) struct Measured {
    pub(super) outcome: Outcome,
    /// Used from the first request to the last answer.
    pub(super) cpu: Cpu,
    /// Events in the log.
    pub(super) events: u64,
    /// Events that the read models were behind at the last answer, and how long they took to catch up.
    pub(super) lag: u64,
    pub(super) drained_in: Duration,
}

impl Target {
    /// Starts the service on the database of `pg`, whose server has the process id `postmaster`.
    pub(super) async fn start(pg: Pg, postmaster: Option<i32>) -> Result<Self, Error> {
        let master = MasterKey::from_bytes(Entropy.bytes());
        let signer = Signer::new("daybook.example/bench", &Entropy.bytes()).map_err(failed)?;
        let keys = Keys { master: master.into(), signers: signer.into() };
        let service = Service::start(pg.clone(), keys, Settings::settling_after(SETTLE_AFTER)).await?;
        let new =
            NewPlatform { name: "Bench", client_id: CLIENT_ID, client_secret: CLIENT_SECRET, sandbox: true };
        service.engine.ensure_platform(new).await?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let server = service.http(listener, &format!("http://{address}"))?;
        let http = server.handle();
        tokio::spawn(server);
        Ok(Self { address, service, http, pg, postmaster })
    }

    /// Puts it under load, waits for the read models, and counts.
    pub(super) async fn measure(
        &self,
        traffic: &Arc<Traffic>,
        nodes: &Nodes,
        connections: usize,
        duration: Duration,
        label: &str,
    ) -> Result<Measured, Error> {
        let (before, listed) = (self.head().await?, nodes.listed().await?);
        let cpu = Cpu::now(self.postmaster);
        let outcome = traffic.run(connections, duration, label).await?;
        let cpu = Cpu::now(self.postmaster).since(cpu);
        let (answered, head) = (Instant::now(), self.head().await?);
        let reads = self.service.engine.reads();
        let lag = head.saturating_sub(reads.position(SHARD).await?);
        let reached = reads.caught_up(SHARD, head, PATIENCE).await?;
        let drained_in = answered.elapsed();
        if let Some(first) = outcome.refused.first() {
            let text =
                format!("{} requests were not answered 200; the first: {first}", outcome.refused.len());
            return Err(failed(text));
        }
        equal("transactions in the log", outcome.latencies.len() as u64, self.created_after(before).await?)?;
        equal("position of the read models", head, reached)?;
        equal(
            "transactions in the users' lists",
            outcome.listings,
            nodes.listed().await?.saturating_sub(listed),
        )?;
        Ok(Measured { outcome, cpu, events: head - before, lag, drained_in })
    }

    /// Stops listening, then everything else.
    pub(super) async fn stop(self) {
        self.http.stop(true).await;
        self.service.stop().await;
    }

    async fn head(&self) -> Result<u64, Error> {
        Ok(self.service.engine.log().head(SHARD).await.map_err(failed)?.position)
    }

    /// How many transactions begin after `position` in the log.
    async fn created_after(&self, position: u64) -> Result<u64, Error> {
        let position = i64::try_from(position).map_err(failed)?;
        let client = self.pg.client().await?;
        let row = client
            .query_one(include_str!("created.sql"), &[&SHARD, &position, &Kind::Transaction.code()])
            .await
            .map_err(daybook_pg::Error::from)?;
        u64::try_from(row.get::<_, i64>(0)).map_err(failed)
    }
}

fn equal(what: &str, expected: u64, found: u64) -> Result<(), Error> {
    if expected == found {
        return Ok(());
    }
    Err(failed(format!("{what}: {expected} expected, {found} found")))
}
