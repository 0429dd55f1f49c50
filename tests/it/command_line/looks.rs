//! Commands that only read: they create neither a folder nor a schema, and write nothing.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use daybook_tests::app::TestApp;
use daybook_tests::database::Database;
use daybook_tests::process::{Daybook, binary, run};
use serde_json::Value;

use super::{DataFolder, is_there, refused, text};

/// Commands that need an existing ledger and report an error without one.
const OTHERS: [&[&str]; 16] = [
    &["ledger", "trial-balance"],
    &["ledger", "custody"],
    &["ledger", "export", "--format", "hledger", "-o", "/dev/null"],
    &["log", "tail"],
    &["log", "stats"],
    &["log", "export", "-o", "/nowhere/bundle"],
    &["log", "verify"],
    &["projection", "list"],
    &["projection", "rebuild", "users"],
    &["reconcile", "replay"],
    &["reconcile", "bank", "--platform", "us", "--from", "2026-03-01", "--to", "2026-03-31"],
    &["replay", "--user", "01M7ZZ6PZ190BGGZEGZ2M6RJBA"],
    &["operator", "list"],
    &["operator", "revoke", "operator_id_00000000000000000000000001"],
    &["client", "create", "Acme"],
    &["migrate"],
];

#[test]
fn missing_data_folder_is_not_created() {
    for command in OTHERS {
        let folder = DataFolder::new();
        let (said, code) = refused(&[command, &["--data-dir", &folder.text()]].concat());
        // A verification that could not run has the same exit code as any other command.
        assert_eq!(code, Some(2), "{command:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{command:?}: {said}");
        assert!(said.contains(&format!("there is no ledger in {}", folder.text())), "{command:?}: {said}");
        assert!(!is_there(&folder.path()), "{command:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn empty_database_stays_empty() {
    let database = Database::empty().await;
    for command in OTHERS.iter().filter(|command| !["client", "migrate"].contains(&command[0])) {
        let (said, code) = refused(&[command, &["--database-url", &database.url()][..]].concat());
        assert_ne!(code, Some(0), "{command:?}: {said}");
        assert!(said.contains("the database holds no ledger"), "{command:?}: {said}");
    }
    let client = database.pg().client().await.expect("connects");
    let made = "select count(*) from pg_class where relnamespace = 'public'::regnamespace";
    assert_eq!(client.query_one(made, &[]).await.expect("counts").get::<_, i64>(0), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_need_neither_key_nor_service() {
    let app = TestApp::start().await;
    app.client.verified("Ann").await.funded("12.34").await;
    let database = app.database.clone();
    let platform = app.client.client_id.clone();
    app.stop().await;
    let json = |report: &str, more: &[&str]| -> Value {
        let output = run([&["ledger", report, "--json", "--database-url", &database.url()], more].concat());
        assert!(output.status.success(), "{report}: {}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let read = ["trial-balance", "custody"].map(|report| json(report, &[]));
    assert_eq!(json("trial-balance", &["--platform", &platform]), read[0]);
    // Simulates a restore without the rows of the read models: the reports are computed from the log.
    let client = database.pg().client().await.expect("connects");
    client.batch_execute("update cursor set position = 0").await.expect("stands at the beginning");
    assert_eq!(["trial-balance", "custody"].map(|report| json(report, &[])), read);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_modes_do_not_depend_on_umask() {
    for mask in ["000", "077"] {
        let folder = DataFolder::new();
        let deep = folder.path().join("deep").join("er").display().to_string();
        let args = ["dev", "--listen", "127.0.0.1:0", "--data-dir", &deep];
        let line = format!("umask {mask}; exec \"$0\" \"$@\"");
        let mut child = Command::new("sh")
            .args(["-c", &line])
            .arg(binary())
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut first = String::new();
        let out = child.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut first).expect("a line");
        // The reader of the pipe is gone, so the process ends.
        let _ = child.wait();
        assert!(first.starts_with("Daybook is ready"), "with {mask} it does not start");
        let mode = |path: &str| {
            let found = Path::new(&deep).join(path).metadata().expect("is there");
            found.permissions().mode() & 0o777
        };
        assert_eq!(mode("") & 0o066, 0, "{mask}");
        assert_eq!(mode(".."), 0o711, "{mask}");
        for name in ["postgres.conf", "postgres.log", "postgres.lock", "master.key", "signing.key"] {
            assert_eq!(mode(name), 0o600, "{mask}: {name}");
        }
        assert_eq!((mode("postgres"), mode("socket")), (0o700, 0o700), "{mask}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_beside_a_sandbox_leave_it_running() {
    let folder = DataFolder::new();
    let process = Daybook::start(["dev", "--data-dir", &folder.text(), "--listen", "127.0.0.1:0"]);
    for command in [&["ledger", "trial-balance"][..], &["log", "stats"], &["projection", "list"]] {
        let output = run([command, &["--data-dir", &folder.text()]].concat());
        assert!(output.status.success(), "{command:?}: {}", text(&output.stderr));
        assert!(folder.is_served().await, "{command:?}");
    }
    let count = ["psql", "--data-dir", &folder.text(), "--", "-Atc", "select count(*) > 0 from event"];
    let output = run(count);
    assert_eq!((text(&output.stdout).as_str(), output.status.code()), ("t\n", Some(0)), "{output:?}");
    assert!(folder.is_served().await);
    assert!(process.terminate().success());
    let output = run(["psql", "--data-dir", &folder.text(), "--", "-c", "select nonsense"]);
    assert_eq!(output.status.code(), Some(1), "what psql has: {output:?}");
    let output = run(["ledger", "trial-balance", "--data-dir", &folder.text()]);
    let is_served = folder.is_served().await;
    folder.stop().await;
    assert!(output.status.success() && !is_served, "{}", text(&output.stderr));
}
