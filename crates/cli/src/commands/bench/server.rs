//! A PostgreSQL of the benchmark's own, in a temporary folder that goes when it is over.
//!
//! It is started without the supervisor of [`daybook_pg::embedded::Embedded`]: a server that had to be started again
//! in the middle of a measurement must spoil it.

use std::path::{Path, PathBuf};
use std::process::Command;

use daybook_pg::embedded::{Cluster, Options, StopMode};
use daybook_pg::{Pg, durability, migrate};
use tempfile::TempDir;

use crate::commands::Error;

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

/// The server; call [`Server::remove`] at the end.
pub(super) struct Server {
    cluster: Cluster,
    folder: TempDir,
}

impl Server {
    /// Finds the programs and makes the folder; starts nothing yet.
    pub(super) async fn prepare(pg_bin: Option<PathBuf>) -> Result<Self, Error> {
        let folder = tempfile::Builder::new().prefix("daybook-bench-").tempdir()?;
        let settings = SETTINGS.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let options = Options { data_dir: folder.path().to_owned(), pg_bin, settings };
        Ok(Self { cluster: Cluster::prepare(options).await?, folder })
    }

    /// Makes the cluster and starts it.
    pub(super) async fn start(&self) -> Result<(), Error> {
        self.cluster.start().await?;
        Ok(())
    }

    /// Daybook's own database, migrated and checked as that of every other command.
    pub(super) async fn daybook(&self) -> Result<Pg, Error> {
        let pg = Pg::new(self.cluster.config())?;
        durability::check(&pg).await?;
        migrate::run(&pg).await?;
        Ok(pg)
    }

    /// Makes another database on the same server.
    pub(super) async fn create_database(&self, name: &str) -> Result<(), Error> {
        let admin = Pg::new(self.cluster.config().with_database("postgres"))?.client().await?;
        admin.batch_execute(&format!("create database {name}")).await.map_err(daybook_pg::Error::from)?;
        Ok(())
    }

    /// Brings the server to where it would be after an hour: with segments of write-ahead log to use again.
    pub(super) async fn warm_up(&self, pg: &Pg) -> Result<(), Error> {
        let client = pg.client().await?;
        for _ in 0..SEGMENTS {
            let next = "select pg_logical_emit_message(false, 'bench', 'next'), pg_switch_wal()";
            client.batch_execute(next).await.map_err(daybook_pg::Error::from)?;
        }
        client
            .batch_execute("set statement_timeout = 0; checkpoint")
            .await
            .map_err(daybook_pg::Error::from)?;
        Ok(())
    }

    /// A command for `pgbench`, connected to `database` through the unix socket.
    pub(super) fn pgbench(&self, database: &str) -> Command {
        let mut command = Command::new(self.cluster.bin_dir().join("pgbench"));
        self.cluster.account().enter(&mut command);
        command.arg("--host").arg(self.cluster.socket_dir());
        command.args(["--port", "5432", "--username", "daybook"]).env("PGDATABASE", database);
        command
    }

    /// The process that all of the server's others are children of.
    pub(super) fn pid(&self) -> Option<i32> {
        self.cluster.pid()
    }

    /// Where everything lies.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Stops the server, and removes everything it kept.
    pub(super) async fn remove(self) -> Result<(), Error> {
        self.cluster.stop(StopMode::Immediate).await?;
        Ok(self.folder.close()?)
    }
}
