//! Setup and teardown of a run: folders, keys, PostgreSQL, services, and a watchdog over all of them.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::arena::{Arena, daybook, printed};
use crate::client::Client;
use crate::cluster::Cluster;
use crate::desk::{self, Desk, OperatorCredentials};
use crate::error::{Result, failed};
use crate::history::History;
use crate::proxy::Proxy;
use crate::service::{self, Host};
use crate::world::{Credentials, World};

/// Waits for the end of its input, which is the end of the harness. Then it ends the services and the server, and
/// removes their folder. SIGQUIT stops PostgreSQL at once.
const WATCHDOG: &str = r#"cat > /dev/null
for pid in "$FOLDER"/*.pid; do [ -e "$pid" ] && kill -9 "$(cat "$pid")"; done
[ -e "$FOLDER/postgres/postmaster.pid" ] && kill -QUIT "$(head -n 1 "$FOLDER/postgres/postmaster.pid")" && sleep 1
rm -rf "$FOLDER""#;

/// Timeout of the client that creates the world.
const START_TIMEOUT: Duration = Duration::from_secs(10);

/// Setup of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Path of the binary `daybook`.
    pub binary: PathBuf,
    /// Folder of the history.
    pub out: PathBuf,
    /// Number of services.
    pub hosts: usize,
    /// Number of nodes of each user.
    pub nodes: usize,
    /// Time after which a transaction settles.
    pub settle_after: Duration,
    /// Settings of PostgreSQL.
    pub settings: Vec<(&'static str, &'static str)>,
    /// Environment variables of every service.
    pub env: Vec<(String, String)>,
    /// Further arguments of every service.
    pub args: Vec<String>,
    /// Database URL of the services, if it is not the URL of the server.
    pub database_url: Option<String>,
    /// True if a proxy is placed between the services and the server.
    pub proxied: bool,
    /// True if operators work on the statements of a bank.
    pub has_desk: bool,
}

impl Plan {
    /// Returns the plan of one service that is connected directly to its server.
    pub fn plain(binary: &Path, out: &Path) -> Self {
        Self {
            binary: binary.to_owned(),
            out: out.to_owned(),
            hosts: 1,
            nodes: 2,
            settle_after: Duration::from_secs(1),
            settings: vec![],
            env: vec![],
            args: vec![],
            database_url: None,
            proxied: false,
            has_desk: false,
        }
    }
}

/// A running setup. When it is dropped, all its processes end and its folder is removed.
pub struct Stage {
    /// Parts of the run.
    pub arena: Arena,
    _watchdog: Watchdog,
}

impl Stage {
    /// Sets up a run on a new server.
    pub async fn set(plan: &Plan) -> Result<Self> {
        let folder = folder()?;
        let cluster = Cluster::start(&folder, &plan.settings).await?;
        Self::set_on(cluster, plan).await
    }

    /// Sets up a run on an existing server.
    pub async fn set_on(cluster: Cluster, plan: &Plan) -> Result<Self> {
        let folder = cluster.folder().to_owned();
        let watchdog = Watchdog::over(&folder)?;
        std::fs::create_dir_all(&plan.out)?;
        keys(&plan.binary, &folder).await?;
        let creator = Creator { binary: &plan.binary, folder: &folder, url: &cluster.url() };
        let credentials = creator.platform("Torture").await?;
        let proxy = if plan.proxied { Some(Proxy::start(cluster.socket()).await?) } else { None };
        let url =
            plan.database_url.clone().or_else(|| proxy.as_ref().map(|proxy| proxy.url("daybook", "daybook")));
        let options = service::Options {
            binary: plan.binary.clone(),
            database_url: url.unwrap_or_else(|| cluster.url()),
            folder: folder.clone(),
            settle_after: plan.settle_after,
            env: plan.env.clone(),
            args: [&["--anchor".to_owned(), folder.join("anchor").display().to_string()], &plan.args[..]]
                .concat(),
        };
        let host = |number: usize| Host::new(&format!("service-{number}"), options.clone());
        let hosts = (0..plan.hosts).map(host).collect::<Result<Vec<_>>>()?;
        for host in &hosts {
            host.start().await?;
        }
        let first = hosts.first().ok_or_else(|| failed("there must be a service"))?;
        let mut client = Client::new(first.address, START_TIMEOUT);
        let mut world = World::make(&mut client, &credentials, plan.nodes).await?;
        if plan.has_desk {
            world.desk = Some(creator.desk(&mut client).await?);
        }
        std::fs::write(plan.out.join("world.json"), serde_json::to_vec_pretty(&world)?)?;
        let (history, binary) = (History::create(&plan.out)?, plan.binary.clone());
        let arena = Arena { cluster, proxy, hosts, world, history, binary, folder };
        Ok(Self { arena, _watchdog: watchdog })
    }
}

/// Creates platforms and operators by commands of `daybook`.
struct Creator<'a> {
    binary: &'a Path,
    folder: &'a Path,
    url: &'a str,
}

impl Creator<'_> {
    async fn platform(&self, name: &str) -> Result<Credentials> {
        self.create(&["client", "create", name, "--sandbox", "--json"]).await
    }

    async fn desk(&self, client: &mut Client) -> Result<Desk> {
        let credentials = self.platform("Desk").await?;
        let mut operators: Vec<OperatorCredentials> = vec![];
        for number in 0..desk::OPERATORS {
            let name = format!("Operator {number}");
            operators.push(self.create(&["operator", "create", "--name", &name, "--json"]).await?);
        }
        Desk::make(client, &credentials, &operators).await
    }

    async fn create<T: DeserializeOwned>(&self, args: &[&str]) -> Result<T> {
        let made = daybook(self.binary, self.folder, self.url, args).await?;
        Ok(serde_json::from_str(&printed(&made)?)?)
    }
}

/// Creates a folder that the server's account can reach.
pub fn folder() -> Result<PathBuf> {
    let folder = tempfile::Builder::new().prefix("daybook-torture-").tempdir()?.keep();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o711))?;
    Ok(folder)
}

/// Creates the keys of the services, and the folder of their anchor.
pub(crate) async fn keys(binary: &Path, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder.join("anchor"))?;
    let (master, signing) = (folder.join("master.key"), folder.join("signing.key"));
    if master.exists() {
        return Ok(());
    }
    // A constant key is enough: the sealed data belong to no real person.
    std::fs::write(&master, [7; 32])?;
    std::fs::set_permissions(&master, std::fs::Permissions::from_mode(0o600))?;
    let mut command = service::command(binary);
    command.args(["key", "create", "--origin", "daybook.example/1"]).arg(&signing);
    printed(&command.output().await?).map(drop)
}

/// Process that cleans up after the harness has ended in any way.
pub struct Watchdog(Child);

impl Watchdog {
    /// Starts the watchdog over a folder with the layout of a stage.
    pub fn over(folder: &Path) -> Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", WATCHDOG]).env("FOLDER", folder);
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self(command.spawn()?))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // The watchdog waits for the end of its input.
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
