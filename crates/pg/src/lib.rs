//! Access to PostgreSQL: a pool, named database transactions, migrations and an embedded server.
//!
//! This crate knows how to talk to a database and nothing about what is kept there. "Transaction" here always
//! means a database transaction and is spelled [`Pg::tx`].

pub mod config;
pub mod durability;
pub mod embedded;
mod error;
pub mod migrate;
pub mod types;

use std::time::Duration;

pub use config::Config;
use deadpool_postgres::{Manager, ManagerConfig, Pool, PoolError, RecyclingMethod, Runtime, Timeouts};
pub use deadpool_postgres::{Object as Client, Transaction};
pub use error::Error;
use tokio_postgres::NoTls;

/// The most connections of a pool.
const POOL_SIZE: usize = 16;

/// How long a request waits for a pooled connection before it is told to come back.
const POOL_WAIT: Duration = Duration::from_millis(500);

/// A pool of connections to one database; cheap to clone.
#[derive(Clone, Debug)]
pub struct Pg {
    pool: Pool,
    config: Config,
}

impl Pg {
    /// Makes the pool; connects to nothing yet.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if the pool cannot be built from `config`.
    pub fn new(config: Config) -> Result<Self, Error> {
        let manager = Manager::from_config(
            config.to_tokio_postgres(),
            NoTls,
            ManagerConfig { recycling_method: RecyclingMethod::Fast },
        );
        let pool = Pool::builder(manager)
            .max_size(POOL_SIZE)
            .runtime(Runtime::Tokio1)
            .timeouts(Timeouts {
                wait: Some(POOL_WAIT),
                create: Some(config::CONNECT_TIMEOUT),
                recycle: Some(POOL_WAIT),
            })
            .build()
            .map_err(|error| Error::Config(error.to_string()))?;
        Ok(Self { pool, config })
    }

    /// A connection from the pool; use [`Client::prepare_cached`] for every statement.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] if the database cannot be reached or all connections stay busy for half a second.
    pub async fn client(&self) -> Result<Client, Error> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(source) => Error::from(source),
            other => Error::Unavailable(other.to_string()),
        })
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
    /// [`Error::Unavailable`] if the database cannot be reached.
    pub async fn dedicated(&self) -> Result<tokio_postgres::Client, Error> {
        let (client, connection) = self.config.to_tokio_postgres().connect(NoTls).await?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a dedicated connection ended");
            }
        });
        Ok(client)
    }

    /// Closes the pool: idle connections at once, others when they come back. Nobody gets one any more.
    pub fn close(&self) {
        self.pool.close();
    }

    /// The configuration that the pool was made from.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }
}
