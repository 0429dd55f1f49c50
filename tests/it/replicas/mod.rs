//! Reads from replicas: a process writes, another one answers from a standby of the primary, and no answer is older than
//! the log.

mod faults;
mod freshness;
mod placed;
mod unconfirmed;

use std::io::Write;
use std::net::{SocketAddr, TcpListener};

use daybook_tests::client::{Client, until};
use daybook_tests::http::Call;
use daybook_tests::process::Daybook;
use daybook_tests::server::Server;
use tempfile::TempDir;

use crate::restart::{dev_client, folder_with_key};
use crate::watching::value;

/// A primary with a standby, a process that writes, and one that answers queries from `--read-url`.
struct Machines {
    primary: Server,
    standby: Server,
    folder: TempDir,
    writer: Daybook,
    reader: Daybook,
    metrics: SocketAddr,
}

impl Machines {
    /// Starts all of them; `None` where no server can follow another, which is said loudly.
    fn start() -> Option<Self> {
        let (primary, standby) = servers()?;
        let read_url = standby.url("");
        Some(Self::reading_from(primary, standby, &read_url))
    }

    /// Starts the processes; the reader answers from `read_url`.
    fn reading_from(primary: Server, standby: Server, read_url: &str) -> Self {
        let folder = folder_with_key();
        let (url, data) = (primary.url(""), folder.path().display().to_string());
        let key = format!("{data}/master.key");
        let shared = ["--database-url", &url, "--master-key", &key, "--listen", "127.0.0.1:0"];
        let shared = [&shared[..], &["--settle-after", "1h", "--drain", "0s"]].concat();
        let dev = [&["dev", "--data-dir", &data], &shared[..]].concat();
        let writer = Daybook::start(dev);
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let metrics = free.expect("a free port");
        let port = metrics.to_string();
        let serve = ["serve", "--allow-dev-credentials", "--read-url", read_url, "--metrics-listen", &port];
        let reader = Daybook::start([&serve[..], &shared].concat());
        Self { primary, standby, folder, writer, reader, metrics }
    }

    /// Returns the platform as a client of the process that writes.
    fn client(&self) -> Client {
        dev_client(self.writer.address())
    }

    /// Runs a statement on the standby.
    async fn on_standby(&self, sql: &str) {
        self.standby.client().await.batch_execute(sql).await.expect(sql);
    }

    /// Makes the standby replay every commit this late.
    async fn delay(&self, delay: &str) {
        // Two calls: the setting cannot be changed in a transaction.
        self.on_standby(&format!("alter system set recovery_min_apply_delay = '{delay}'")).await;
        self.on_standby("select pg_reload_conf()").await;
    }

    /// Returns the number of reads that were answered so.
    async fn answered(&self, how: &str) -> f64 {
        value(&self.metrics_text().await, "daybook_replica_reads_total", &[("answered", how)])
    }

    /// Waits until this number of replicas answers queries.
    async fn serving(&self, count: f64) {
        until("the number of replicas that answer", async || {
            let serving = value(&self.metrics_text().await, "daybook_replicas_serving", &[]);
            #[allow(clippy::float_cmp, reason = "both are whole")]
            (serving == count).then_some(())
        })
        .await;
    }

    async fn metrics_text(&self) -> String {
        Call::new(self.metrics, "GET", "/metrics").send().await.text()
    }
}

/// Starts a primary and a standby; `None` where no server can follow another, which is said loudly.
fn servers() -> Option<(Server, Server)> {
    let primary = Server::start();
    if !primary.can_be_followed() {
        // The test harness shows the output of `eprintln` only for failed tests, so this writes to standard error
        // directly.
        let why = "SKIPPED: there is no pg_basebackup beside this PostgreSQL, so no server follows another";
        writeln!(std::io::stderr(), "{why}").expect("says so");
        return None;
    }
    let standby = primary.followed();
    Some((primary, standby))
}
