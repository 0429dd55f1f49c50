//! Commands that are interrupted: no process continues to run, and no partial result remains.

use std::net::TcpListener;
use std::time::Duration;

use daybook_projector::Stage;
use daybook_tests::app::TestApp;
use daybook_tests::process::Daybook;
use daybook_tests::shard;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::{DataFolder, ended, is_there, refused, spawn, text};

fn interrupt(child: &std::process::Child) {
    // Signals the whole process group, as a terminal does, including the PostgreSQL server.
    let _ = killpg(Pid::from_raw(i32::try_from(child.id()).expect("a pid")), Signal::SIGINT);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn first_start_can_be_interrupted_anytime() {
    for ms in [300, 900, 1_500, 2_000, 2_500] {
        let folder = DataFolder::new();
        let child = spawn(&["dev", "--data-dir", &folder.text(), "--listen", "127.0.0.1:0"]);
        tokio::time::sleep(Duration::from_millis(ms)).await;
        interrupt(&child);
        let output = ended(child);
        let (said, is_served) = (text(&output.stderr), folder.is_served().await);
        folder.stop().await;
        // A signal before the handler is installed ends the process at once. Nothing has been created by then.
        let is_early = output.status.code().is_none() && !is_there(&folder.path());
        assert!(output.status.success() || is_early, "after {ms} ms: {said}");
        assert!(!is_served, "after {ms} ms: {said}");
        assert!(!said.contains("ERROR") && !said.contains("WARN"), "after {ms} ms: {said}");
        assert!(!is_there(&folder.path().join("postgres.draft")), "after {ms} ms");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn folder_works_after_an_interrupted_start() {
    let folder = DataFolder::new();
    let child = spawn(&["dev", "--data-dir", &folder.text(), "--listen", "127.0.0.1:0"]);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    interrupt(&child);
    let _ = ended(child);
    let process = Daybook::start(["dev", "--data-dir", &folder.text(), "--listen", "127.0.0.1:0"]);
    let ended = process.terminate();
    let is_served = folder.is_served().await;
    folder.stop().await;
    assert!(ended.success() && !is_served);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn interrupted_comparison_leaves_no_scratch_tables() {
    let app = TestApp::start().await;
    app.client.verified("Ann").await.funded("1").await;
    let url = app.database.url();
    for ms in [30, 120, 250] {
        let child = spawn(&["reconcile", "replay", "--database-url", &url]);
        tokio::time::sleep(Duration::from_millis(ms)).await;
        interrupt(&child);
        let output = ended(child);
        // The first signal may arrive before the handler is installed, the last one after the end of the command.
        if output.status.code().is_some_and(|code| code != 0) {
            assert_eq!(output.status.code(), Some(130));
            assert!(text(&output.stderr).ends_with("daybook: stopped before it was done\n"));
        }
        let mut versions = app.service.engine.reads().versions().all(shard()).await.expect("reads");
        versions.retain(|version| version.is_scratch && version.stage != Stage::Dropped);
        assert!(versions.is_empty(), "after {ms} ms: {versions:?}");
    }
    app.stop().await;
}

#[test]
fn taken_port_leaves_no_database() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let taken = taken.local_addr().map(|address| (taken, address.to_string())).expect("an address");
    for option in ["--listen", "--metrics-listen"] {
        let folder = DataFolder::new();
        let mut args = vec!["dev", "--data-dir"];
        let data = folder.text();
        args.extend([data.as_str(), option, &taken.1]);
        if option != "--listen" {
            args.extend(["--listen", "127.0.0.1:0"]);
        }
        let (said, code) = refused(&args);
        assert_eq!(code, Some(1), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains(&format!("cannot listen on {}", taken.1)), "{said}");
        assert!(!is_there(&folder.path()), "{option}");
    }
}
