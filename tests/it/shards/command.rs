//! `daybook shard`: shards are added and chosen, and refused before anything is written.

use std::path::Path;
use std::process::Output;

use daybook_tests::database::Database;
use daybook_tests::process::{Daybook, run};
use daybook_tests::secret_file;
use serde_json::{Value, json};

use crate::restart::{dev_args, folder_with_key};

/// Runs `daybook` with `words`, the database and the keys.
fn daybook(database: &Database, folder: &Path, words: &[&str]) -> Output {
    let (url, key) = (database.url(), folder.join("master.key").display().to_string());
    let more = ["--database-url", &url, "--master-key", &key, "--json"];
    run(words.iter().copied().chain(more))
}

fn json_of(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Fails unless the command was refused with code 2 and this text, and there is one shard.
fn assert_refused(database: &Database, folder: &Path, words: &[&str], says: &str) {
    let output = daybook(database, folder, words);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains(says) && told.trim_end().lines().count() == 1, "{told}");
    let listed = json_of(&daybook(database, folder, &["shard", "list"]));
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
}

#[tokio::test]
async fn platforms_spread_over_open_shards() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let daybook = |words: &[&str]| json_of(&daybook(&database, folder.path(), words));
    let added = daybook(&["shard", "add", "--count", "2"]);
    let origins = json!([
        {"shard": 2, "origin": "daybook.example/2"}, {"shard": 3, "origin": "daybook.example/3"},
    ]);
    assert_eq!(added, origins);
    let shard = |more: &[&str]| daybook(&[&["client", "create", "Acme"], more].concat())["shard"].clone();
    assert_eq!([shard(&[]), shard(&[]), shard(&[]), shard(&[])], [1, 2, 3, 1].map(Value::from));
    daybook(&["shard", "close", "2"]);
    assert_eq!([shard(&[]), shard(&["--shard", "1"]), shard(&[])], [3, 1, 3].map(Value::from));
    daybook(&["shard", "open", "2"]);
    assert_eq!(shard(&[]), 2);
    let platforms: Vec<Value> = daybook(&["shard", "list"])
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["platforms"].clone())
        .collect();
    assert_eq!(platforms, [3, 2, 3].map(Value::from));
}

#[tokio::test]
async fn closed_or_absent_shard_takes_no_platform() {
    let (database, folder) = (Database::create().await, folder_with_key());
    json_of(&daybook(&database, folder.path(), &["shard", "close", "1"]));
    for (more, says) in [
        (&[][..], "no shard takes new platforms"),
        (&["--shard", "1"], "shard 1 takes no new platforms"),
        (&["--shard", "9"], "there is no shard 9"),
    ] {
        let words = [&["client", "create", "Acme"], more].concat();
        assert_refused(&database, folder.path(), &words, says);
    }
    assert_refused(&database, folder.path(), &["shard", "close", "9"], "there is no shard 9");
    assert_refused(&database, folder.path(), &["shard", "add", "--count", "64"], "at most 64 shards");
}

#[tokio::test]
async fn foreign_origin_allows_no_second_shard() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let key = daybook_proof::Signer::new("ledger.example", &[9; 32]).expect("an origin");
    std::fs::remove_file(folder.path().join("signing.key")).expect("is there");
    secret_file::write(folder.path().join("signing.key"), key.secret_text());
    assert_refused(&database, folder.path(), &["shard", "add"], "ledger.example does not end in /1");
}

#[tokio::test]
async fn old_process_blocks_a_second_shard() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let reader = |age: &str| {
        format!(
            "insert into reader (shard, process, generation, at)
            values (1, gen_random_uuid(), 1, now() - interval '{age}')"
        )
    };
    database.execute(&reader("1 minute")).await;
    database.execute(&reader("10 seconds")).await;
    assert_refused(&database, folder.path(), &["shard", "add"], "1 processes of an earlier release");
    database.execute("update reader set knows_shards = true").await;
    json_of(&daybook(&database, folder.path(), &["shard", "add"]));
}

#[tokio::test]
async fn incomplete_shard_is_named_and_completed() {
    let (database, folder) = (Database::create().await, folder_with_key());
    database.execute("insert into shard values (2, gen_random_uuid())").await;
    let check = || daybook(&database, folder.path(), &["shard", "check"]);
    let found = check();
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let found: Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let missing: Vec<&str> =
        found.as_array().expect("a list").iter().filter_map(|one| one["missing"].as_str()).collect();
    for part in ["duty", "cursor", "active version"] {
        assert!(missing.iter().any(|what| what.contains(part)), "{part} in {missing:?}");
    }
    database.execute("insert into duty (shard, process) values (2, 2)").await;
    drop(Daybook::start(dev_args(&database, folder.path())));
    assert_eq!(json_of(&check()), json!([]));
}
