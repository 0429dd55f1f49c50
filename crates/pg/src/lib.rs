//! Access to PostgreSQL: connection pools, roles, named database transactions, migrations and an embedded server.
//!
//! - [`Pg`] hands out connections, with the rights of one database [`Role`] or of the login. Each role has a pool of
//!   its own, so that a connection never changes its rights.
//! - [`Pg::tx`] runs a named database transaction. [`Error`] distinguishes failures by what a caller can do: retry
//!   ([`Error::is_transient`]), or find out first if a COMMIT was carried out ([`Error::CommitUnknown`]).
//! - [`migrate`] applies the migrations that are compiled in, and sets up the roles.
//! - [`embedded`] runs a PostgreSQL server in a data folder.
//! - A [`Fence`] checks every new connection, for example after a fail-over.
//!
//! The crate knows nothing about the data in the database. "Transaction" here always means a database transaction.
//!
//! # Example
//!
//! ```no_run
//! use daybook_pg::{Config, Error, Pg, Role, Transaction, migrate};
//!
//! # async fn example() -> Result<(), Error> {
//! let pg = Pg::new(Config::from_url("postgres://ada@db.example/daybook?sslmode=verify-full")?)?;
//! migrate::run(&pg).await?;
//!
//! let events: i64 = pg
//!     .acting_as(Role::Auditor)
//!     .tx("example.count", async |tx: &Transaction<'_>| {
//!         let statement = tx.prepare_cached("select count(*) from event").await?;
//!         Ok::<_, Error>(tx.query_one(&statement, &[]).await?.try_get(0)?)
//!     })
//!     .await?;
//! println!("{events} events");
//! # Ok(())
//! # }
//! ```

mod background;
pub mod config;
mod connect;
pub mod durability;
pub mod embedded;
mod error;
mod fence;
mod metrics;
pub mod migrate;
mod pem;
mod pools;
mod roles;
mod servers;
mod session;
mod tls;
pub mod types;
mod wait;
mod warnings;

use std::sync::Arc;

pub use background::in_background;
pub use config::Config;
pub use deadpool_postgres::{GenericClient, Object as Client, Transaction};
pub use error::{Causes, Error};
pub use fence::Fence;
pub use metrics::{Metrics, PoolUsage};
pub use pem::certificates;
use pools::Pools;
pub use roles::{Role, share_model};
use servers::Servers;
pub use servers::{Placement, ShardRange};
pub use warnings::Warnings;

/// Connections to one of the databases of a ledger, with the rights of one role or of the login. Clones are cheap.
#[derive(Clone, Debug)]
pub struct Pg {
    servers: Arc<Servers>,
    /// Number of the server that connections are to.
    server: usize,
    role: Option<Role>,
}

impl Pg {
    /// Creates the pools, with the rights of the login. Does not connect yet.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if a pool cannot be built from `config`.
    pub fn new(config: Config) -> Result<Self, Error> {
        Self::with_servers(config, vec![])
    }

    /// Creates the pools of `home`, and those of a server for each range of shards. Ranges must not overlap. Connections
    /// are to home.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if a pool cannot be built.
    pub fn with_servers(home: Config, others: Vec<(ShardRange, Config)>) -> Result<Self, Error> {
        Ok(Self { servers: Arc::new(Servers::new(home, others)?), server: 0, role: None })
    }

    /// Returns the database that has `shard`, with the same rights.
    #[must_use]
    pub fn of(&self, shard: i16) -> Self {
        Self { server: self.servers.of(shard), ..self.clone() }
    }

    /// Returns the database that has the tables that are not of one shard, with the same rights.
    #[must_use]
    pub fn home(&self) -> Self {
        Self { server: 0, ..self.clone() }
    }

