//! The real process, killed during its work: every acknowledged write is kept once, and the service continues.

use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use daybook_pg::embedded::{Cluster, Options, StopMode};
use daybook_tests::app::signer;
use daybook_tests::bodies::transfer;
use daybook_tests::client::{Client, Session, until};
use daybook_tests::database::Database;
use daybook_tests::http::Answer;
use daybook_tests::process::{Daybook, run, shell};
use daybook_tests::secret_file;
use nix::sys::signal::kill;
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

/// Returns the client of the platform that `dev` creates, for the process that listens at `address`.
pub(crate) fn dev_client(address: SocketAddr) -> Client {
    let (client_id, client_secret) = ("client_id_dev".to_owned(), "client_secret_dev".to_owned());
    Client { address, client_id, client_secret, user_id: String::new() }
}

/// Returns the session with its calls directed to the process that listens at `address`.
pub(crate) fn at(session: &Session, address: SocketAddr) -> Session {
    Session { client: Client { address, ..session.client.clone() }, ..session.clone() }
}

/// Starts `dev` on `database`.
pub(crate) fn dev_on(database: &Database, folder: &Path) -> Daybook {
    Daybook::start(dev_args(database, folder))
}

/// Returns the command line of `dev` on `database`, with the master key in `folder`.
pub(crate) fn dev_args(database: &Database, folder: &Path) -> Vec<String> {
    let folder = folder.display();
    let (url, key) = (database.url(), format!("{folder}/master.key"));
    let args = ["dev", "--database-url", &url, "--data-dir", &folder.to_string(), "--master-key", &key];
    let more = ["--listen", "127.0.0.1:0", "--settle-after", "300ms"];
    args.iter().chain(&more).map(ToString::to_string).collect()
}

/// Returns a folder with the keys that all tests use.
pub(crate) fn folder_with_key() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    secret_file::write(folder.path().join("master.key"), [7_u8; 32]);
    secret_file::write(folder.path().join("signing.key"), signer().secret_text());
    folder
}

/// Idempotency keys of the requests that were sent, each with the id if the request was acknowledged.
type Known = HashMap<String, Option<String>>;

/// Sends payments until the process is gone. `acknowledged` counts the successful ones.
async fn load(
    session: Session,
    from: String,
    to: String,
    task: usize,
    acknowledged: Arc<AtomicUsize>,
) -> Known {
    let mut known = Known::new();
    for index in 0.. {
        let key = format!("{task}-{index}");
        let answer = session.transfer(&from, &transfer(&to, "0.01")).key(&key).try_send().await;
        let Ok(answer) = answer else {
            known.insert(key, None);
            break;
        };
        let id = answer.ok()["_id"].as_str().expect("an id").to_owned();
        known.insert(key, Some(id));
        acknowledged.fetch_add(1, Ordering::SeqCst);
    }
    known
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_process_keeps_every_acknowledged_write() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let mut process = dev_on(&database, folder.path());
    let client = dev_client(process.address());
    let ada = client.verified("Ada Lovelace").await;
    let (from, to) = (ada.funded("10000").await, ada.node("DEPOSIT-US").await);
    let mut known = Known::new();
    for round in 0..3 {
        let session = at(&ada, process.address());
        let acknowledged = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..8)
            .map(|task| {
                let load =
                    load(session.clone(), from.clone(), to.clone(), 8 * round + task, acknowledged.clone());
                tokio::spawn(load)
            })
            .collect();
        until("there is load", async || (acknowledged.load(Ordering::SeqCst) >= 60).then_some(())).await;
        process.kill();
        for task in tasks {
            known.extend(task.await.expect("the load ends"));
        }
        process = dev_on(&database, folder.path());
    }
    let ada = at(&ada, process.address());
    let unknown = known.values().filter(|id| id.is_none()).count();
    assert!(unknown > 0, "nothing was under way when the process was killed");
    // A request without an answer is repeated under its key. It was executed before or is executed now, but only once.
    for (key, id) in &mut known {
        let answer = ada.transfer(&from, &transfer(&to, "0.01")).key(key).send().await;
        match (&id, answer.status) {
            (None, 200) => *id = Some(answer.ok()["_id"].as_str().expect("an id").to_owned()),
            (None, _) => {
                *id = Some(answer.refused(409, "400")["original_id"].as_str().expect("an id").to_owned());
            }
            (Some(id), _) => assert_eq!(answer.refused(409, "400")["original_id"], *id),
        }
    }
    let all = ada.ended().await;
    // The additional transaction is the credit that funded the node.
    assert_eq!(all.len(), known.len() + 1);
    let mut listed: Vec<_> = all.iter().filter_map(|one| one["_id"].as_str()).collect();
    listed.sort_unstable();
    listed.dedup();
    assert_eq!(listed.len(), all.len());
    assert!(known.values().flatten().all(|id| listed.binary_search(&id.as_str()).is_ok()));
    assert!(all.iter().all(|one| one["recent_status"]["status"] == "SETTLED"));
    let money = |cents: usize| format!("{}.{:02}", cents / 100, cents % 100);
    assert_eq!(ada.balance(&to).await, money(known.len()));
    assert_eq!(ada.balance(&from).await, money(1_000_000 - known.len()));
}

