//! Closed pipes: when the reader of its output is gone, a command ends without a message and leaves nothing behind.

use std::io::{BufRead, BufReader};

use daybook_projector::Stage;
use daybook_tests::app::TestApp;
use daybook_tests::shard;

use super::{DataFolder, ended, spawn, text};

/// Exit code that shells report for a process ended by SIGPIPE.
const UNREAD: Option<i32> = Some(141);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn closed_pipe_ends_command_quietly() {
    let app = TestApp::start().await;
    app.client.verified("Ann").await.funded("1").await;
    let url = app.database.url();
    for command in [
        &["ledger", "trial-balance"][..],
        &["ledger", "custody", "--json"],
        &["log", "tail"],
        &["log", "tail", "--follow"],
        &["log", "stats"],
        &["log", "verify"],
        &["operator", "list"],
        &["projection", "list"],
        &["projection", "rebuild", "users", "--dry-run"],
        &["replay", "--user", &app.client.user_id, "--events"],
        &["reconcile", "replay"],
        &["migrate"],
    ] {
        let mut child = spawn(&[command, &["--database-url", &url]].concat());
        drop(child.stdout.take());
        let output = ended(child);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), UNREAD, "{command:?}: {said}");
        assert!(!said.contains("panicked") && !said.contains("daybook:"), "{command:?}: {said}");
    }
    let mut versions = app.service.engine.reads().versions().all(shard()).await.expect("reads");
    versions.retain(|version| version.is_scratch && version.stage != Stage::Dropped);
    assert!(versions.is_empty(), "{versions:?}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn closed_standard_error_does_not_fail_command() {
    let app = TestApp::start().await;
    let url = app.database.url();
    let mut child = spawn(&["reconcile", "replay", "--model", "users", "--database-url", &url]);
    drop(child.stderr.take());
    let output = ended(child);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sandbox_without_reader_stops_its_server() {
    let folder = DataFolder::new();
    let mut child = spawn(&["dev", "--data-dir", &folder.text(), "--listen", "127.0.0.1:0"]);
    let mut first = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut first).expect("a line");
    assert!(first.starts_with("Daybook is ready at "), "{first}");
    let output = ended(child);
    let is_served = folder.is_served().await;
    folder.stop().await;
    assert_eq!((output.status.code(), is_served), (UNREAD, false), "{}", text(&output.stderr));
    assert!(!text(&output.stderr).contains("panicked"));
}
