//! The database of a command: the embedded server, or one that is there already.
//!
//! Who makes something says so: [`Database::make`] a data folder and a server, [`Database::prepare`] a schema. All others find
//! what they need, or say what is missing, and leave nothing behind.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use daybook_engine::SHARD;
use daybook_log::postgres::PostgresLog;
use daybook_pg::embedded::{Embedded, Options};
use daybook_pg::{Pg, Role, durability, migrate};
use daybook_projector::Reads;

use crate::config::{self, DatabaseUrl};
use crate::error::Error;
use crate::stop;

/// A database that is ready to use.
pub struct Database {
    /// Its connections.
    pub pg: Pg,
    embedded: Option<Embedded>,
}

/// What may be made that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum May {
    /// Nothing.
    Look,
    /// The schema.
    Prepare,
    /// The data folder, and the schema.
    Make,
}

impl Database {
    /// Reaches the database of `options`, which must be there, with the schema of this binary; starts the embedded server if
    /// it is not running.
    ///
    /// # Errors
    ///
    /// If there is no server or no ledger, or its schema is another one; [`Error::Stopped`] if somebody wants it to end.
    pub async fn open(options: &config::Database) -> Result<Self, Error> {
        Self::reach(options, May::Look).await
    }

    /// The same, but a schema that is missing or older is brought up to date.
    ///
    /// # Errors
    ///
    /// As [`Database::open`], or if the server would lose what it acknowledged.
    pub async fn prepare(options: &config::Database) -> Result<Self, Error> {
        Self::reach(options, May::Prepare).await
    }

    /// The same, but the data folder and a server in it are made, too.
    ///
    /// # Errors
    ///
    /// As [`Database::prepare`].
    pub async fn make(options: &config::Database) -> Result<Self, Error> {
        Self::reach(options, May::Make).await
    }

    /// Reaches the server at `url` and brings its schema up to date, waiting `within` this time for one that is still coming
    /// up.
    ///
    /// # Errors
    ///
    /// As [`Database::prepare`].
    pub async fn awaited(url: &DatabaseUrl, within: Duration) -> Result<Self, Error> {
        let pg = Pg::new(url.config()?)?;
        let there = unless_stopped(async { Ok(pg.wait(within).await?) }).await;
        there.map_err(|error| url.told(error))?;
        Self::ready(pg, None, May::Prepare).await.map_err(|error| url.told(error))
    }

    async fn reach(options: &config::Database, may: May) -> Result<Self, Error> {
        if let Some(url) = &options.database_url {
            return Self::ready(Pg::new(url.config()?)?, None, may).await.map_err(|error| url.told(error));
        }
        if may != May::Make && !Embedded::is_in(&options.data_dir) {
            return Err(Error::Usage(format!(
                "there is no ledger in {}: --data-dir names another folder, --database-url a server, and daybook dev makes a \
                 new ledger",
                options.data_dir.display()
            )));
        }
        let (data_dir, pg_bin) = (options.data_dir.clone(), options.pg_bin.clone());
        // Nobody breaks it off halfway: who knows then whether there is a server.
        let embedded = Embedded::start(Options { data_dir, pg_bin, settings: vec![] }).await?;
        Self::ready(Pg::new(embedded.config())?, Some(embedded), may).await
    }

    async fn ready(pg: Pg, embedded: Option<Embedded>, may: May) -> Result<Self, Error> {
        let database = Self { pg, embedded };
        let checked = unless_stopped(async {
            match may {
                May::Look => Ok(migrate::check(&database.pg).await?),
                May::Prepare | May::Make => migrated(&database.pg).await,
            }
        });
        match checked.await {
            Ok(()) => Ok(database),
            Err(error) => {
                database.leave().await?;
                Err(error)
            }
        }
    }

    /// Where the programs of the embedded server are, and its socket; none if the server is another one.
    #[must_use]
    pub fn socket(&self) -> Option<(&Path, PathBuf)> {
        self.embedded.as_ref().map(|embedded| (embedded.bin_dir(), embedded.socket_dir()))
    }

    /// Does `work` and leaves, whatever comes of it, even if somebody wants the process to end.
    ///
    /// # Errors
    ///
    /// The error of `work`; [`Error::Stopped`]; or if the embedded server does not stop.
    pub async fn during<T, E: From<Error>>(
        self,
        work: impl AsyncFnOnce(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let done = tokio::select! {
            done = work(&self) => done,
            () = stop::asked() => {
                stop::break_off();
                Err(Error::Stopped.into())
            }
        };
        self.leave().await?;
        done
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

/// Brings the schema up to date, on a server that keeps what it acknowledges.
async fn migrated(pg: &Pg) -> Result<(), Error> {
    durability::check(pg).await?;
    let applied = migrate::run(pg).await?;
    if applied > 0 {
        tracing::info!(applied, "migrations applied");
    }
    let owner = pg.acting_as(Role::Owner);
    // A login that may not act as owner uses the tables that another one made.
    match owner.permitted().await {
        Ok(()) => {
            Ok(Reads::new(owner.clone(), Arc::new(PostgresLog::new(owner))).versions().make(SHARD).await?)
        }
        Err(daybook_pg::Error::Denied(_)) => Ok(()),
        Err(other) => Err(other.into()),
    }
}

/// Does `work`, unless somebody wants the process to end.
///
/// # Errors
///
/// The error of `work`, or [`Error::Stopped`].
pub async fn unless_stopped<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    tokio::select! {
        done = work => done,
        () = stop::asked() => {
            stop::break_off();
            Err(Error::Stopped)
        }
    }
}
