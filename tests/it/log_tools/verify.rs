//! Verification of a log: a log written by the rules has no findings; a changed log has findings at the changed place.

use std::time::Duration;

use daybook_checker::{Finding, Report, Trust, Walk, walk};
use daybook_tests::app::{PUBLIC_KEY, TestApp};
use daybook_tests::bodies::person;
use daybook_tests::process::run;
use serde_json::Value;

use super::{Ledger, behind_the_back, verified};
use crate::read_models::story::{SHARD, project};
use crate::town::Town;

#[track_caller]
fn is_clean(report: &Report) {
    assert_eq!((&report.findings, &report.unchecked), (&vec![], &vec![]));
    assert!(report.events > 0 && report.commits > 0 && report.streams > 0, "{report:?}");
}

#[tokio::test]
async fn log_written_by_rules_has_no_findings() {
    is_clean(&verified(&Ledger::new().await.log).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_written_by_service_has_no_findings() {
    let town = Town::new().await;
    let url = town.app.database.url();
    let said = run(["log", "verify", "--json", "--key", PUBLIC_KEY, "--database-url", &url]);
    let report: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    assert_eq!((said.status.code(), &report["first"]), (Some(0), &Value::Null), "{report}");
    assert!(report["events"].as_u64().is_some_and(|events| events > 20), "{report}");
}

#[tokio::test]
async fn partial_verification_is_reported_as_partial() {
    let ledger = Ledger::new().await;
    let part =
        walk(&ledger.log, Walk { shard: SHARD, from: 100, boxes: false, trust: Trust::default() }, |_| {})
            .await
            .expect("is read");
    assert_eq!(part.findings, []);
    assert_eq!(part.unchecked.len(), 2, "{:?}", part.unchecked);
    let url = ledger.database.url();
    for (args, code) in [(vec![], 0), (vec!["--from", "100"], 2), (vec!["--no-boxes"], 2)] {
        let args = [vec!["log", "verify", "--key", PUBLIC_KEY, "--database-url", &url], args].concat();
        let said = run(&args);
        assert_eq!(said.status.code(), Some(code), "{args:?} {said:?}");
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        assert_eq!(text.contains("NOT CHECKED"), code == 2, "{text}");
    }
    let nowhere = run(["log", "verify", "--database-url", "host=/nowhere user=daybook"]);
    assert_eq!(nowhere.status.code(), Some(2));
}

#[tokio::test]
async fn missing_boxes_are_counted_and_prevent_success() {
    let ledger = Ledger::new().await;
    let gone = "update event set sealed = null where position in
        (select position from event where sealed is not null order by position limit 2)";
    behind_the_back(&ledger.database, gone).await;
    let report = verified(&ledger.log).await;
    assert_eq!((&report.findings, report.lacking_boxes), (&vec![], 2));
    let url = ledger.database.url();
    let said = run(["log", "verify", "--key", PUBLIC_KEY, "--database-url", &url]);
    assert_eq!(said.status.code(), Some(2));
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(text.contains("NOT CHECKED: 2 boxes are not there (erased or removed)"), "{text}");
}

/// Changes to the tables by their owner, each with the position at which it shows.
const BEHIND_THE_BACK: [(&str, u64); 21] = [
    ("update event set data = replace(data::text, '\"posted\":', '\"posted\":1')::json where position = $ENTRY", 0),
    ("update event set version = version + 1 where position = 18", 18),
    ("update event set correlation_id = event_id where position = 19", 19),
    ("update event set type = 9999 where position = 20", 20),
    ("update event set sealed = sealed || '\\x00' where position = $BOX", 0),
    ("delete from event where position = 21", 21),
    ("delete from event where position > 40", 41),
    ("insert into event select * from event where false; update event set position = -5 where position = 22", 0),
    ("update event set position = 0 where position = 23; update event set position = 23 where position = 60;
      update event set position = 60 where position = 0", 23),
    ("insert into event (shard, position, event_id, stream, stream_kind, version, type, schema_version, recorded_at,
        cause_id, platform, data) select shard, (select max(position) + 1 from event), event_id, gen_random_uuid(),
        stream_kind, version, type, schema_version, recorded_at, cause_id, platform, data from event where position = 2",
     u64::MAX),
    ("update commit set recorded_at = recorded_at + interval '1 hour' where commit_no = 1", 1),
    ("delete from commit where commit_no = 1", 1),
    ("update commit set last_position = last_position + 1 where commit_no = (select max(commit_no) from commit)",
     u64::MAX),
    ("update commit set commit_no = commit_no + 7 where commit_no = (select max(commit_no) from commit)", u64::MAX - 1),
    ("update commit set last_position = -3 where commit_no = (select max(commit_no) from commit)", u64::MAX - 1),
    ("update commit set last_position = 3 where commit_no = (select max(commit_no) from commit)", u64::MAX - 1),
    ("update commit set last_position = -3 where commit_no = 1", 1),
    ("update commit set recorded_at = 'infinity' where commit_no = (select max(commit_no) from commit)", u64::MAX - 1),
    ("update commit set commit_no = -7 where commit_no = (select max(commit_no) from commit)", 0),
    ("update event set recorded_at = '-infinity' where position = 24", 24),
    ("update event set version = 2147483647 where position = 18", 18),
];

#[tokio::test]
async fn table_tampering_is_found_and_located() {
    let ledger = Ledger::new().await;
    let (events, commits) = ledger.rows().await;
    let entry = events.iter().find(|event| event.event_type == 30).expect("an entry").position;
    let sealed = events.iter().find(|event| event.sealed.is_some()).expect("a box").position;
    let head = events.len() as u64;
    let before_last = commits[commits.len() - 2].last_position;
    for (sql, at) in BEHIND_THE_BACK {
        let (database, log) = ledger.copy().await;
        behind_the_back(
            &database,
            &sql.replace("$ENTRY", &entry.to_string()).replace("$BOX", &sealed.to_string()),
        )
        .await;
        let expected = match at {
            0 if sql.contains("$ENTRY") => entry,
            0 if sql.contains("$BOX") => sealed,
            u64::MAX => head + 1,
            at if at == u64::MAX - 1 => before_last + 1,
            at => at,
        };
        let report = verified(&log).await;
        let first = report.findings.first();
        assert_eq!(first.and_then(|it| it.position), Some(expected), "{sql}: {:?}", report.findings);
    }
}

#[tokio::test]
async fn cursor_of_another_log_is_found() {
    let ledger = Ledger::new().await;
    let reads = daybook_projector::Reads::new(ledger.database.pg(), ledger.story.log.clone());
    reads.versions().install(SHARD).await.expect("makes the tables");
    project(&reads).await;
    is_clean(&verified(&ledger.log).await);
    let head = ledger.story.head().await;
    let client = ledger.database.pg().client().await.expect("connects");
    let cursors = async |report: Report| -> Vec<Finding> {
        report.findings.into_iter().filter(|it| it.place.starts_with("cursor ")).collect()
    };
    // A log with the same number of events in other commits.
    client.batch_execute("update cursor set commit_no = commit_no - 1").await.expect("moves");
    assert_eq!(cursors(verified(&ledger.log).await).await.len(), 1);
    client
        .batch_execute("update cursor set commit_no = commit_no + 1, at = at - interval '1 s'")
        .await
        .expect("moves");
    assert_eq!(cursors(verified(&ledger.log).await).await.len(), 1);
    client.batch_execute("update cursor set at = at + interval '1 s'").await.expect("moves");
    for column in ["position", "commit_no"] {
        client.batch_execute(&format!("update cursor set {column} = -{column}")).await.expect("moves");
        assert_eq!(cursors(verified(&ledger.log).await).await.len(), 1);
        client.batch_execute(&format!("update cursor set {column} = -{column}")).await.expect("moves");
    }
    client.batch_execute("update cursor set at = null").await.expect("moves");
    is_clean(&verified(&ledger.log).await);
    // Simulates the restore of an older backup: the log is consistent, but shorter than what was projected.
    let cut = "delete from event where position > (select last_position from commit where commit_no = 50);
        delete from commit where commit_no > 50";
    behind_the_back(&ledger.database, cut).await;
    let found = verified(&ledger.log).await.findings;
    assert!(
        matches!(&found[..], [it] if it.position == Some(head) && it.what.contains("restored")),
        "{found:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missing_recent_checkpoint_is_a_finding() {
    let app = TestApp::start().await;
    let made =
        app.service.audit.of(SHARD).expect("is the first").make_checkpoint().await.expect("a checkpoint");
    for name in ["Ada", "Bob"] {
        let user = app.client.create_user(&person(name)).await.ok();
        // Nothing is recorded after this: the next checkpoint covers everything.
        let _ = app.client.reviewed(user["_id"].as_str().expect("an id")).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let url = app.database.url();
    let verify = |within: &str| {
        let said = run([
            ["log", "verify", "--json", "--key", PUBLIC_KEY],
            ["--checkpoint-within", within, "--database-url", &url, "--no-boxes"],
        ]
        .concat());
        (said.status.code(), serde_json::from_slice::<Value>(&said.stdout).expect("JSON"))
    };
    let (code, report) = verify("1ms");
    assert_eq!((code, &report["first"]["place"]), (Some(1), &"checkpoints".into()), "{report}");
    assert_eq!(report["first"]["position"], made.size + 1);
    let (_, report) = verify("1h");
    assert_eq!((&report["first"], &report["checkpoint"]["size"]), (&Value::Null, &made.size.into()));
    assert!(report["checkpoint"]["waits_since"].is_string(), "{report}");
    app.service.audit.of(SHARD).expect("is the first").make_checkpoint().await.expect("a checkpoint");
    let (_, report) = verify("1ms");
    assert_eq!((&report["first"], &report["checkpoint"]["waits_since"]), (&Value::Null, &Value::Null));
    app.stop().await;
}
