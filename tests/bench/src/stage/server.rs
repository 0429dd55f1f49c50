//! A PostgreSQL of the benchmark, in a temporary folder that is removed at the end.
//!
//! It runs without the supervisor of [`daybook_pg::embedded::Embedded`]: a restart of the server during a measurement
//! must make the measurement fail.

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

/// Settings that differ from those of the embedded server: enough memory and write-ahead log to avoid a checkpoint in a
/// run.
const SETTINGS: [(&str, &str); 7] = [
    ("shared_buffers", "2GB"),
    ("min_wal_size", "4GB"),
    ("max_wal_size", "8GB"),
    ("checkpoint_timeout", "30min"),
    ("synchronous_commit", "on"),
    ("fsync", "on"),
    ("full_page_writes", "on"),
];

/// Number of write-ahead log segments that are created before the measurements. A new server fills each new segment
/// with zeros, about 50 ms in which no commit completes. A server that has run for a while recycles old segments.
const SEGMENTS: usize = 250;

/// Bytes of write-ahead log since the last checkpoint after which a checkpoint is made between two measurements: half
/// of the amount after which PostgreSQL would make one by itself, during a measurement.
const DUE_AFTER_BYTES: i64 = 2 << 30;

/// Size in bytes from which a database is copied file by file.
const LARGE_BYTES: i64 = 1 << 30;

/// Timeout for connections to leave a database.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The server. It must be removed with [`Server::remove`].
pub(crate) struct Server {
    cluster: Cluster,
    folder: TempDir,
}

impl Server {
    /// Finds the programs and creates the folder. Starts nothing.
    pub(crate) async fn prepare(pg_bin: Option<PathBuf>) -> Result<Self, Error> {
        let folder = tempfile::Builder::new().prefix("daybook-bench-").tempdir()?;
        let settings = SETTINGS.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let options = Options { data_dir: folder.path().to_owned(), pg_bin, settings };
        Ok(Self { cluster: Cluster::prepare(options).await?, folder })
    }

    /// Creates and starts the cluster, and brings it into the state of a server that has run for an hour: with segments
    /// of write-ahead log to recycle, and with memory that the operating system has already cleared.
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

    /// Returns a pool for `database`.
    pub(crate) fn database(&self, database: &str) -> Result<Pg, Error> {
        Ok(Pg::new(self.cluster.config().with_database(database))?)
    }

    /// Returns the URL of `database` for psql.
    pub(crate) fn url(&self, database: &str) -> String {
        let host = self.cluster.socket_dir().display().to_string().replace('/', "%2F");
        format!("postgres://daybook@{host}:5432/{database}")
    }

    /// Creates a database, as a copy of `template` if it is given. No connection may use the template meanwhile.
    pub(crate) async fn create(&self, database: &str, template: Option<&str>) -> Result<Pg, Error> {
        let template = template.unwrap_or("template1");
        let strategy = self.strategy(template).await?;
        let deadline = Instant::now() + DISCONNECT_TIMEOUT;
        loop {
            let made =
                self.statement(&format!("create database {database} template {template} {strategy}")).await;
            match made {
                Err(error) if error.code() == Some(&SqlState::OBJECT_IN_USE) && Instant::now() < deadline => {
                    sleep(POLL_INTERVAL).await;
                }
                made => {
                    made.map_err(daybook_pg::Error::from)?;
                    return self.database(database);
                }
            }
        }
    }

    /// Returns the strategy to copy `template`. A copy through the write-ahead log avoids full-page writes on the first
    /// changes of the pages, but a large copy would fill that log.
    async fn strategy(&self, template: &str) -> Result<&'static str, Error> {
        let client = self.admin()?.client().await?;
        let row = client.query_one(include_str!("strategy.sql"), &[&template]).await;
        let (bytes, major): (i64, i32) =
            row.map(|row| (row.get("bytes"), row.get("major"))).map_err(daybook_pg::Error::from)?;
        // PostgreSQL before version 15 has one strategy only.
        Ok(if bytes > LARGE_BYTES && major >= 15 { "strategy file_copy" } else { "" })
    }

    /// Drops a database, and ends the connections to it.
    pub(crate) async fn drop(&self, database: &str) -> Result<(), Error> {
        self.execute(&format!("drop database if exists {database} with (force)")).await
    }

    /// Makes a checkpoint if one would come soon, and flushes the cache of the operating system. Otherwise both could
    /// happen during a measurement, where the write-ahead log would wait for the disk.
    pub(crate) async fn rest(&self) -> Result<(), Error> {
        let client = self.admin()?.client().await?;
        let written = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint from pg_control_checkpoint()";
        let row = client.query_one(written, &[]).await.map_err(daybook_pg::Error::from)?;
        if row.get::<_, i64>(0) > DUE_AFTER_BYTES {
            self.execute("checkpoint").await?;
        }
        tokio::task::spawn_blocking(nix::unistd::sync).await.map_err(failed)
    }

    /// Runs a statement outside of the measured databases, without a statement timeout.
    pub(crate) async fn execute(&self, sql: &str) -> Result<(), Error> {
        Ok(self.statement(sql).await.map_err(daybook_pg::Error::from)?)
    }

    /// Returns a command for `pgbench`, connected to `database` through the Unix socket.
    pub(crate) fn pgbench(&self, database: &str) -> Command {
        let mut command = Command::new(self.cluster.bin_dir().join("pgbench"));
        self.cluster.account().enter(&mut command);
        command.arg("--host").arg(self.cluster.socket_dir());
        command.args(["--port", "5432", "--username", "daybook"]).env("PGDATABASE", database);
        command
    }

    /// Creates a folder that programs of the server's account can write to. It is removed when it is dropped.
    pub(crate) fn shared_folder(&self) -> Result<TempDir, Error> {
        let folder = tempfile::Builder::new().prefix("shared-").tempdir_in(self.folder.path())?;
        self.cluster.account().own(folder.path())?;
        Ok(folder)
    }

    /// Returns the process id of the postmaster.
    pub(crate) fn pid(&self) -> Option<i32> {
        self.cluster.pid()
    }

    /// Returns the folder with all files.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Stops the server, and removes its files.
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
