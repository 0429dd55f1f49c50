//! The database of a command: the embedded server, or an external one.
//!
//! A command states explicitly if it may create something: [`Database::make`] creates a data folder and a server,
//! [`Database::prepare`] a schema. All other commands require an existing database, and report an error if something is
//! missing.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use daybook_log::Shard;
use daybook_log::postgres::{PostgresLog, shards_on};
use daybook_pg::embedded::{Embedded, Options};
use daybook_pg::{Causes, Config, Pg, Role, durability, migrate};
use daybook_projector::Reads;

use crate::config::{self, DatabaseUrl, ShardUrls};
use crate::error::Error;
use crate::{places, stop};

/// A database that is ready to use.
pub struct Database {
    /// Connections to the database.
    pub pg: Pg,
    embedded: Option<Embedded>,
}

/// Missing parts of a database that may be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Provisioning {
    /// No part.
    None,
    /// The schema.
    Schema,
    /// The schema, for a service: a server other than home may be unavailable.
    Served,
    /// The data folder, and the schema.
    All,
}

impl Database {
    /// Connects to the database of `options`. It must exist, with the schema of this binary. Starts the embedded server
    /// if it is not running.
    ///
    /// # Errors
    ///
    /// Fails if there is no server or no ledger, or its schema has another version; [`Error::Stopped`] if the process
    /// is told to stop.
    pub async fn open(options: &config::Database) -> Result<Self, Error> {
        Self::reach(options, Provisioning::None).await
    }

    /// Like [`Database::open`], but migrates the schema if it is missing or older.
    ///
    /// # Errors
    ///
    /// As [`Database::open`], or if the server is configured such that it can lose acknowledged commits.
    pub async fn prepare(options: &config::Database) -> Result<Self, Error> {
        Self::reach(options, Provisioning::Schema).await
    }

    /// Like [`Database::prepare`], but also creates the data folder and a server in it.
    ///
    /// # Errors
    ///
    /// As [`Database::prepare`].
    pub async fn make(options: &config::Database) -> Result<Self, Error> {
        Self::reach(options, Provisioning::All).await
    }

    /// Connects to the server at `url` and migrates its schema. Waits at most `within` for a server that is starting
    /// up.
    ///
    /// # Errors
    ///
    /// As [`Database::prepare`].
    pub async fn awaited(url: &DatabaseUrl, shards: &ShardUrls, within: Duration) -> Result<Self, Error> {
        let pg = Pg::with_servers(writable(url)?, shards.servers()?)?;
        let there = unless_stopped(async { Ok(pg.wait(within).await?) }).await;
        there.map_err(|error| told(&pg, error))?;
        Self::ready(pg, None, Provisioning::Served).await
    }

    async fn reach(options: &config::Database, may: Provisioning) -> Result<Self, Error> {
        if let Some(url) = &options.database_url {
            let config = if may == Provisioning::None { url.config()? } else { writable(url)? };
            let pg = Pg::with_servers(config, options.shards.servers()?)?;
            return Self::ready(pg, None, may).await;
        }
        if may != Provisioning::All && !Embedded::is_in(&options.data_dir) {
            return Err(Error::Usage(format!(
                "there is no ledger in {}: --data-dir names another folder, --database-url a server, and daybook dev makes a \
                 new ledger",
                options.data_dir.display()
            )));
        }
        let (data_dir, pg_bin) = (options.data_dir.clone(), options.pg_bin.clone());
        // Starting is not interrupted: after an interruption it would be unknown if the server runs.
        let embedded = Embedded::start(Options { data_dir, pg_bin, settings: vec![] }).await?;
        let pg = Pg::with_servers(embedded.config(), options.shards.servers()?)?;
        Self::ready(pg, Some(embedded), may).await
    }

