//! The whole service in the test's own process: log, read models, processes and HTTP, with its own database.
#![allow(clippy::expect_used, reason = "a test that cannot have its service has failed")]

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use daybook_cli::ingress::Ingress;
use daybook_cli::keys::Keys;
use daybook_cli::service::Service;
use daybook_domain::id::OperatorId;
use daybook_engine::access::{OperatorRecord, operator_id_text};
use daybook_engine::{NewPlatform, Settings};
use daybook_log::Shard;
use daybook_outbound::guarded::{Client as Caller, SystemResolver};
use daybook_pg::Pg;
use daybook_projector::RecordedEvent;
use daybook_proof::Signer;
use daybook_vault::{MasterKey, MasterKeys};

use crate::client::Client;
use crate::database::Database;
use crate::operator::Operator;
use crate::shard;

/// Master key of all tests.
pub const MASTER_KEY: [u8; 32] = [7; 32];

/// Returns the keys of all tests. Several services on one database need the same keys.
///
/// # Panics
///
/// Never: the origin is valid.
#[must_use]
pub fn keys() -> Keys {
    keys_with(MasterKey::from_bytes(MASTER_KEY).into())
}

/// Returns the same keys with other master keys.
#[must_use]
pub fn keys_with(master: MasterKeys) -> Keys {
    Keys { master, signers: signer().into() }
}

/// Returns the signer of the log in all tests.
///
/// # Panics
///
/// Never: the origin is valid.
#[must_use]
pub fn signer() -> Signer {
    Signer::new("daybook.example/1", &[8; 32]).expect("an origin")
}

/// Time from creation to settlement: long enough to observe a transaction before it moves on, short enough to wait for.
pub const SETTLE_AFTER: Duration = Duration::from_millis(300);

/// Path of a file with the public key of [`signer`].
pub const PUBLIC_KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/signing.pub");

/// A running service with a sandbox platform. It stops when it is dropped.
pub struct TestApp {
    /// The service's database.
    pub database: Database,
    /// Address on which the service listens.
    pub address: SocketAddr,
    /// The engine and its background workers.
    pub service: Service,
    /// Client of the sandbox platform.
    pub client: Client,
    http: Http,
}

impl TestApp {
    /// Starts a service on a new database.
    pub async fn start() -> Self {
        Self::settling_after(SETTLE_AFTER).await
    }

    /// Starts a service on a new database, in which a transaction takes this long from creation to settlement.
    pub async fn settling_after(settle_after: Duration) -> Self {
        let database = Database::create().await;
        let pg = database.pg();
        Self::start_on(database, pg, settle_after).await
    }

    /// Starts a service with these HTTP limits.
    ///
    /// # Panics
    ///
    /// Panics if the service does not start.
    pub async fn entered(ingress: Ingress) -> Self {
        Self::changed(|service| service.ingress = ingress).await
    }

    /// Starts a service that `change` configures before it listens.
    ///
    /// # Panics
    ///
    /// Panics if the service does not start.
    pub async fn changed(change: impl FnOnce(&mut Service)) -> Self {
        let database = Database::create().await;
        let (pg, keys) = (database.pg(), keys());
        Self::start_all(database, pg, keys, SETTLE_AFTER, change).await
    }

    /// Starts a service on a database that others may use as well, connected by `pg`.
    ///
    /// # Panics
    ///
    /// Panics if the service does not start.
    pub async fn start_on(database: Database, pg: Pg, settle_after: Duration) -> Self {
        Self::start_with(database, pg, MasterKey::from_bytes(MASTER_KEY).into(), settle_after).await
    }

    /// Starts a service with other master keys.
    ///
    /// # Panics
    ///
    /// Panics if the service does not start.
    pub async fn start_with(database: Database, pg: Pg, masters: MasterKeys, settle_after: Duration) -> Self {
        Self::start_with_keys(database, pg, keys_with(masters), settle_after).await
    }

    /// Starts a service with other keys.
    ///
    /// # Panics
    ///
    /// Panics if the service does not start.
    pub async fn start_with_keys(database: Database, pg: Pg, keys: Keys, settle_after: Duration) -> Self {
        Self::start_all(database, pg, keys, settle_after, |_| ()).await
    }