    /// Returns every database of the ledger with the same rights, home first.
    pub fn servers(&self) -> impl Iterator<Item = Self> + '_ {
        (0..self.servers.count()).map(|server| Self { server, ..self.clone() })
    }

    /// Returns the place of the server that connections are to.
    #[must_use]
    pub fn placement(&self) -> Placement {
        self.servers.placement(self.server)
    }

    fn pools_here(&self) -> &Pools {
        self.servers.pools(self.server)
    }

    /// Returns the same database with the rights of `role`, in a pool of its own. The first connection checks if the
    /// login may act as the role. If no roles are set up, connections have the rights of the login.
    #[must_use]
    pub fn acting_as(&self, role: Role) -> Self {
        Self { role: Some(role), ..self.clone() }
    }

    /// Takes a connection from the pool. Use [`Client::prepare_cached`] for every statement.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] if the database cannot be reached or all connections stay busy for half a second;
    /// [`Error::Denied`] if the login may not act as the role, or the role lacks a right.
    pub async fn client(&self) -> Result<Client, Error> {
        self.pools_here().client(self.role).await
    }

    /// Sizes the pools of background work on every server for a process that serves these shards.
    pub fn serves(&self, shards: &[i16]) {
        for server in 0..self.servers.count() {
            let here = shards.iter().filter(|shard| self.servers.of(**shard) == server).count();
            self.servers.pools(server).serves(here);
        }
    }

    /// Checks that connections with these rights are possible, for a caller that needs them later.
    ///
    /// # Errors
    ///
    /// Same as [`Pg::client`].
    pub async fn permitted(&self) -> Result<(), Error> {
        self.pools_here().config(self.role).await.map(drop)
    }

    /// Returns the same database with the rights of the first of `roles` that the login may act as, for work that any
    /// of them may do.
    ///
    /// # Errors
    ///
    /// Same as [`Pg::client`]; the error of the first role if the login may act as none.
    pub async fn acting_as_first_of(&self, roles: &[Role]) -> Result<Self, Error> {
        let mut denied = None;
        for role in roles {
            let pg = self.acting_as(*role);
            match pg.permitted().await {
                Ok(()) => return Ok(pg),
                Err(Error::Denied(why)) => denied = denied.or(Some(why)),
                Err(other) => return Err(other),
            }
        }
        Err(Error::Denied(denied.unwrap_or_default()))
    }

    /// Checks that the roles are set up in this database, so that no connection has more rights than its role.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] with the commands to run, if they are not set up; [`Error::Unavailable`].
    pub async fn requires_roles(&self) -> Result<(), Error> {
        self.pools_here().requires_roles().await
    }

    /// Runs `work` in one database transaction and commits it if it succeeds. `name` appears in traces.
    ///
    /// # Errors
    ///
    /// Errors of `work`, and [`Error::CommitUnknown`] if the answer to COMMIT was lost. Do not retry after the latter
    /// without reading the data first.
    pub async fn tx<T, E: From<Error>>(
        &self,
        name: &'static str,
        work: impl AsyncFnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await.map_err(Error::from)?;
        let done = work(&transaction).await?;
        transaction.commit().await.map_err(Error::at_commit)?;
        tracing::trace!(name, "committed");
        Ok(done)
    }

    /// Opens a connection outside the pools, for a writer that keeps it for its whole life.
    ///
    /// # Errors
    ///
    /// Same as [`Pg::client`].
    pub async fn dedicated(&self) -> Result<tokio_postgres::Client, Error> {
        Ok(self.dedicated_with_warnings().await?.0)
    }

    /// Same as [`Pg::dedicated`], with the warnings of the server. A writer uses them to know if its COMMIT is durable.
    ///
    /// # Errors
    ///
    /// Same as [`Pg::client`].
    pub async fn dedicated_with_warnings(&self) -> Result<(tokio_postgres::Client, Warnings), Error> {
        let (client, _, warnings) = self.pools_here().config(self.role).await?.connect().await?;
        self.pools_here().fence().check(&client).await?;
        Ok((client, warnings))
    }

    /// Checks every new connection to this server with `fence` before its first use. The first fence stays.
    pub fn fence(&self, fence: Arc<dyn Fence>) {
        self.pools_here().fence().set(fence);
    }

    /// Returns the metrics of the pools of all servers.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.pools_here().metrics
    }

    /// Returns the usage of each pool of this server.
    pub fn pools(&self) -> impl Iterator<Item = PoolUsage> {
        self.pools_here().usage()
    }

    /// Closes the pools of all roles and servers: idle connections immediately, others when they are returned. No
    /// connection is handed out afterwards.
    pub fn close(&self) {
        for server in 0..self.servers.count() {
            self.servers.pools(server).close();
        }
    }

    /// Returns the configuration from which this was created: that of the login.
    #[must_use]
    pub fn config(&self) -> &Config {
        self.pools_here().of_login()
    }
}
