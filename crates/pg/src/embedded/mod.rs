//! Embedded PostgreSQL: neither `daybook` nor the tests need a database that an administrator sets up.
//!
//! The server belongs to a data folder, not to a process. It runs in a session of its own and survives a crash of the
//! process that started it; the next start attaches to it. Only [`Embedded::stop`] ends it. It listens on a unix socket
//! in the data folder and nowhere else. This module keeps a server running and knows nothing about its content.
//!
//! ```text
//! <data-dir>/postgres/      the cluster (PGDATA)       private to the account that the server runs under
//! <data-dir>/socket/        its unix socket            private as well: every process that can reach it is trusted
//! <data-dir>/postgres.conf  its settings, written at every start
//! <data-dir>/postgres.log   log of the server; private to the account that the server runs under
//! <data-dir>/postgres.lock  held while a process starts or stops the server; no other account may open it
//! ```

mod account;
mod binaries;
mod cluster;
mod folder;
mod initdb;
mod lock;
mod memory;
mod programs;
mod settings;
mod supervisor;

use std::path::{Path, PathBuf};

pub use account::Account;
pub use cluster::{Cluster, Start, StopMode};

use self::supervisor::Supervisor;
use crate::{Config, Error};

/// Name of the role that owns the cluster, and of the database.
const NAME: &str = "daybook";

/// The cluster's folder in the data folder.
const PGDATA: &str = "postgres";

/// Options of the embedded server.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder of all files of the server. It is created if it is missing.
    pub data_dir: PathBuf,
    /// Folder of `initdb`, `pg_ctl` and `postgres`. The default is the newest installed version.
    pub pg_bin: Option<PathBuf>,
    /// Server settings that override our defaults, such as `("shared_buffers", "1GB")`. They are read when the server
    /// starts.
    pub settings: Vec<(String, String)>,
}

/// A running server that is restarted whenever it dies, until [`Embedded::stop`].
///
/// Dropping it ends the supervision and leaves the server running.
#[derive(Debug)]
pub struct Embedded {
    cluster: Cluster,
    supervisor: Supervisor,
    start: Start,
}

impl Embedded {
    /// Starts the server of a data folder, or attaches to it if it runs. Creates the cluster if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Embedded`] if the server's programs are not installed, the folder cannot be used, or the server does
    /// not start; [`Error::Config`] if the name of a setting is invalid.
    pub async fn start(options: Options) -> Result<Self, Error> {
        let cluster = Cluster::prepare(options).await?;
        let start = cluster.start().await?;
        let supervisor = Supervisor::watch(cluster.clone());
        Ok(Self { cluster, supervisor, start })
    }

    /// Returns true if there is a cluster in the data folder. Creates nothing.
    #[must_use]
    pub fn is_in(data_dir: &Path) -> bool {
        data_dir.join(PGDATA).is_dir()
    }

    /// Returns the configuration for the database `daybook` on this server.
    #[must_use]
    pub fn config(&self) -> Config {
        self.cluster.config()
    }

    /// Returns true if the server was already running.
    #[must_use]
    pub fn attached(&self) -> bool {
        self.start == Start::Attached
    }

    /// Returns the folder of the server's programs, for callers that need other programs in it (`pgbench`, `pg_dump`).
    #[must_use]
    pub fn bin_dir(&self) -> &Path {
        self.cluster.bin_dir()
    }

    /// Returns the folder of the unix socket.
    #[must_use]
    pub fn socket_dir(&self) -> PathBuf {
        self.cluster.socket_dir()
    }

    /// Stops the server. Open connections are closed, and committed data are on disk.
    ///
    /// # Errors
    ///
    /// [`Error::Embedded`] if it does not stop within two minutes.
    pub async fn stop(self) -> Result<(), Error> {
        self.supervisor.end().await;
        self.cluster.stop(StopMode::Fast).await
    }
}
