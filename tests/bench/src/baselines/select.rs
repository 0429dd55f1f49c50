//! Baselines B4 and B6, for reads: a SELECT by primary key through a pool; bare for B4, and for B6 as the only route of
//! an HTTP server without authentication and rendering.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::dev::ServerHandle;
use actix_web::error::ErrorInternalServerError;
use actix_web::http::header::ContentType;
use actix_web::{App, HttpResponse, HttpServer, web};
use daybook_domain::NodeId;
use daybook_engine::SHARD;
use daybook_random::Random;
use deadpool_postgres::{Manager, Pool};
use tokio::task::JoinSet;
use tokio_postgres::NoTls;
use uuid::Uuid;

use crate::error::Error;
use crate::load::client::failed;
use crate::stage::nodes::Nodes;
use crate::stage::running::Running;

/// Number of connections in the pool.
const CONNECTIONS: usize = 8;
/// Number of concurrent readers.
const TASKS: usize = 64;
/// Path of a transaction, as in the service. The answer here is the row of its node.
const ROUTE: &str = "/v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}";

/// Reader of rows.
#[derive(Clone)]
struct Reader {
    pool: Pool,
    text: Arc<str>,
}

impl Reader {
    async fn new(running: &Running<'_>) -> Result<Self, Error> {
        let manager = Manager::new(running.pg.config().to_tokio_postgres(), NoTls);
        let pool = Pool::builder(manager).max_size(CONNECTIONS).build().map_err(failed)?;
        let text = running.reads.store().with_active_tables(SHARD, include_str!("select.sql")).await?.into();
        Ok(Self { pool, text })
    }

    async fn state(&self, id: NodeId) -> Result<String, Error> {
        let client = self.pool.get().await.map_err(failed)?;
        let statement = client.prepare_cached(&self.text).await.map_err(failed)?;
        let id = Uuid::from(id);
        let row = client.query_one(&statement, &[&SHARD, &id]).await.map_err(failed)?;
        Ok(row.get("state"))
    }

    async fn work(self, nodes: Arc<Nodes>, number: usize, until: Instant) -> Result<Vec<Duration>, Error> {
        let (mut random, mut latencies) = (Random::new(number as u64), vec![]);
        while Instant::now() < until {
            let (_, node) = nodes.get(random.below(nodes.count()));
            let asked = Instant::now();
            std::hint::black_box(self.state(node.id).await?);
            latencies.push(asked.elapsed());
        }
        Ok(latencies)
    }
}

/// Measures B4: reads rows of nodes for `duration`. Returns the latencies, the shortest first, and the total time.
pub(crate) async fn bare(
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

/// Starts the server of B6, which answers a read of a transaction with the row of its node. Returns its address, and a
/// handle to stop it.
pub(crate) async fn serve(running: &Running<'_>) -> Result<(SocketAddr, ServerHandle), Error> {
    let reader = web::Data::new(Reader::new(running).await?);
    let app = move || App::new().app_data(reader.clone()).route(ROUTE, web::get().to(look));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    let server = HttpServer::new(app).listen(listener)?.disable_signals().run();
    let handle = server.handle();
    tokio::spawn(server);
    Ok((address, handle))
}

async fn look(
    reader: web::Data<Reader>,
    path: web::Path<(String, String, String)>,
) -> Result<HttpResponse, actix_web::Error> {
    let id = path.1.parse().map_err(|_| ErrorInternalServerError("no id"))?;
    let state = reader.state(id).await.map_err(ErrorInternalServerError)?;
    Ok(HttpResponse::Ok().content_type(ContentType::json()).body(state))
}