/// A data folder for `dev` whose PostgreSQL server is stopped when the test ends, passed or not.
pub(crate) struct DataDir(TempDir);

impl DataDir {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("daybook-dev-").tempdir().expect("a folder");
        // When run as root, PostgreSQL runs under another account, which must be able to enter the folder.
        let mode = std::fs::Permissions::from_mode(0o711);
        std::fs::set_permissions(folder.path(), mode).expect("the mode can be set");
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("data")
    }

    fn options(&self) -> Options {
        Options { data_dir: self.path(), pg_bin: daybook_tests::database::pg_bin(), settings: vec![] }
    }

    pub(crate) fn dev(&self) -> Daybook {
        Daybook::start(["dev", "--data-dir", &self.text(), "--listen", "127.0.0.1:0", "--settle-after", "3s"])
    }

    pub(crate) fn text(&self) -> String {
        self.path().display().to_string()
    }

    /// Returns the process id of the running PostgreSQL.
    pub(crate) async fn postgres(&self) -> Option<i32> {
        Cluster::prepare(self.options()).await.expect("the folder is usable").pid()
    }
}

impl Drop for DataDir {
    fn drop(&mut self) {
        let options = self.options();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                runtime.expect("a runtime").block_on(async {
                    if let Ok(cluster) = Cluster::prepare(options).await {
                        let _ = cluster.stop(StopMode::Immediate).await;
                    }
                });
            });
        });
    }
}

fn is_running(pid: i32) -> bool {
    kill(Pid::from_raw(pid), None).is_ok()
}