    async fn ready(pg: Pg, embedded: Option<Embedded>, may: Provisioning) -> Result<Self, Error> {
        let database = Self { pg, embedded };
        // The embedded server has no option that names it.
        let is_named = |server: &Pg| database.embedded.is_none() || !server.placement().has_home();
        let checked = unless_stopped(async {
            let may_lack = may == Provisioning::Served;
            for server in database.pg.servers() {
                let checked = match may {
                    Provisioning::None => migrate::check(&server).await.map_err(Error::from),
                    Provisioning::Schema | Provisioning::Served | Provisioning::All => {
                        migrated(&server).await
                    }
                };
                match checked {
                    Err(Error::Pg(error))
                        if may_lack && error.is_transient() && !server.placement().has_home() =>
                    {
                        tracing::warn!(server = %server.placement(), error = %Causes(&error), "a server is not available");
                    }
                    checked => checked
                        .map_err(|error| if is_named(&server) { told(&server, error) } else { error })?,
                }
            }
            places::check(&database.pg, may_lack).await
        });
        match checked.await {
            Ok(()) => Ok(database),
            Err(error) => {
                database.leave().await?;
                Err(error)
            }
        }
    }

    /// Folder of the embedded server's programs, and folder of its socket. `None` for an external server.
    #[must_use]
    pub fn socket(&self) -> Option<(&Path, PathBuf)> {
        self.embedded.as_ref().map(|embedded| (embedded.bin_dir(), embedded.socket_dir()))
    }

    /// Runs `work`, then closes the database, even if `work` fails or the process is told to stop.
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

    /// Closes the database. Stops the embedded server, unless it was running before the command.
    ///
    /// # Errors
    ///
    /// Fails if it does not stop.
    pub async fn leave(self) -> Result<(), Error> {
        if self.embedded.as_ref().is_some_and(Embedded::attached) { Ok(()) } else { self.stop().await }
    }

    /// Stops the embedded server, if it is one.
    ///
    /// # Errors
    ///
    /// Fails if it does not stop.
    pub async fn stop(self) -> Result<(), Error> {
        // Closed first: a connection that the server ends would cause a warning.
        self.pg.close();
        match self.embedded {
            Some(embedded) => Ok(embedded.stop().await?),
            None => Ok(()),
        }
    }
}

/// Adds the name of an external server to `error`, if the server is unavailable.
fn told(server: &Pg, error: Error) -> Error {
    match error {
        Error::Pg(daybook_pg::Error::Unavailable(why)) => {
            let option = if server.placement().has_home() { "--database-url" } else { "--shard-url" };
            let why = format!("{} of {option}: {why}", server.config().place());
            Error::Pg(daybook_pg::Error::Unavailable(why))
        }
        other => other,
    }
}

/// Parses the connection string of a server that takes writes.
fn writable(url: &DatabaseUrl) -> Result<Config, Error> {
    let config = url.config()?;
    if config.is_read_only() {
        let why = "--database-url: target_session_attrs=read-only is for commands that only read";
        return Err(Error::Usage(why.to_owned()));
    }
    Ok(config)
}

/// Migrates the schema of a server, which must keep acknowledged commits.
async fn migrated(pg: &Pg) -> Result<(), Error> {
    durability::check(pg).await?;
    let applied = migrate::run(pg).await?;
    if applied > 0 {
        tracing::info!(applied, "migrations applied");
    }
    // A login without the owner's role uses the tables that another login created.
    match pg.acting_as(Role::Owner).permitted().await {
        Ok(()) => make_tables(pg, &shards_on(&pg.acting_as(Role::Owner)).await?.0).await,
        Err(daybook_pg::Error::Denied(_)) => Ok(()),
        Err(other) => Err(other.into()),
    }
}

/// Creates the read models of `shards` that are missing, as the owner.
///
/// # Errors
///
/// Fails if the database is unavailable.
pub(crate) async fn make_tables(pg: &Pg, shards: &[Shard]) -> Result<(), Error> {
    let owner = pg.acting_as(Role::Owner);
    let reads = Reads::new(owner.clone(), Arc::new(PostgresLog::new(owner)));
    for shard in shards {
        reads.versions().make(*shard).await?;
    }
    Ok(())
}

/// Runs `work`, unless the process is told to stop.
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
