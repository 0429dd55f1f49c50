//! Databases that lack a part of the log. An inconsistent log, as after a restore of some tables, is not served. A log
//! that lacks only its end is served, and an anchor reveals the loss.

use std::path::Path;

use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::process::{Daybook, run};

use crate::restart::{dev_args, dev_client, dev_on, folder_with_key};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_with_mismatched_ends_is_refused() {
    for (lost, code, says) in [
        ("delete from event where position > 3", 1, "events end at 3, commits at"),
        ("delete from commit where commit_no > 1", 1, "events end at"),
        ("delete from event where position = 1", 1, "the first event is at position 2"),
        ("delete from commit where commit_no = 1", 1, "the first commit is number 2"),
        ("delete from shard", 2, "shard 1 has platforms, and no server"),
    ] {
        let (database, folder) = (Database::create().await, folder_with_key());
        let process: Daybook = dev_on(&database, folder.path());
        dev_client(process.address()).stranger("Ada").await;
        assert!(process.terminate().success());
        let sql = format!("begin; set local session_replication_role = replica; {lost}; commit");
        database.pg().client().await.expect("connects").batch_execute(&sql).await.expect("they go");
        let refused = run(dev_args(&database, folder.path()));
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            refused.status.code() == Some(code) && said.contains(says),
            "{lost}: {} {said}",
            refused.status
        );
        let verified = run(["log", "verify", "--database-url", &database.url()]);
        assert_eq!(
            verified.status.code(),
            Some(code),
            "{lost}: {}",
            String::from_utf8_lossy(&verified.stdout)
        );
    }
}

/// Starts a service with an anchor in `folder`, which logs to a file there.
fn anchored(database: &Database, folder: &Path) -> Daybook {
    let anchor = folder.join("anchor").display().to_string();
    let more = ["--anchor", &anchor, "--checkpoint-every", "100ms"].map(str::to_owned);
    Daybook::start_logging(dev_args(database, folder).into_iter().chain(more), &folder.join("log"))
}

fn newest(folder: &Path) -> Option<String> {
    std::fs::read_to_string(folder.join("anchor/checkpoint")).ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn anchor_reveals_log_truncated_before_start() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let process = anchored(&database, folder.path());
    // Waits for the identity check, which would otherwise record events after the anchor's checkpoint.
    dev_client(process.address()).verified("Ada").await;
    let end = "select max(last_position) from commit";
    let client = database.pg().client().await.expect("connects");
    let (all, seen) = until("the anchor has it", async || {
        let all: i64 = client.query_one(end, &[]).await.expect("an end").get(0);
        let covers = |note: &String| note.lines().nth(1).is_some_and(|size| size == all.to_string());
        newest(folder.path()).filter(covers).map(|note| (all, note))
    })
    .await;
    assert!(process.terminate().success());
    let cut = "begin; set local session_replication_role = replica;
        delete from commit where commit_no = (select max(commit_no) from commit);
        delete from event where position > (select max(last_position) from commit);
        delete from checkpoint where size > (select max(last_position) from commit); delete from tile;
        update cursor set position = least(position, (select max(last_position) from commit)),
            commit_no = least(commit_no, (select max(commit_no) from commit)); commit";
    client.batch_execute(cut).await.expect("it goes");

    let process = anchored(&database, folder.path());
    until("the loss is logged", async || {
        let said = std::fs::read_to_string(folder.path().join("log")).unwrap_or_default();
        let is_told =
            said.contains("an anchor has another history") && said.contains("that the log does not have");
        is_told.then_some(())
    })
    .await;
    // The new history never replaces the old one in the anchor, not even when it is longer.
    let begun = newest(folder.path());
    for name in ["Bob", "Cleo"] {
        dev_client(process.address()).stranger(name).await;
    }
    let grown = "select max(size) from checkpoint";
    until("there is a checkpoint of more", async || {
        let size: i64 = client.query_one(grown, &[]).await.expect("a size").get(0);
        (size > all).then_some(())
    })
    .await;
    drop(process);
    assert_eq!((begun, newest(folder.path())), (Some(seen.clone()), Some(seen)));
}
