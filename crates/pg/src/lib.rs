//! Access to PostgreSQL: pools, roles, named database transactions, migrations and an embedded server.
//!
//! This crate knows how to talk to a database and nothing about what is kept there. "Transaction" here always
//! means a database transaction and is spelled [`Pg::tx`].

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
mod session;
mod tls;
pub mod types;
mod unasked;
mod wait;
mod warnings;

use std::sync::Arc;

pub use config::Config;
pub use deadpool_postgres::{GenericClient, Object as Client, Transaction};
pub use error::{Causes, Error};
pub use fence::Fence;
pub use metrics::{Metrics, PoolUsage};
pub use pem::certificates;
use pools::Pools;
pub use roles::{Role, share_model};
pub use unasked::unasked;
pub use warnings::Warnings;

/// Connections to one database, with the rights of one role or of the login; cheap to clone.
#[derive(Clone, Debug)]
pub struct Pg {
    pools: Arc<Pools>,
    role: Option<Role>,
}

impl Pg {
    /// Connections with the rights of the login; connects to nothing yet.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if a pool cannot be built from `config`.
    pub fn new(config: Config) -> Result<Self, Error> {
        Ok(Self { pools: Arc::new(Pools::new(config)?), role: None })
    }

    /// The same database with the rights of `role` instead, in a pool of its own. Whether the login may is asked when
    /// the first connection is; where no roles are set up, connections have the rights of the login.
    #[must_use]
    pub fn acting_as(&self, role: Role) -> Self {
        Self { pools: Arc::clone(&self.pools), role: Some(role) }
    }

    /// A connection from the pool; use [`Client::prepare_cached`] for every statement.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] if the database cannot be reached or all connections stay busy for half a second;
    /// [`Error::Denied`] if the login may not act as the role, or the role lacks a right.
    pub async fn client(&self) -> Result<Client, Error> {
        self.pools.client(self.role).await
    }

    /// Whether there can be connections with these rights: for whoever needs them later.
    ///
    /// # Errors
    ///
    /// As [`Pg::client`].
    pub async fn permitted(&self) -> Result<(), Error> {
        self.pools.config(self.role).await.map(drop)
    }

    /// The same with the rights of the first of `roles` that the login may act as: for work that any of them may do.
    ///
    /// # Errors
    ///
    /// As [`Pg::client`], of the first of them if it is none.
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

    /// Whether this database has the roles set up, so that no connection has more rights than its role.
    ///
    /// # Errors
    ///
    /// [`Error::Denied`] that says what has to be run, if it has not; [`Error::Unavailable`].
    pub async fn requires_roles(&self) -> Result<(), Error> {
        self.pools.requires_roles().await
    }

    /// Runs `work` in one database transaction and commits it if it succeeds. `name` appears in traces.
    ///
    /// # Errors
    ///
    /// What `work` answers, and [`Error::CommitUnknown`] if the answer to COMMIT was lost: never retry that one
    /// blindly.
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

    /// A connection outside the pool, for a writer that holds it for its whole life.
    ///
    /// # Errors
    ///
    /// As [`Pg::client`].
    pub async fn dedicated(&self) -> Result<tokio_postgres::Client, Error> {
        Ok(self.dedicated_with_warnings().await?.0)
    }

    /// The same with what the server warns of, for a writer that has to know what its COMMIT is worth.
    ///
    /// # Errors
    ///
    /// As [`Pg::client`].
    pub async fn dedicated_with_warnings(&self) -> Result<(tokio_postgres::Client, Warnings), Error> {
        let (client, _, warnings) = self.pools.config(self.role).await?.connect().await?;
        self.pools.fence().check(&client).await?;
        Ok((client, warnings))
    }

    /// Has every new connection looked at by `fence` before anybody gets it; the first fence stays.
    pub fn fence(&self, fence: Arc<dyn Fence>) {
        self.pools.fence().set(fence);
    }

    /// What is counted of its pools.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.pools.metrics
    }

    /// How much of each of its pools is used.
    pub fn pools(&self) -> impl Iterator<Item = PoolUsage> {
        self.pools.usage()
    }

    /// Closes the pools of all roles: idle connections at once, others when they come back. Nobody gets one any more.
    pub fn close(&self) {
        self.pools.close();
    }

    /// The configuration that it was made from: that of the login.
    #[must_use]
    pub fn config(&self) -> &Config {
        self.pools.of_login()
    }
}
