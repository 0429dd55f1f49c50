//! The commands of `daybook log`.

use daybook_log::Log;
use daybook_tests::app::PUBLIC_KEY;
use daybook_tests::process::run;
use serde_json::{Value, json};

use super::{Ledger, bundle};
use crate::read_models::story::SHARD;

fn said(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?} {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[tokio::test]
async fn tail_shows_the_requested_events() {
    let ledger = Ledger::new().await;
    let url = ledger.database.url();
    let tail = |args: &[&str]| said(&[&["log", "tail", "--database-url", &url], args].concat());
    let (events, _) = ledger.rows().await;
    let head = events.len();
    assert_eq!(tail(&[]).lines().count(), 10);
    let last = tail(&["--limit", "1", "--after", &(head - 1).to_string()]);
    assert!(last.starts_with(&format!("{head} ")) && last.lines().count() == 1, "{last}");
    let all: Vec<Value> = tail(&["--after", "0", "--json"])
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(all.len(), head);
    assert_eq!((&all[0]["type"], &all[0]["commit_no"]), (&json!("platform.opened"), &json!(1)));
    for (told, event) in all.iter().zip(&events) {
        assert_eq!(told["position"], json!(event.position));
        assert_eq!(told["data"], serde_json::from_slice::<Value>(&event.data).expect("JSON"));
        assert!(told.get("sealed").is_none());
        let commit = ledger.log.boundary(SHARD, event.position - 1).await.expect("a commit").commit_no + 1;
        assert_eq!(told["commit_no"], json!(commit));
    }
    let stream = all[head - 1]["stream"].as_str().expect("an id");
    let of_stream = tail(&["--after", "0", "--stream", stream]);
    let expected = all.iter().filter(|told| told["stream"] == stream).count();
    assert_eq!(of_stream.lines().count(), expected);
    let nobodys = "01M7YHYBJK09WD1DJ3WFPJZA81";
    assert_eq!(tail(&["--after", "0", "--platform", nobodys]), "");
}

#[tokio::test]
async fn stats_count_every_event_once() {
    let ledger = Ledger::new().await;
    let url = ledger.database.url();
    let (events, commits) = ledger.rows().await;
    let told: Value =
        serde_json::from_str(&said(&["log", "stats", "--json", "--database-url", &url])).expect("JSON");
    let sum = |list: &str, of: &str| {
        told[list].as_array().expect("a list").iter().filter_map(|one| one[of].as_u64()).sum::<u64>()
    };
    for list in ["types", "kinds"] {
        assert_eq!(sum(list, "events"), events.len() as u64);
        assert_eq!(sum(list, "data_bytes"), events.iter().map(|event| event.data.len() as u64).sum::<u64>());
        assert_eq!(sum(list, "boxes"), events.iter().filter(|event| event.sealed.is_some()).count() as u64);
    }
    assert_eq!((&told["position"], &told["commits"]), (&json!(events.len()), &json!(commits.len())));
    assert!(said(&["log", "stats", "--database-url", &url]).contains("account.entry v1"));
}

#[tokio::test]
async fn export_and_import_work_from_command_line() {
    let ledger = Ledger::new().await;
    let there = bundle::folder();
    let folder = there.path().to_str().expect("text");
    let exported = said(&["log", "export", "-o", folder, "--database-url", &ledger.database.url()]);
    assert!(exported.contains("digest  "), "{exported}");
    let again = run(["log", "export", "-o", folder, "--database-url", &ledger.database.url()]);
    assert_eq!(again.status.code(), Some(1));
    let empty = daybook_tests::database::Database::create().await;
    let keyless = run(["log", "import", "-i", folder, "--database-url", &empty.url()]);
    let refused = String::from_utf8_lossy(&keyless.stderr).into_owned();
    assert!(!keyless.status.success() && refused.contains("no public key is given"), "{refused}");
    let imported =
        said(&["log", "import", "-i", folder, "--key", PUBLIC_KEY, "--database-url", &empty.url()]);
    assert!(imported.contains("reads back"), "{imported}");
    assert!(
        said(&["log", "verify", "--key", PUBLIC_KEY, "--database-url", &empty.url()])
            .contains("Nothing is wrong.")
    );
}
