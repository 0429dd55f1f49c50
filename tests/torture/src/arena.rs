//! Parts of a run: PostgreSQL, services, world and history. A nemesis can reach all of them.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::cluster::Cluster;
use crate::error::{Result, failed};
use crate::history::History;
use crate::proxy::Proxy;
use crate::service::{self, Host};
use crate::world::World;

/// State of one run.
pub struct Arena {
    /// PostgreSQL server.
    pub cluster: Cluster,
    /// Proxy between the services and the server, if the run has one.
    pub proxy: Option<Proxy>,
    /// Hosts of the service: one, or several on the same database.
    pub hosts: Vec<Host>,
    /// Platform, users and nodes.
    pub world: World,
    /// History that is being written.
    pub history: History,
    /// Path of the binary `daybook`.
    pub binary: PathBuf,
    /// Folder with the keys, the logs and the anchor of the services.
    pub folder: PathBuf,
}

impl Arena {
    /// Returns the time that each start of a service took until the service was ready, in milliseconds.
    pub fn ready_ms(&self) -> Vec<u64> {
        self.hosts.iter().flat_map(Host::ready_ms).collect()
    }

    /// Runs another command of `daybook` on the database to its end. The connection bypasses any proxy.
    pub async fn daybook(&self, args: &[&str]) -> Result<Output> {
        daybook(&self.binary, &self.folder, &self.cluster.url(), args).await
    }
}

/// Runs a command of `daybook` to its end, on the database at `url` and with the keys in `folder`.
pub async fn daybook(binary: &Path, folder: &Path, url: &str, args: &[&str]) -> Result<Output> {
    let mut command = service::command(binary);
    command.args(args).args(["--database-url", url]);
    command.arg("--master-key").arg(folder.join("master.key"));
    command.arg("--signing-key").arg(folder.join("signing.key"));
    Ok(command.kill_on_drop(true).output().await?)
}

/// Returns the standard output of a command that succeeded.
pub fn printed(output: &Output) -> Result<String> {
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(failed(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())))
}