#[tokio::test]
async fn ready_process_terminates_cleanly_at_once() {
    let (database, folder) = (Database::create().await, folder_with_key());
    for _ in 0..10 {
        assert!(dev_on(&database, folder.path()).terminate().success());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dev_is_ready_and_prints_examples() {
    let folder = DataDir::new();
    let process = folder.dev();
    // The bound is generous, because the machine may be busy.
    assert!(process.ready_after < Duration::from_mins(1), "{:?}", process.ready_after);
    let count = AtomicUsize::new(0);
    let is_third = |line: &str| line.starts_with("curl ") && count.fetch_add(1, Ordering::SeqCst) == 2;
    let lines = process.lines_until(is_third);
    assert!(lines.iter().any(|line| line.contains("client_id_dev")));
    assert!(lines.iter().any(|line| line.contains("client_secret_dev")));
    let curls: Vec<_> = lines.iter().filter(|line| line.starts_with("curl ")).collect();
    assert_eq!(curls.len(), 3);
    for line in curls {
        let answer: Value = serde_json::from_str(&shell(line)).expect("JSON");
        assert_eq!(answer["error_code"], "0", "{line}: {answer}");
        assert!(answer["_id"].is_string(), "{line}: {answer}");
    }
    assert!(process.terminate().success());
    assert_eq!(folder.postgres().await, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_dev_reuses_its_running_database() {
    let folder = DataDir::new();
    let process = folder.dev();
    let client = dev_client(process.address());
    let ada = client.stranger("Ada").await;
    let node = ada.funded("5").await;
    let postgres = folder.postgres().await.expect("it runs");
    process.kill();
    assert!(is_running(postgres));

    let process = folder.dev();
    assert_eq!(folder.postgres().await, Some(postgres));
    // Sessions survive the end of the process.
    assert_eq!(at(&ada, process.address()).balance(&node).await, "5.00");
    assert!(process.terminate().success());
    assert_eq!(folder.postgres().await, None);

    let process = folder.dev();
    assert_eq!(at(&ada, process.address()).balance(&node).await, "5.00");
}

/// Returns true for 200. Any other answer must be a 503 with `Retry-After`.
fn is_available(answer: &Answer) -> bool {
    if answer.status == 200 {
        return true;
    }
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert!(answer.headers.contains_key("retry-after"));
    let body = answer.json();
    assert_eq!((&body["error_code"], &body["http_code"]), (&"503".into(), &"503".into()));
    false
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_recovers_from_a_postgresql_crash() {
    let folder = DataDir::new();
    let process = folder.dev();
    let client = dev_client(process.address());
    let ada = client.stranger("Ada").await;
    let node = ada.funded("5").await;
    let postgres = folder.postgres().await.expect("it runs");
    kill(Pid::from_raw(postgres), nix::sys::signal::Signal::SIGKILL).expect("it can be killed");
    // Backends of the killed server live a moment longer and may still answer.
    until("another server runs", async || folder.postgres().await.filter(|pid| *pid != postgres)).await;
    let tries = AtomicUsize::new(0);
    until("money comes in again", async || {
        tries.fetch_add(1, Ordering::SeqCst);
        is_available(&ada.client.credit(&node, "1").await).then_some(())
    })
    .await;
    let read = until("it is read again", async || Some(ada.get_node(&node).await).filter(is_available)).await;
    // After a 503 the payment may or may not have been recorded.
    let possible: Vec<String> =
        (1..=tries.load(Ordering::SeqCst)).map(|credits| format!("{}.00", 5 + credits)).collect();
    assert!(possible.contains(&read.raw("info.balance.amount")), "{possible:?} {}", read.text());
    assert!(process.terminate().success());
}

#[test]
fn dev_listens_on_loopback_only() {
    let folder = DataDir::new();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let refused = run(["dev", "--data-dir", &folder.text(), "--listen", address]);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("loopback"), "{refused:?}");
    }
    assert!(!folder.path().exists());
}

/// Returns the JSON that a successful command printed.
#[track_caller]
pub(crate) fn credentials(made: &Output) -> Value {
    assert!(made.status.success(), "{made:?}");
    serde_json::from_slice(&made.stdout).expect("JSON")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn platform_creation_needs_no_running_service() {
    let folder = DataDir::new();
    let create = |name: &str| {
        credentials(&run(["client", "create", name, "--sandbox", "--json", "--data-dir", &folder.text()]))
    };
    // The ledger is created by the first start; `client create` does not create it.
    assert!(folder.dev().terminate().success());
    let first = create("First");
    assert_eq!(folder.postgres().await, None, "a server that was not running is stopped again");
    let process = folder.dev();
    let second = create("Second");
    assert!(folder.postgres().await.is_some(), "a server that others use is left running");
    for made in [first, second] {
        let text = |field: &str| made[field].as_str().expect("text").to_owned();
        let client = Client {
            address: process.address(),
            client_id: text("client_id"),
            client_secret: text("client_secret"),
            user_id: text("user_id"),
        };
        assert!(
            client.client_id.starts_with("client_id_") && client.client_secret.starts_with("client_secret_")
        );
        let session = client.own_session().await;
        let nodes = session.call("GET", "/nodes?type=RESERVE-US").send().await;
        assert_eq!(nodes.raw("nodes.0.info.balance.amount"), "1000000.00");
    }
    assert!(process.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serve_accepts_any_address_without_sandbox() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let (url, key) = (database.url(), folder.path().join("master.key").display().to_string());
    // With `--public-url` the listening address is not printed, so the port must be known before.
    let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port");
    let listen = free.to_string();
    let process = Daybook::start([
        "serve",
        "--database-url",
        &url,
        "--master-key",
        &key,
        "--listen",
        &listen,
        "--public-url",
        "https://ledger.example/",
    ]);
    let fixed = dev_client(free);
    fixed.call("GET", "/users/x").send().await.refused(401, "100");
    let made = credentials(&run([
        "client",
        "create",
        "Acme",
        "--json",
        "--database-url",
        &url,
        "--master-key",
        &key,
    ]));
    let text = |field: &str| made[field].as_str().expect("text").to_owned();
    let client = Client {
        address: free,
        client_id: text("client_id"),
        client_secret: text("client_secret"),
        user_id: text("user_id"),
    };
    let user = client.user(&client.user_id).await;
    assert_eq!(
        user["_links"]["self"]["href"],
        format!("https://ledger.example/v3.1/users/{}", client.user_id)
    );
    assert!(process.terminate().success());
    // The data cannot be opened without its master key. No new key is created for an existing database.
    let missing = folder.path().join("missing.key").display().to_string();
    let refused = run(["serve", "--database-url", &url, "--master-key", &missing, "--listen", "127.0.0.1:0"]);
    assert!(!refused.status.success());
    assert!(!folder.path().join("missing.key").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_survives_unwritable_log_output() {
    let (database, folder) = (Database::create().await, folder_with_key());
    // All log levels go to a full disk.
    let process = Daybook::start_tracing(dev_args(&database, folder.path()), Path::new("/dev/full"));
    let ada = dev_client(process.address()).stranger("Ada").await;
    let node = ada.funded("5").await;
    assert_eq!(ada.balance(&node).await, "5.00");
    assert!(process.terminate().success());
}