    async fn start_all(
        database: Database,
        pg: Pg,
        keys: Keys,
        settle_after: Duration,
        change: impl FnOnce(&mut Service),
    ) -> Self {
        let settings = Settings::settling_after(settle_after);
        let mut service = Service::start(pg, keys, settings).await.expect("it starts");
        change(&mut service);
        // Webhook receivers of tests listen on the loopback address.
        service.client = Caller::new(Arc::new(SystemResolver), true, &[]).expect("no more roots");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("a bound port");
        let server = service.http(listener, &format!("http://{address}")).expect("it listens");
        let http = Http::run(server);
        let client =
            platform(&service, address, Named { name: "Sandbox", sandbox: true, time_zone: None }).await;
        Self { database, address, service, client, http }
    }

    /// Creates another platform.
    pub async fn platform(&self, name: &str, sandbox: bool) -> Client {
        platform(&self.service, self.address, Named { name, sandbox, time_zone: None }).await
    }

    /// Creates another sandbox platform in a shard.
    pub async fn platform_on(&self, shard: Shard, name: &str) -> Client {
        let named = Named { name, sandbox: true, time_zone: None };
        platform_on(&self.service, self.address, shard, named).await
    }

    /// Creates another sandbox platform, whose months follow a time zone.
    pub async fn platform_in(&self, name: &str, time_zone: &str) -> Client {
        platform(&self.service, self.address, Named { name, sandbox: true, time_zone: Some(time_zone) }).await
    }

    /// Creates an operator.
    ///
    /// # Panics
    ///
    /// Panics if the operator cannot be stored.
    pub async fn operator(&self, name: &str) -> Operator {
        let (entropy, now) = (self.service.engine.entropy(), self.service.engine.clock().now());
        let id = OperatorId::from_u128(entropy.ulid(now));
        let operator_secret = format!("operator_secret_{}", hex::encode(entropy.bytes::<32>()));
        let record = OperatorRecord { id, name: name.to_owned(), created_at: now };
        let access = self.service.engine.access();
        access.store_operator(&record, &operator_secret).await.expect("an operator can be made");
        Operator { address: self.address, operator_id: operator_id_text(id), operator_secret }
    }

    /// Returns all events so far.
    ///
    /// # Panics
    ///
    /// Panics if the log cannot be read.
    pub async fn events(&self) -> Vec<RecordedEvent> {
        let log = self.service.engine.log();
        let head = log.head(shard()).await.expect("a log").position;
        let mut events: Vec<RecordedEvent> = vec![];
        while (events.len() as u64) < head {
            let page = log.read(shard(), events.len() as u64, head).await.expect("events");
            events.extend(page.iter().map(|recorded| RecordedEvent::decode(recorded).expect("an event")));
        }
        events
    }

    /// Stops the service and waits until it has stopped.
    pub async fn stop(self) {
        self.http.0.stop(true).await;
        self.service.stop().await;
    }
}

/// A running HTTP server that stops when it is dropped.
struct Http(ServerHandle);

impl Http {
    /// Runs on a separate thread: the test's runtime ends before a server on it could stop its workers.
    fn run(server: Server) -> Self {
        let handle = server.handle();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime can be made");
        std::thread::spawn(move || runtime.block_on(server));
        Self(handle)
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        // The call sends the stop command; its end is not awaited.
        drop(self.0.stop(false));
    }
}

/// Properties of a new platform, besides its credentials.
struct Named<'a> {
    name: &'a str,
    sandbox: bool,
    time_zone: Option<&'a str>,
}

async fn platform(service: &Service, address: SocketAddr, named: Named<'_>) -> Client {
    platform_on(service, address, shard(), named).await
}

async fn platform_on(service: &Service, address: SocketAddr, shard: Shard, named: Named<'_>) -> Client {
    let Named { name, sandbox, time_zone } = named;
    let (client_id, client_secret) = (format!("client_id_{name}"), format!("client_secret_{name}"));
    let new = NewPlatform {
        name,
        client_id: &client_id,
        client_secret: &client_secret,
        sandbox,
        shard: Some(shard),
        time_zone,
    };
    let made = service.engine.ensure_platform(new).await.expect("a platform can be made");
    Client { address, client_id, client_secret, user_id: made.user.to_string() }
}
