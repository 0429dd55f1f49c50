//! What a run has: PostgreSQL, the services, everybody who acts, the history. A nemesis reaches all of it.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::cluster::Cluster;
use crate::error::{Result, failed};
use crate::history::History;
use crate::proxy::Proxy;
use crate::service::{self, Host};
use crate::world::World;

/// The stage of one run.
pub struct Arena {
    /// The server.
    pub cluster: Cluster,
    /// What stands between the services and the server, if anything does.
    pub proxy: Option<Proxy>,
    /// Where the service runs: one, or several on the same database.
    pub hosts: Vec<Host>,
    /// Everybody who acts.
    pub world: World,
    /// What happens.
    pub history: History,
    /// The binary `daybook`.
    pub binary: PathBuf,
    /// Folder with the keys, the logs and the anchor of the services.
    pub folder: PathBuf,
}

impl Arena {
    /// How long each start of a service took until it was ready, in milliseconds.
    pub fn ready_ms(&self) -> Vec<u64> {
        self.hosts.iter().flat_map(Host::ready_ms).collect()
    }

    /// Runs another command of `daybook` on the database, past any proxy, to its end.
    pub async fn daybook(&self, args: &[&str]) -> Result<Output> {
        daybook(&self.binary, &self.folder, &self.cluster.url(), args).await
    }
}

/// Runs a command of `daybook` to its end on the database at `url` with the keys in `folder`.
pub async fn daybook(binary: &Path, folder: &Path, url: &str, args: &[&str]) -> Result<Output> {
    let mut command = service::command(binary);
    command.args(args).args(["--database-url", url]);
    command.arg("--master-key").arg(folder.join("master.key"));
    command.arg("--signing-key").arg(folder.join("signing.key"));
    Ok(command.kill_on_drop(true).output().await?)
}

/// What a command printed, if it ended well.
pub fn printed(output: &Output) -> Result<String> {
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(failed(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())))
}
