//! The stage: a PostgreSQL of the benchmark, and a template database with users and nodes. It is copied for each
//! measurement that needs a short log.

pub(crate) mod child;
pub(crate) mod cpu;
pub(crate) mod nodes;
pub(crate) mod running;
pub(crate) mod server;

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use daybook_cli::keys::{Keys, create_signer, signers};
use daybook_cli::service::Service;
use daybook_domain::{OperatorId, PlatformId};
use daybook_engine::access::{OperatorRecord, operator_id_text};
use daybook_engine::{Entropy, NewPlatform, SHARD, Settings};
use daybook_pg::{Pg, durability, migrate};
use daybook_vault::{MasterKey, MasterKeys};
use tokio_postgres::Client;

use self::cpu::Processes;
use self::nodes::{Nodes, Party};
use self::server::Server;
use crate::error::Error;
use crate::load::client::failed;

/// Creates an operator, and returns its credentials.
async fn operator(service: &Service) -> Result<String, Error> {
    let now = service.engine.clock().now();
    let id = OperatorId::from_u128(Entropy.ulid(now));
    let record = OperatorRecord { id, name: "Bench".to_owned(), created_at: now };
    service.engine.access().store_operator(&record, OPERATOR_SECRET).await.map_err(failed)?;
    Ok(format!("{}|{OPERATOR_SECRET}", operator_id_text(id)))
}

/// Runs VACUUM and ANALYZE, which autovacuum would otherwise do up to a minute later, during a measurement.
pub(crate) async fn vacuum(pg: &Pg) -> Result<(), Error> {
    Ok(patient(pg).await?.batch_execute("vacuum analyze").await.map_err(daybook_pg::Error::from)?)
}

/// Opens a connection without a statement timeout.
pub(crate) async fn patient(pg: &Pg) -> Result<Client, Error> {
    let client = pg.dedicated().await?;
    client.batch_execute("set statement_timeout = 0").await.map_err(daybook_pg::Error::from)?;
    Ok(client)
}

/// Credentials of the platform. They end with the stage.
const CLIENT_ID: &str = "client_id_bench";
const CLIENT_SECRET: &str = "client_secret_bench";

/// Secret half of the operator's credentials.
const OPERATOR_SECRET: &str = "operator_secret_bench";

/// Name of the template database.
const TEMPLATE: &str = "daybook";

/// Settlement delay that no benchmark reaches: transactions stay CREATED.
pub(crate) const SETTLE_NEVER: Duration = Duration::from_hours(1);

/// Server, nodes, platform and keys.
pub(crate) struct Stage<'a> {
    pub(crate) server: &'a Server,
    pub(crate) nodes: Arc<Nodes>,
    pub(crate) platform: PlatformId,
    /// Credentials of an operator.
    pub(crate) operator: String,
    pub(crate) keys: KeyFiles,
}

/// Key files of every service on the stage.
pub(crate) struct KeyFiles {
    pub(crate) master: PathBuf,
    pub(crate) signing: PathBuf,
}

impl KeyFiles {
    pub(crate) fn create(server: &Server) -> Result<Self, Error> {
        let folder = server.folder();
        let files = Self { master: folder.join("master.key"), signing: folder.join("signing.key") };
        MasterKey::load_or_create(&files.master, &|bytes| Entropy.fill(bytes))?;
        create_signer(&files.signing, "daybook.example/1")?;
        Ok(files)
    }

    /// Loads the keys.
    pub(crate) fn load(&self) -> Result<Keys, Error> {
        let master = MasterKeys::from(MasterKey::load(&self.master)?);
        Ok(Keys { master, signers: signers(&self.signing, &[])? })
    }
}

impl<'a> Stage<'a> {
    /// Creates `count` nodes on `server`, through a service in this process, which is stopped again.
    pub(crate) async fn set(server: &'a Server, count: usize) -> Result<Self, Error> {
        eprintln!("making {count} nodes");
        let (keys, pg) = (KeyFiles::create(server)?, server.database(TEMPLATE)?);
        durability::check(&pg).await?;
        migrate::run(&pg).await?;
        let service =
            Service::start(pg.clone(), keys.load()?, Settings::settling_after(SETTLE_NEVER)).await?;
        let new = NewPlatform {
            name: "Bench",
            client_id: CLIENT_ID,
            client_secret: CLIENT_SECRET,
            shard: None,
            sandbox: true,
            time_zone: None,
        };
        let platform = service.engine.ensure_platform(new).await?.id;
        let operator = operator(&service).await?;
        let (client_id, client_secret) = (CLIENT_ID.to_owned(), CLIENT_SECRET.to_owned());
        let party = Party { shard: SHARD, platform, client_id, client_secret };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let http = service.http(listener, &format!("http://{address}"))?;
        let handle = http.handle();
        tokio::spawn(http);
        let nodes = Nodes::create(&service.engine, &party, address, count).await?;
        running::caught_up(&pg).await?;
        // The HTTP workers hold connections of the pool until they end.
        service.stop().await;
        handle.stop(true).await;
        vacuum(&pg).await?;
        pg.close();
        Ok(Self { server, nodes: Arc::new(nodes), platform, operator, keys })
    }

    /// Copies the template database.
    pub(crate) async fn copy(&self, database: &str) -> Result<Pg, Error> {
        self.server.create(database, Some(TEMPLATE)).await
    }

    /// Returns the processes of a measurement that runs in this process.
    pub(crate) fn processes(&self) -> Processes {
        Processes { server: None, postmaster: self.server.pid() }
    }
}
