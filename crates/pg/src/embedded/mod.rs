//! An embedded PostgreSQL: neither `daybook` nor the tests need a database that somebody set up for them.
//!
//! The server belongs to a data folder, not to a process: it runs in a session of its own, outlives a crash of
//! whoever started it, and the next start attaches to it. Only [`Embedded::stop`] ends it. It listens on a unix socket
//! in the data folder and nowhere else. This module knows how to keep a server alive and nothing about its content.
//!
//! ```text
//! <data-dir>/postgres/      the cluster (PGDATA)       private to the account that the server runs under
//! <data-dir>/socket/        its unix socket            private likewise: whoever reaches it is trusted
//! <data-dir>/postgres.conf  its settings, written anew at every start
//! <data-dir>/postgres.log   what the server says; private to the account that the server runs under
//! <data-dir>/postgres.lock  held while one process starts or stops the server; nobody else may open it
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

/// Both the role that owns the cluster and the database that we keep there.
const NAME: &str = "daybook";

/// The cluster's folder in the data folder.
const PGDATA: &str = "postgres";

/// What a person may choose about the embedded server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of everything that the server keeps; made if it is missing.
    pub data_dir: PathBuf,
    /// The folder of `initdb`, `pg_ctl` and `postgres`; the newest installed ones by default.
    pub pg_bin: Option<PathBuf>,
    /// Server settings that overrule our defaults, such as `("shared_buffers", "1GB")`; read when the server starts.
    pub settings: Vec<(String, String)>,
}

/// A running server that is started again whenever it dies, until [`Embedded::stop`].
///
/// Dropping it ends the watch and leaves the server running.
#[derive(Debug)]
pub struct Embedded {
    cluster: Cluster,
    supervisor: Supervisor,
    start: Start,
}

impl Embedded {
    /// Starts the server of a data folder, or attaches to it if it runs; makes the cluster if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Embedded`] if the server's programs are not installed, or the folder cannot be used, or the server
    /// does not come up; [`Error::Config`] if a setting's name is none.
    pub async fn start(options: Options) -> Result<Self, Error> {
        let cluster = Cluster::prepare(options).await?;
        let start = cluster.start().await?;
        let supervisor = Supervisor::watch(cluster.clone());
        Ok(Self { cluster, supervisor, start })
    }

    /// Whether there is a cluster in the data folder; looks and makes nothing.
    #[must_use]
    pub fn is_in(data_dir: &Path) -> bool {
        data_dir.join(PGDATA).is_dir()
    }

    /// How to reach the database `daybook` on this server.
    #[must_use]
    pub fn config(&self) -> Config {
        self.cluster.config()
    }

    /// Whether the server was already running.
    #[must_use]
    pub fn attached(&self) -> bool {
        self.start == Start::Attached
    }

    /// The folder of the server's programs, for those who need its neighbours (`pgbench`, `pg_dump`).
    #[must_use]
    pub fn bin_dir(&self) -> &Path {
        self.cluster.bin_dir()
    }

    /// The folder of its unix socket.
    #[must_use]
    pub fn socket_dir(&self) -> PathBuf {
        self.cluster.socket_dir()
    }

    /// Stops the server: open connections are closed, what was committed is on the disk.
    ///
    /// # Errors
    ///
    /// [`Error::Embedded`] if it does not stop within two minutes.
    pub async fn stop(self) -> Result<(), Error> {
        self.supervisor.end().await;
        self.cluster.stop(StopMode::Fast).await
    }
}
