//! The real process, killed in the middle of its work: what it acknowledged is there, once, and everything goes on.

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

/// The platform that `dev` makes, by way of the process that listens at `address`.
pub(crate) fn dev_client(address: SocketAddr) -> Client {
    let (client_id, client_secret) = ("client_id_dev".to_owned(), "client_secret_dev".to_owned());
    Client { address, client_id, client_secret, user_id: String::new() }
}

/// The user of `session`, at the process that listens at `address`.
pub(crate) fn at(session: &Session, address: SocketAddr) -> Session {
    Session { client: Client { address, ..session.client.clone() }, ..session.clone() }
}

/// A process of `dev` on `database`.
pub(crate) fn dev_on(database: &Database, folder: &Path) -> Daybook {
    Daybook::start(dev_args(database, folder))
}

/// The command line of `dev` on `database`, with the master key in `folder`.
pub(crate) fn dev_args(database: &Database, folder: &Path) -> Vec<String> {
    let folder = folder.display();
    let (url, key) = (database.url(), format!("{folder}/master.key"));
    let args = ["dev", "--database-url", &url, "--data-dir", &folder.to_string(), "--master-key", &key];
    let more = ["--listen", "127.0.0.1:0", "--settle-after", "300ms"];
    args.iter().chain(&more).map(ToString::to_string).collect()
}

/// A folder with the keys of all tests.
pub(crate) fn folder_with_key() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    secret_file::write(folder.path().join("master.key"), [7_u8; 32]);
    secret_file::write(folder.path().join("signing.key"), signer().secret_text());
    folder
}

/// What the load knows of each request: its key, and the id if it was acknowledged.
type Known = HashMap<String, Option<String>>;

/// Sends until the process is gone; `acknowledged` counts meanwhile.
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
async fn a_killed_process_has_kept_every_promise() {
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
    // What is not known is asked again under its key: done before, or done now, but once.
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
    // The credit is one of them.
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

/// A data folder for `dev` whose server is gone when the test is over, passed or not.
pub(crate) struct DataDir(TempDir);

impl DataDir {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("daybook-dev-").tempdir().expect("a folder");
        // As root, PostgreSQL runs under another account, which has to get through.
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

    /// The process id of the running PostgreSQL.
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
async fn whoever_says_that_it_is_ready_ends_in_order_at_once() {
    let (database, folder) = (Database::create().await, folder_with_key());
    for _ in 0..10 {
        assert!(dev_on(&database, folder.path()).terminate().success());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dev_is_ready_soon_and_says_what_to_try() {
    let folder = DataDir::new();
    let process = folder.dev();
    // On a machine that does other things, too. How long it takes on one that does not is for people to see.
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
async fn a_killed_dev_leaves_its_database_running_and_finds_it_again() {
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
    // Sessions outlive the process, too.
    assert_eq!(at(&ada, process.address()).balance(&node).await, "5.00");
    assert!(process.terminate().success());
    assert_eq!(folder.postgres().await, None);

    let process = folder.dev();
    assert_eq!(at(&ada, process.address()).balance(&node).await, "5.00");
}

/// An answer of 200; any other is a 503 that says when to come again.
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
async fn a_crash_of_postgresql_is_got_over() {
    let folder = DataDir::new();
    let process = folder.dev();
    let client = dev_client(process.address());
    let ada = client.stranger("Ada").await;
    let node = ada.funded("5").await;
    let postgres = folder.postgres().await.expect("it runs");
    kill(Pid::from_raw(postgres), nix::sys::signal::Signal::SIGKILL).expect("it can be killed");
    // Its backends outlive it for a moment and may still answer.
    until("another server runs", async || folder.postgres().await.filter(|pid| *pid != postgres)).await;
    let tries = AtomicUsize::new(0);
    until("money comes in again", async || {
        tries.fetch_add(1, Ordering::SeqCst);
        is_available(&ada.client.credit(&node, "1").await).then_some(())
    })
    .await;
    let read = until("it is read again", async || Some(ada.get_node(&node).await).filter(is_available)).await;
    // An answer of 503 leaves open whether the payment was recorded.
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

/// What a command printed as JSON.
#[track_caller]
pub(crate) fn credentials(made: &Output) -> Value {
    assert!(made.status.success(), "{made:?}");
    serde_json::from_slice(&made.stdout).expect("JSON")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_platform_is_made_beside_a_running_service_and_without_one() {
    let folder = DataDir::new();
    let create = |name: &str| {
        credentials(&run(["client", "create", name, "--sandbox", "--json", "--data-dir", &folder.text()]))
    };
    // The first start makes the ledger, as nothing else does.
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
async fn serve_takes_any_address_and_has_no_sandbox() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let (url, key) = (database.url(), folder.path().join("master.key").display().to_string());
    // With another address for the public the one that it listens on is not told.
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
    // Without its key nothing could be opened; a new one is not made up for a database that is there.
    let missing = folder.path().join("missing.key").display().to_string();
    let refused = run(["serve", "--database-url", &url, "--master-key", &missing, "--listen", "127.0.0.1:0"]);
    assert!(!refused.status.success());
    assert!(!folder.path().join("missing.key").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_whose_log_cannot_be_written_goes_on() {
    let (database, folder) = (Database::create().await, folder_with_key());
    // Every line of everything, onto a disk that is full.
    let process = Daybook::start_tracing(dev_args(&database, folder.path()), Path::new("/dev/full"));
    let ada = dev_client(process.address()).stranger("Ada").await;
    let node = ada.funded("5").await;
    assert_eq!(ada.balance(&node).await, "5.00");
    assert!(process.terminate().success());
}
