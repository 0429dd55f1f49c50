//! B4, the baseline of what reads: a SELECT by primary key through a pool, without HTTP and without rendering.

use std::sync::Arc;
use std::time::{Duration, Instant};

use daybook_domain::TransactionId;
use daybook_engine::SHARD;
use deadpool_postgres::{Manager, Pool};
use tokio::task::JoinSet;
use tokio_postgres::NoTls;
use uuid::Uuid;

use super::super::load::client::failed;
use super::super::random::Random;
use super::super::stage::nodes::Nodes;
use super::super::stage::running::Running;
use crate::commands::Error;

/// How many connections the pool has.
const CONNECTIONS: usize = 8;
/// How many ask at the same time.
const TASKS: usize = 64;

/// Reads a row.
#[derive(Clone)]
struct Reader {
    pool: Pool,
    text: Arc<str>,
}

impl Reader {
    async fn new(running: &Running<'_>) -> Result<Self, Error> {
        let manager = Manager::new(running.pg.config().to_tokio_postgres(), NoTls);
        let pool = Pool::builder(manager).max_size(CONNECTIONS).build().map_err(failed)?;
        let text = running.reads.about_what_is_read(SHARD, include_str!("select.sql")).await?.into();
        Ok(Self { pool, text })
    }

    async fn state(&self, id: TransactionId) -> Result<String, Error> {
        let client = self.pool.get().await.map_err(failed)?;
        let statement = client.prepare_cached(&self.text).await.map_err(failed)?;
        let id = Uuid::from_u128(id.as_u128());
        let row = client.query_one(&statement, &[&SHARD, &id]).await.map_err(failed)?;
        Ok(row.get("state"))
    }

    async fn work(self, nodes: Arc<Nodes>, number: usize, until: Instant) -> Result<Vec<Duration>, Error> {
        let (mut random, mut latencies) = (Random::new(number as u64), vec![]);
        while Instant::now() < until {
            let (_, node) = nodes.get(random.below(nodes.count()));
            let asked = Instant::now();
            std::hint::black_box(self.state(node.funding).await?);
            latencies.push(asked.elapsed());
        }
        Ok(latencies)
    }
}

/// Reads rows of transactions for `duration`; answers how long each took, the shortest first, and all of it
/// together.
pub(crate) async fn measure(
    running: &Running<'_>,
    duration: Duration,
) -> Result<(Vec<Duration>, Duration), Error> {
    let (reader, mut tasks) = (Reader::new(running).await?, JoinSet::new());
    let begun = Instant::now();
    for number in 0..TASKS {
        tasks.spawn(reader.clone().work(Arc::clone(running.nodes()), number, begun + duration));
    }
    let mut latencies = vec![];
    while let Some(read) = tasks.join_next().await {
        latencies.extend(read.map_err(failed)??);
    }
    latencies.sort_unstable();
    Ok((latencies, begun.elapsed()))
}
