//! Standbys of several servers: each answers about the shards of its own primary only.

use std::net::{SocketAddr, TcpListener};

use daybook_tests::client::Client;
use daybook_tests::http::Call;
use daybook_tests::process::{Daybook, run};
use daybook_tests::server::Server;
use serde_json::Value;
use tempfile::TempDir;

use super::servers;
use crate::restart::{at, dev_client, folder_with_key};
use crate::watching::value;

/// Home with shard 1, a server with shard 2 and a standby of the latter.
struct Servers {
    home: Server,
    other: Server,
    standby: Server,
    folder: TempDir,
}

impl Servers {
    fn start() -> Option<Self> {
        let (other, standby) = servers()?;
        let servers = Self { home: Server::start(), other, standby, folder: folder_with_key() };
        servers.daybook(&["migrate"]);
        servers.daybook(&["shard", "add", "--signing-key", &servers.file("signing.key")]);
        Some(servers)
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Returns the command line with the map of servers.
    fn mapped(&self, words: &[&str]) -> Vec<String> {
        let (home, other) = (self.home.url(""), format!("2={}", self.other.url("")));
        let map = ["--database-url", &home, "--shard-url", &other];
        words.iter().chain(&map).map(ToString::to_string).collect()
    }

    /// Runs a command, and returns its output as JSON.
    fn daybook(&self, words: &[&str]) -> Value {
        let done = run(self.mapped(&[words, &["--json", "--master-key", &self.file("master.key")]].concat()));
        assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
        serde_json::from_slice(&done.stdout).unwrap_or_default()
    }

    /// Starts a process on the servers, which writes its log to the file `log`.
    fn process(&self, log: &str, words: &[&str]) -> Daybook {
        let key = self.file("master.key");
        let all = ["--master-key", &key, "--listen", "127.0.0.1:0", "--settle-after", "1h", "--drain", "0s"];
        Daybook::start_logging(self.mapped(&[words, &all].concat()), &self.folder.path().join(log))
    }

    /// Creates a sandbox platform in shard 2.
    fn platform(&self, address: SocketAddr) -> Client {
        let made = self.daybook(&["client", "create", "Acme", "--sandbox", "--shard", "2"]);
        let text =
            |name: &str| made[name].as_str().unwrap_or_else(|| panic!("no {name} in {made}")).to_owned();
        let (client_id, client_secret) = (text("client_id"), text("client_secret"));
        Client { address, client_id, client_secret, user_id: text("user_id") }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn standby_answers_about_its_shards_only() {
    let Some(servers) = Servers::start() else { return };
    let data = servers.folder.path().display().to_string();
    let writer = servers.process("writer.log", &["dev", "--data-dir", &data]);
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let metrics = free.expect("a free port");
    let (read_url, port) = (format!("2={}", servers.standby.url("")), metrics.to_string());
    let serve = ["serve", "--allow-dev-credentials", "--read-url", &read_url, "--metrics-listen", &port];
    let reader = servers.process("reader.log", &serve);
    let at_home = dev_client(writer.address()).verified("Ada Lovelace").await;
    let elsewhere = servers.platform(writer.address()).verified("Grace Hopper").await;

    for session in [&at_home, &elsewhere] {
        for amount in ["1.00", "2.00", "3.00"] {
            let node = session.funded(amount).await;
            assert_eq!(at(session, reader.address()).balance(&node).await, amount);
        }
    }
    let text = Call::new(metrics, "GET", "/metrics").send().await.text();
    assert!(value(&text, "daybook_replica_reads_total", &[("answered", "replica")]) > 0.0);
    // Shard 1 has no standby: no read of it waits for one.
    let log = std::fs::read_to_string(servers.file("reader.log")).expect("a log");
    let mut lines = log.lines().filter(|line| line.contains("reads instead of a replica"));
    assert!(lines.all(|line| line.contains(r#""shard":2"#)), "{log}");

    servers.standby.crash();
    let node = elsewhere.funded("4.00").await;
    assert_eq!(at(&elsewhere, reader.address()).balance(&node).await, "4.00");
    let log = std::fs::read_to_string(servers.file("reader.log")).expect("a log");
    assert!(
        log.lines().any(|line| line.contains("reads instead of a replica") && line.contains(r#""shard":2"#))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn standby_of_no_server_is_refused() {
    let Some(servers) = Servers::start() else { return };
    let key = servers.file("master.key");
    for (range, says) in [
        ("3", "3 is not the range of a server; --shard-url has 2"),
        ("1-2", "1-2 is not the range of a server; --shard-url has 2"),
        ("2-1", "the range 2-1 is empty"),
    ] {
        let read_url = format!("{range}={}", servers.standby.url(""));
        let serve = ["serve", "--listen", "127.0.0.1:0", "--master-key", &key, "--read-url", &read_url];
        let refused = run(servers.mapped(&serve));
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{told}");
        assert!(told.contains(says), "{says}: {told}");
    }
}
