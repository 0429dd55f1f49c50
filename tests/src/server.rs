//! A PostgreSQL server of one test, reached by TCP: with TLS, or with a standby server that follows it.
#![allow(clippy::expect_used, reason = "a test that cannot have its server has failed")]

use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use daybook_pg::embedded::Account;
use tokio_postgres::{Client, NoTls};

use crate::{database, tls};

/// Superuser of these servers.
const USER: &str = "daybook";

/// Shell script that waits for the end of its input, which is the end of the test process, and then removes the server.
const WATCHDOG: &str = r#"cat > /dev/null; "$@"; rm -rf "$FOLDER""#;

/// A running server. It is removed when it is dropped, and when the test process ends in another way.
#[derive(Debug)]
pub struct Server {
    folder: PathBuf,
    bin: PathBuf,
    account: Account,
    /// Port on 127.0.0.1.
    pub port: u16,
    watchdog: Child,
}

impl Server {
    /// Starts a new server without TLS.
    #[must_use]
    pub fn start() -> Self {
        let server = Self::prepare();
        server.initialize();
        server.launch();
        server
    }

    /// Starts a new server that accepts TLS connections only, with a certificate for `receiver.example` and 127.0.0.1.
    ///
    /// # Panics
    ///
    /// Panics if the server cannot be created.
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

    /// Returns true if `pg_basebackup` is installed, which server-only packages lack.
    #[must_use]
    pub fn can_be_followed(&self) -> bool {
        self.bin.join("pg_basebackup").exists()
    }

    /// Starts a standby server that follows this one. It accepts no writes until it is promoted.
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

    /// Promotes the server, and waits until it accepts writes.
    pub fn promote(&self) {
        let mut command = self.pg_ctl();
        command.args(["promote", "--wait"]);
        done(command);
    }

    /// Stops the server immediately, as a crash does.
    pub fn crash(&self) {
        let mut command = self.pg_ctl();
        command.args(["stop", "--mode", "immediate", "--wait"]);
        done(command);
    }

    /// Returns a connection string for the server, with the parameters `more` appended.
    #[must_use]
    pub fn url(&self, more: &str) -> String {
        format!("host=127.0.0.1 port={} user={USER} dbname=postgres {more}", self.port)
    }

    /// Connects to the server as its superuser.
    ///
    /// # Panics
    ///
    /// Panics if the connection fails.
    pub async fn client(&self) -> Client {
        let (client, connection) = tokio_postgres::connect(&self.url(""), NoTls).await.expect("it runs");
        tokio::spawn(connection);
        client
    }

    /// Finds programs and a port, creates the folder, and starts the watchdog that removes everything.
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

    /// Appends lines to the configuration. A later line replaces an earlier one for the same setting.
    fn set(&self, lines: &str) {
        let path = self.data().join("postgresql.conf");
        let text = std::fs::read_to_string(&path).expect("its configuration");
        std::fs::write(&path, text + "\n" + lines).expect("written");
    }

    /// Starts the server, also after a stop.
    ///
    /// # Panics
    ///
    /// Panics if the server does not start.
    pub fn launch(&self) {
        let mut command = self.pg_ctl();
        command.args(["start", "--wait", "--log"]).arg(self.folder.join("log"));
        // The server would inherit our pipes and keep them open.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status().expect("it runs");
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        assert!(status.success(), "{log}");
    }

    /// Starts the server in recovery mode. It accepts no connections until it is promoted.
    ///
    /// # Panics
    ///
    /// Panics if the server does not start.
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
        // The end of its input makes the watchdog remove the folder.
        drop(self.watchdog.stdin.take());
        let _ = self.watchdog.wait();
    }
}

fn done(mut command: Command) {
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
