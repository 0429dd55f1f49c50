//! B4, the baseline of what reads: a SELECT by primary key through a pool, without HTTP and without rendering.

use std::sync::Arc;
use std::time::{Duration, Instant};

use daybook_engine::SHARD;
use daybook_pg::Pg;
use daybook_projector::Reads;
use deadpool_postgres::{Manager, Pool};
use tokio::task::JoinSet;
use tokio_postgres::NoTls;
use uuid::Uuid;

use super::super::load::client::failed;
use super::super::random::Random;
use super::super::stage::nodes::Nodes;
use crate::commands::Error;

/// How many connections the pool has.
const CONNECTIONS: usize = 8;
/// How many ask at the same time.
const TASKS: usize = 64;

/// Reads rows of transactions for `duration`; answers how long each took, the shortest first, and all of it together.
pub(crate) async fn measure(
    pg: &Pg,
    reads: &Reads,
    nodes: &Arc<Nodes>,
    duration: Duration,
) -> Result<(Vec<Duration>, Duration), Error> {
    let manager = Manager::new(pg.config().to_tokio_postgres(), NoTls);
    let pool = Pool::builder(manager).max_size(CONNECTIONS).build().map_err(failed)?;
    let text: Arc<str> = reads.about_what_is_read(SHARD, include_str!("select.sql")).await?.into();
    let (begun, mut tasks) = (Instant::now(), JoinSet::new());
    for number in 0..TASKS {
        let reader = Reader {
            pool: pool.clone(),
            text: Arc::clone(&text),
            nodes: Arc::clone(nodes),
            random: Random::new(number as u64),
        };
        tasks.spawn(reader.read(begun + duration));
    }
    let mut latencies = vec![];
    while let Some(read) = tasks.join_next().await {
        latencies.extend(read.map_err(failed)??);
    }
    latencies.sort_unstable();
    Ok((latencies, begun.elapsed()))
}

struct Reader {
    pool: Pool,
    text: Arc<str>,
    nodes: Arc<Nodes>,
    random: Random,
}

impl Reader {
    async fn read(mut self, until: Instant) -> Result<Vec<Duration>, Error> {
        let mut latencies = vec![];
        while Instant::now() < until {
            let (_, node) = self.nodes.get(self.random.below(self.nodes.count()));
            let id = Uuid::from_u128(node.funding.as_u128());
            let asked = Instant::now();
            let client = self.pool.get().await.map_err(failed)?;
            let statement = client.prepare_cached(&self.text).await.map_err(failed)?;
            let row = client.query_one(&statement, &[&SHARD, &id]).await.map_err(failed)?;
            std::hint::black_box(row.get::<_, &str>("state"));
            latencies.push(asked.elapsed());
        }
        Ok(latencies)
    }
}
