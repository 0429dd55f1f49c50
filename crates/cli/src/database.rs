//! The database of a command: the embedded server, or one that is there already, migrated and checked.

use std::sync::Arc;
use std::time::Duration;

use daybook_engine::SHARD;
use daybook_log::postgres::PostgresLog;
use daybook_pg::embedded::{Embedded, Options};
use daybook_pg::{Config, Pg, Role, durability, migrate};
use daybook_projector::Reads;

use crate::config::{self, DatabaseUrl};
use crate::error::Error;

/// A database that is ready to use.
pub struct Database {
    /// Its connections.
    pub pg: Pg,
    embedded: Option<Embedded>,
}

impl Database {
    /// Reaches the database of `options`, starting the embedded server if it is not running.
    ///
    /// # Errors
    ///
    /// If there is no server, if it would lose what it acknowledged, or if its schema is newer than this binary.
    pub async fn open(options: &config::Database) -> Result<Self, Error> {
        if let Some(url) = &options.database_url {
            return Self::prepare(Config::from_url(url.expose())?, None).await;
        }
        let (data_dir, pg_bin) = (options.data_dir.clone(), options.pg_bin.clone());
        let embedded = Embedded::start(Options { data_dir, pg_bin, settings: vec![] }).await?;
        Self::prepare(embedded.config(), Some(embedded)).await
    }

    /// Reaches the server at `url`, waiting `within` this time for one that is still coming up.
    ///
    /// # Errors
    ///
    /// As [`Database::open`].
    pub async fn awaited(url: &DatabaseUrl, within: Duration) -> Result<Self, Error> {
        let config = Config::from_url(url.expose())?;
        Pg::new(config.clone())?.wait(within).await?;
        Self::prepare(config, None).await
    }

    async fn prepare(config: Config, embedded: Option<Embedded>) -> Result<Self, Error> {
        let pg = Pg::new(config)?;
        durability::check(&pg).await?;
        let applied = migrate::run(&pg).await?;
        if applied > 0 {
            tracing::info!(applied, "migrations applied");
        }
        let owner = pg.acting_as(Role::Owner);
        // A login that may not act as owner uses the tables that another one made.
        match owner.permitted().await {
            Ok(()) => {
                Reads::new(owner.clone(), Arc::new(PostgresLog::new(owner))).versions().make(SHARD).await?;
            }
            Err(daybook_pg::Error::Denied(_)) => {}
            Err(other) => return Err(other.into()),
        }
        Ok(Self { pg, embedded })
    }

    /// Ends a command's use of it: stops the embedded server, unless it was running before and somebody else uses it.
    ///
    /// # Errors
    ///
    /// If it does not stop.
    pub async fn leave(self) -> Result<(), Error> {
        if self.embedded.as_ref().is_some_and(Embedded::attached) { Ok(()) } else { self.stop().await }
    }

    /// Stops the embedded server, if it is one.
    ///
    /// # Errors
    ///
    /// If it does not stop.
    pub async fn stop(self) -> Result<(), Error> {
        // A connection that the server ends is one to warn of.
        self.pg.close();
        match self.embedded {
            Some(embedded) => Ok(embedded.stop().await?),
            None => Ok(()),
        }
    }
}
