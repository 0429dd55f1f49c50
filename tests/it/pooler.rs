//! Daybook behind PgBouncer: its session mode works, though it drops the start-up packet's `options`; its transaction
//! mode is refused.
//!
//! `.ci/run` installs PgBouncer. Where it is missing these tests say that they check nothing.
#![allow(clippy::print_stderr, reason = "a test that checks nothing says so")]

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use daybook_pg::embedded::Account;
use daybook_pg::{Config, Error, Pg, Role, durability};
use daybook_tests::app::{SETTLE_AFTER, TestApp};
use daybook_tests::bodies::transfer;
use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::proxy;
use tempfile::TempDir;

/// PgBouncer before the server of the tests.
struct Pooler {
    process: Child,
    port: u16,
    _folder: TempDir,
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn program() -> Option<PathBuf> {
    let found = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"]
        .map(PathBuf::from)
        .into_iter()
        .find(|path| path.exists());
    if found.is_none() {
        eprintln!("NOT CHECKED: PgBouncer is not installed; `apt-get install pgbouncer`");
    }
    found
}

impl Pooler {
    /// Starts PgBouncer in `mode`; none where it is not installed.
    async fn start(database: &Database, mode: &str) -> Option<(Self, Pg)> {
        let program = program()?;
        let server = database.config().to_tokio_postgres();
        let (socket, server_port) = proxy::socket(&server);
        let (user, name) = (server.get_user().unwrap_or_default(), server.get_dbname().unwrap_or_default());
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|port| port.local_addr())
            .expect("a port")
            .port();
        let folder = tempfile::tempdir().expect("a folder");
        let configuration = format!(
            "[databases]\n{name} = host={} port={server_port} user={user} dbname={name}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = {mode}\ndefault_pool_size = 40\n\
             ignore_startup_parameters = extra_float_digits,options\n",
            socket.display()
        );
        let file = folder.path().join("pgbouncer.ini");
        std::fs::write(&file, configuration).expect("is written");
        let account = Account::choose(folder.path()).expect("an account");
        account.own(folder.path()).expect("is owned");
        let mut command = Command::new(program);
        account.enter(&mut command);
        let process = command.arg(&file).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
        let url = format!("host=127.0.0.1 port={port} user={user} dbname={name} sslmode=disable");
        let pg = Pg::new(Config::from_url(&url).expect("a URL")).expect("the pool is well configured");
        let pooler = Self { process, port, _folder: folder };
        until("PgBouncer listens", async || {
            tokio::net::TcpStream::connect((Ipv4Addr::LOCALHOST, pooler.port)).await.ok()
        })
        .await;
        Some((pooler, pg))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pooler_in_session_mode_keeps_settings() {
    let database = Database::create().await;
    let Some((_pooler, pg)) = Pooler::start(&database, "session").await else { return };
    durability::check(&pg).await.expect("session mode is accepted");
    let client = pg.acting_as(Role::App).client().await.expect("connects");
    let settings =
        "select current_setting('lock_timeout'), current_setting('enable_seqscan'), current_user::text";
    let row = client.query_one(settings, &[]).await.expect("an answer");
    assert_eq!([0, 1, 2].map(|column| row.get::<_, String>(column)), ["2s", "off", "daybook_app"]);
    let app = TestApp::start_on(database, pg, SETTLE_AFTER).await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let id = us.transfer(&from, &transfer(&to, "1")).send().await.ok()["_id"].clone();
    us.when(&from, id.as_str().expect("an id"), "SETTLED").await;
    app.stop().await;
}

#[tokio::test]
async fn pooler_in_transaction_mode_is_refused() {
    let database = Database::create().await;
    let Some((_pooler, pg)) = Pooler::start(&database, "transaction").await else { return };
    let refused = durability::check(&pg).await;
    assert!(matches!(&refused, Err(Error::Config(what)) if what.contains("pool_mode")), "{refused:?}");
}
