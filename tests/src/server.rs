//! A PostgreSQL of a test's own, reached by TCP: one that is secured, one that another follows.
#![allow(clippy::expect_used, reason = "a test that cannot have its server has failed")]

use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use daybook_pg::embedded::Account;
use tokio_postgres::{Client, NoTls};

use crate::{database, tls};

/// Who owns everything there.
const USER: &str = "daybook";

/// Waits for the end of its input, which is the end of the test process, then removes the server.
const WATCHDOG: &str = r#"cat > /dev/null; "$@"; rm -rf "$FOLDER""#;

/// A running server; it goes when it is dropped, and when the test process ends in another way.
#[derive(Debug)]
pub struct Server {
    folder: PathBuf,
    bin: PathBuf,
    account: Account,
    /// Where it listens on 127.0.0.1.
    pub port: u16,
    watchdog: Child,
}

impl Server {
    /// A new one. Plain.
    #[must_use]
    pub fn start() -> Self {
        let server = Self::prepare();
        server.initialize();
        server.launch();
        server
    }

    /// A new one that speaks with nobody but by TLS, as `receiver.example` and 127.0.0.1.
    ///
    /// # Panics
    ///
    /// If it cannot be made.
    #[must_use]
    pub fn secured() -> Self {
        let server = Self::prepare();
        server.initialize();
        let (chain, key) = tls::write(&server.data(), tls::RECEIVER);
        for file in [&chain, &key] {
            server.account.own(file).expect("the account's");
        }
        std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("ours");
        server.set("ssl = on\n");
        let hosts = "hostssl all all 127.0.0.1/32 trust\n";
        std::fs::write(server.data().join("pg_hba.conf"), hosts).expect("written");
        server.launch();
        server
    }

    /// Whether the program that copies a server is there: packages of the server alone lack it.
    #[must_use]
    pub fn can_be_followed(&self) -> bool {
        self.bin.join("pg_basebackup").exists()
    }

    /// A new one that follows this one, and takes no writes until it is promoted.
    #[must_use]
    pub fn followed(&self) -> Self {
        let server = Self::prepare();
        let mut command = server.program("pg_basebackup");
        command.args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", USER]);
        command.args(["-R", "-X", "stream", "--checkpoint=fast", "-D"]).arg(server.data());
        done(command);
        server.set(&format!("port = {}\n", server.port));
        server.launch();
        server
    }

    /// Lets it take writes, and waits for that.
    pub fn promote(&self) {
        let mut command = self.pg_ctl();
        command.args(["promote", "--wait"]);
        done(command);
    }

    /// Ends it as a crash would.
    pub fn crash(&self) {
        let mut command = self.pg_ctl();
        command.args(["stop", "--mode", "immediate", "--wait"]);
        done(command);
    }

    /// How to reach it, and perhaps `more`, as psql takes it.
    #[must_use]
    pub fn url(&self, more: &str) -> String {
        format!("host=127.0.0.1 port={} user={USER} dbname=postgres {more}", self.port)
    }

    /// A connection to it, as its owner.
    ///
    /// # Panics
    ///
    /// If it cannot be reached.
    pub async fn client(&self) -> Client {
        let (client, connection) = tokio_postgres::connect(&self.url(""), NoTls).await.expect("it runs");
        tokio::spawn(connection);
        client
    }

    /// Finds programs and a port, makes the folder, and sees to it that all of it goes.
    fn prepare() -> Self {
        let bin = database::cluster().bin_dir().to_owned();
        let folder = database::temporary_folder();
        let account = Account::choose(&folder.join("data")).expect("there is an account for the server");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = port.expect("a free port").port();
        let mut command = Command::new("sh");
        account.enter(&mut command);
        command.args(["-c", WATCHDOG, "watchdog"]).arg(bin.join("pg_ctl"));
        command.arg("--pgdata").arg(folder.join("data")).args(["stop", "--mode", "immediate"]);
        command.env("FOLDER", &folder).process_group(0).stdin(Stdio::piped());
        let watchdog = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("there is a shell");
        Self { folder, bin, account, port, watchdog }
    }

    fn initialize(&self) {
        let mut command = self.program("initdb");
        command.args(["--auth=trust", "--username", USER, "--encoding=UTF8", "--no-sync", "--pgdata"]);
        command.arg(self.data());
        done(command);
        let folder = self.folder.display();
        self.set(&format!(
            "port = {}\nunix_socket_directories = '{folder}'\nmax_connections = 100\n",
            self.port
        ));
    }

    /// More lines of its configuration; of two about one thing the later one counts.
    fn set(&self, lines: &str) {
        let path = self.data().join("postgresql.conf");
        let text = std::fs::read_to_string(&path).expect("its configuration");
        std::fs::write(&path, text + "\n" + lines).expect("written");
    }

    /// Starts it, be it again.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn launch(&self) {
        let mut command = self.pg_ctl();
        command.args(["start", "--wait", "--log"]).arg(self.folder.join("log"));
        // It would keep our pipes open.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status().expect("it runs");
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        assert!(status.success(), "{log}");
    }

    /// Starts it as one that recovers, and takes no connections, until it is promoted.
    ///
    /// # Panics
    ///
    /// As [`Server::launch`].
    pub fn recover(&self) {
        let signal = self.data().join("standby.signal");
        std::fs::write(&signal, "").expect("written");
        self.account.own(&signal).expect("the account's");
        self.set("hot_standby = off\n");
        self.launch();
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn pg_ctl(&self) -> Command {
        let mut command = self.program("pg_ctl");
        command.arg("--pgdata").arg(self.data());
        command
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        self.account.enter(&mut command);
        command.current_dir(Path::new("/"));
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut command = self.pg_ctl();
        command.args(["stop", "--mode", "immediate"]).stdout(Stdio::null()).stderr(Stdio::null());
        let _ = command.status();
        // It removes the folder.
        drop(self.watchdog.stdin.take());
        let _ = self.watchdog.wait();
    }
}

fn done(mut command: Command) {
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
