//! A PostgreSQL of the benchmark's own, in a temporary folder that goes when it is over.
//!
//! It is started without the supervisor of [`daybook_pg::embedded::Embedded`]: a server that had to be started again
//! in the middle of a measurement must spoil it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use daybook_pg::Pg;
use daybook_pg::embedded::{Cluster, Options, StopMode};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};
use tokio_postgres::error::SqlState;

use crate::error::Error;
use crate::load::client::failed;

/// What differs from the embedded server's settings: enough memory and log that no checkpoint falls into a run.
const SETTINGS: [(&str, &str); 7] = [
    ("shared_buffers", "2GB"),
    ("min_wal_size", "4GB"),
    ("max_wal_size", "8GB"),
    ("checkpoint_timeout", "30min"),
    ("synchronous_commit", "on"),
    ("fsync", "on"),
    ("full_page_writes", "on"),
];

/// How many segments of write-ahead log are made before anything is measured. A new server fills each with zeros when
/// it comes to it, some 50 ms in which no commit gets through; one that has run for a while uses old ones again.
const SEGMENTS: usize = 250;

/// A checkpoint is made between two measurements when so much was written since the last one: half of what would bring
/// PostgreSQL to make one by itself, in the middle of a measurement.
const DUE_AFTER_BYTES: i64 = 2 << 30;

/// A database of so many bytes is copied file by file.
const LARGE_BYTES: i64 = 1 << 30;

/// How long whoever used a database may take to leave it.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The server; call [`Server::remove`] at the end.
pub(crate) struct Server {
    cluster: Cluster,
    folder: TempDir,
}

impl Server {
    /// Finds the programs and makes the folder; starts nothing yet.
    pub(crate) async fn prepare(pg_bin: Option<PathBuf>) -> Result<Self, Error> {
        let folder = tempfile::Builder::new().prefix("daybook-bench-").tempdir()?;
        let settings = SETTINGS.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let options = Options { data_dir: folder.path().to_owned(), pg_bin, settings };
        Ok(Self { cluster: Cluster::prepare(options).await?, folder })
    }

    /// Makes the cluster and starts it, and brings it to where it would be after an hour: with segments of write-ahead
    /// log to use again, and with the memory that the system clears where it is used for the first time.
    pub(crate) async fn start(&self) -> Result<(), Error> {
        self.cluster.start().await?;
        let client = self.admin()?.client().await?;
        for _ in 0..SEGMENTS {
            let next = "select pg_logical_emit_message(false, 'bench', 'next'), pg_switch_wal()";
            client.batch_execute(next).await.map_err(daybook_pg::Error::from)?;
        }
        self.execute(include_str!("touch.sql")).await?;
        self.execute("checkpoint").await
    }

    /// Connections to `database`.
    pub(crate) fn database(&self, database: &str) -> Result<Pg, Error> {
        Ok(Pg::new(self.cluster.config().with_database(database))?)
    }

    /// Where `database` is, as psql takes it.
    pub(crate) fn url(&self, database: &str) -> String {
        let host = self.cluster.socket_dir().display().to_string().replace('/', "%2F");
        format!("postgres://daybook@{host}:5432/{database}")
    }

    /// Makes a database; a copy of `template` if there is one, which nobody may use meanwhile.
    pub(crate) async fn create(&self, database: &str, template: Option<&str>) -> Result<Pg, Error> {
        let template = template.unwrap_or("template1");
        let strategy = self.strategy(template).await?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let made =
                self.statement(&format!("create database {database} template {template} {strategy}")).await;
            match made {
                Err(error) if error.code() == Some(&SqlState::OBJECT_IN_USE) && Instant::now() < deadline => {
                    sleep(LOOK_AGAIN).await;
                }
                made => {
                    made.map_err(daybook_pg::Error::from)?;
                    return self.database(database);
                }
            }
        }
    }

    /// How `template` is copied. Through the write-ahead log its pages need not be written there once more when they change
    /// first, as would be so after a checkpoint; but a large one would fill that log.
    async fn strategy(&self, template: &str) -> Result<&'static str, Error> {
        let client = self.admin()?.client().await?;
        let row = client.query_one(include_str!("strategy.sql"), &[&template]).await;
        let (bytes, major): (i64, i32) =
            row.map(|row| (row.get("bytes"), row.get("major"))).map_err(daybook_pg::Error::from)?;
        // Before PostgreSQL 15 there was one way.
        Ok(if bytes > LARGE_BYTES && major >= 15 { "strategy file_copy" } else { "" })
    }

    /// Drops a database, and ends the connections to it.
    pub(crate) async fn drop(&self, database: &str) -> Result<(), Error> {
        self.execute(&format!("drop database if exists {database} with (force)")).await
    }

    /// Makes a checkpoint if one would come soon, and has the system write what it still holds back, so that neither comes
    /// while something is measured: the log would wait for the disk behind it.
    pub(crate) async fn rest(&self) -> Result<(), Error> {
        let client = self.admin()?.client().await?;
        let written = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint from pg_control_checkpoint()";
        let row = client.query_one(written, &[]).await.map_err(daybook_pg::Error::from)?;
        if row.get::<_, i64>(0) > DUE_AFTER_BYTES {
            self.execute("checkpoint").await?;
        }
        tokio::task::spawn_blocking(nix::unistd::sync).await.map_err(failed)
    }

    /// Runs a statement that belongs to no database of a measurement and may take its time.
    pub(crate) async fn execute(&self, sql: &str) -> Result<(), Error> {
        Ok(self.statement(sql).await.map_err(daybook_pg::Error::from)?)
    }

    /// A command for `pgbench`, connected to `database` through the unix socket.
    pub(crate) fn pgbench(&self, database: &str) -> Command {
        let mut command = Command::new(self.cluster.bin_dir().join("pgbench"));
        self.cluster.account().enter(&mut command);
        command.arg("--host").arg(self.cluster.socket_dir());
        command.args(["--port", "5432", "--username", "daybook"]).env("PGDATABASE", database);
        command
    }

    /// A folder that programs of the server's account may write to; it goes when it is dropped.
    pub(crate) fn shared_folder(&self) -> Result<TempDir, Error> {
        let folder = tempfile::Builder::new().prefix("shared-").tempdir_in(self.folder.path())?;
        self.cluster.account().own(folder.path())?;
        Ok(folder)
    }

    /// The process that all of the server's others are children of.
    pub(crate) fn pid(&self) -> Option<i32> {
        self.cluster.pid()
    }

    /// Where everything lies.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Stops the server, and removes everything it kept.
    pub(crate) async fn remove(self) -> Result<(), Error> {
        self.cluster.stop(StopMode::Immediate).await?;
        Ok(self.folder.close()?)
    }

    fn admin(&self) -> Result<Pg, Error> {
        self.database("postgres")
    }

    async fn statement(&self, sql: &str) -> Result<(), tokio_postgres::Error> {
        let config = self.cluster.config().with_database("postgres").to_tokio_postgres();
        let (client, connection) = config.connect(tokio_postgres::NoTls).await?;
        tokio::spawn(connection);
        client.batch_execute("set statement_timeout = 0").await?;
        client.batch_execute(sql).await
    }
}
