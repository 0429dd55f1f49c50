//! Target 5: the engine without HTTP. Producers in this process seal, submit and wait for the commit, as handlers do.

use std::sync::Arc;
use std::time::{Duration, Instant};

use daybook_cli::config::Bank;
use daybook_cli::service::Service;
use daybook_domain::node::NodeKind;
use daybook_domain::transaction::create::Create;
use daybook_domain::{Actor, Command, Currency, Money, PlatformId, TransactionId};
use daybook_engine::{Call, Engine, SHARD, Sealer, Settings, Shard, TransactionDetails};
use daybook_pg::Pg;
use daybook_random::Random;
use daybook_vault::Class;
use tokio::task::JoinSet;

use crate::error::Error;
use crate::figures::{Sample, ms};
use crate::load::client::failed;
use crate::stage::nodes::Nodes;
use crate::stage::running::{created_after, equal, reads};
use crate::stage::{SETTLE_NEVER, Stage};

/// Number of producers that wait for their commits at the same time.
const PRODUCERS: usize = 256;

/// Database of the measurement.
const DATABASE: &str = "engine";

/// State of the projection during the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadModels {
    Kept,
    NotKept,
}

/// Measures on a copy of the stage.
pub(crate) async fn measure(
    stage: &Stage<'_>,
    read_models: ReadModels,
    duration: Duration,
) -> Result<Sample, Error> {
    stage.server.rest().await?;
    let pg = stage.copy(DATABASE).await?;
    let (keys, settings) = (stage.keys.load()?, Settings::settling_after(SETTLE_NEVER));
    let service = match read_models {
        ReadModels::Kept => {
            Service::start_without_processes(pg.clone(), keys, settings, &Bank::default()).await?
        }
        ReadModels::NotKept => {
            Service::start_without_projection(pg.clone(), keys, settings, &Bank::default()).await?
        }
    };
    let measured = produce(stage, &service.engine, &pg, duration).await;
    service.stop().await;
    pg.close();
    stage.server.drop(DATABASE).await?;
    measured
}

async fn produce(stage: &Stage<'_>, engine: &Engine, pg: &Pg, duration: Duration) -> Result<Sample, Error> {
    let head = reads(pg).aggregates().head(SHARD).await?;
    let (earlier, begun) = (stage.processes().cpu(), Instant::now());
    let mut producers = JoinSet::new();
    for number in 0..PRODUCERS {
        let producer = Producer {
            engine: engine.clone(),
            shard: SHARD,
            platform: stage.platform,
            nodes: Arc::clone(&stage.nodes),
            random: Random::new(number as u64),
            latencies: vec![],
        };
        producers.spawn(producer.work(begun + duration));
    }
    let mut latencies = vec![];
    while let Some(ended) = producers.join_next().await {
        latencies.extend(ended.map_err(failed)??);
    }
    let elapsed = begun.elapsed();
    let cores = stage.processes().cpu().cores_since(earlier, elapsed.as_secs_f64());
    let events = reads(pg).aggregates().head(SHARD).await? - head;
    equal("transactions in the log", latencies.len() as u64, created_after(pg, head).await?)?;
    latencies.sort_unstable();
    let transactions = Sample::rate(latencies.len() as u64, elapsed).value;
    let sample = Sample::rate(events, elapsed).latencies(&latencies).cores(cores);
    Ok(sample.also("transactions per second", transactions).also("measured ms", ms(elapsed)))
}

/// A producer, which creates one transaction after the other.
pub(crate) struct Producer {
    pub(crate) engine: Engine,
    pub(crate) shard: Shard,
    pub(crate) platform: PlatformId,
    pub(crate) nodes: Arc<Nodes>,
    pub(crate) random: Random,
    pub(crate) latencies: Vec<Duration>,
}

impl Producer {
    pub(crate) async fn work(mut self, until: Instant) -> Result<Vec<Duration>, Error> {
        while Instant::now() < until {
            let asked = Instant::now();
            let (call, create) = self.create()?;
            let command = Command::CreateTransaction(Box::new(create));
            self.engine.submit(call, command).await.map_err(failed)?;
            self.latencies.push(asked.elapsed());
        }
        Ok(self.latencies)
    }

    fn create(&mut self) -> Result<(Call, Create), Error> {
        let from = self.random.below(self.nodes.count());
        let to = self.nodes.other(from, &mut self.random);
        let ((owner, from), (_, to)) = (self.nodes.get(from), self.nodes.get(to));
        let (now, entropy) = (self.engine.clock().now(), self.engine.entropy());
        let details = TransactionDetails {
            note: Some("Bench".into()),
            ip: Some("127.0.0.1".into()),
            ..TransactionDetails::default()
        };
        let details = Sealer::new(owner.keys.clone(), now, entropy).seal(Class::Profile, &details);
        let create = Create {
            id: TransactionId::from_u128(entropy.ulid(now)),
            platform: self.platform,
            by: owner.id,
            from: from.id,
            to: to.id,
            to_kind: NodeKind::DepositUs,
            amount: Money::new(100, Currency::USD),
            fees: vec![],
            in_days: 0,
            pace_ms: self.engine.settings().pace_ms(),
            by_gateway: false,
            attachments: vec![],
            details: details.map_err(failed)?,
        };
        // Key and fingerprint are hashes, so random bytes are equivalent.
        let key = Some((entropy.bytes(), entropy.bytes()));
        Ok((
            Call { actor: Actor::User(owner.id), platform: Some(self.platform), key, ..Call::of(self.shard) },
            create,
        ))
    }
}
