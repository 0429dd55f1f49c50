//! `daybook subject`: the commands of an operator.

use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use daybook_tests::bodies::person_with;
use daybook_tests::client::DEVICE;
use daybook_tests::process::run_with;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Desk, close, subject};
use crate::restart::folder_with_key;

/// Runs subcommands on a desk's database.
struct Shell<'a> {
    desk: &'a Desk,
    folder: TempDir,
}

impl<'a> Shell<'a> {
    fn new(desk: &'a Desk) -> Self {
        Self { desk, folder: folder_with_key() }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn run(&self, args: &[&str]) -> Output {
        let (key, url) = (self.path("master.key"), self.desk.app.database.url());
        let args = [&["subject"], args, &["--database-url", &url, "--master-key", &key]].concat();
        let secret = ("DAYBOOK_OPERATOR_SECRET", self.desk.ada.operator_secret.as_str());
        run_with(&[secret, ("RUST_LOG", "trace")], args)
    }

    fn as_operator(&self, args: &[&str]) -> Output {
        let who = ["--platform", &self.desk.app.client.client_id, "--operator", &self.desk.ada.operator_id];
        self.run(&[args, &who].concat())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

async fn maria(desk: &Desk) -> daybook_tests::client::Session {
    let ssn = json!([{"document_type": "SSN", "document_value": "987-65-2222"}]);
    let made = desk.app.client.call("POST", "/users").header("X-SP-USER", format!("|{DEVICE}"));
    let made = made.json(&person_with("Canary-Name", &ssn)).send().await.ok();
    let us = desk.app.client.session(made["_id"].as_str().expect("an id")).await;
    desk.app.client.reviewed(&us.user_id).await;
    let _ = us.node("DEPOSIT-US").await;
    us
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn export_writes_private_file_and_logs_nothing() {
    let desk = Desk::new().await;
    let (us, shell) = (maria(&desk).await, Shell::new(&desk));
    let file = shell.path("maria.ndjson");
    let said = shell.as_operator(&["export", &us.user_id, "--output", &file]);
    assert!(said.status.success(), "{said:?}");
    assert_eq!(std::fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    let told = std::fs::read_to_string(&file).expect("text");
    let lines: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines[0]["readable"], true);
    let kinds: Vec<_> = lines.iter().map(|line| line["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["subject", "user", "node"]);
    let user = &lines[1]["events"];
    assert_eq!(user[0]["told_in_confidence"]["legal_names"][0], "Canary-Name");
    assert!(user.to_string().contains("987-65-2222"), "values of documents");
    assert_eq!(
        lines[2]["events"][0]["told_in_confidence"]["nickname"].as_str().map(str::is_empty),
        Some(false)
    );
    assert!(!shell.as_operator(&["export", &us.user_id, "--output", &file]).status.success(), "it is there");

    close(&us).await;
    let erased = shell.as_operator(&["erase", &us.user_id, "--reason", "requested"]);
    assert!(erased.status.success(), "{}", text(&erased.stderr));
    let after = shell.as_operator(&["export", &us.user_id]);
    for output in [&said, &erased, &after] {
        for canary in ["Canary-Name", "987-65-2222", desk.ada.operator_secret.as_str()] {
            assert!(
                !text(&output.stderr).contains(canary) && !text(&output.stdout).contains(canary),
                "{canary}"
            );
        }
    }
    assert!(text(&erased.stderr).contains("TRACE"), "everything is logged");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn legal_hold_and_retention_prevent_erasure() {
    let desk = Desk::new().await;
    let (us, shell) = (maria(&desk).await, Shell::new(&desk));
    assert!(shell.as_operator(&["hold", &us.user_id, "--reason", "regulator"]).status.success());
    let refused = shell.as_operator(&["erase", &us.user_id, "--reason", "ordered", "--close"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("user is on legal hold"), "{}", text(&refused.stderr));
    assert!(shell.as_operator(&["hold", &us.user_id, "--release"]).status.success());
    assert!(shell.as_operator(&["retain", &us.user_id, "--until", "2999-01-01"]).status.success());
    let refused = shell.as_operator(&["erase", &us.user_id, "--reason", "ordered"]);
    assert!(text(&refused.stderr).contains("must be kept"), "{}", text(&refused.stderr));
    assert!(shell.as_operator(&["retain", &us.user_id, "--until", "2020-01-01"]).status.success());
    assert!(shell.as_operator(&["erase", &us.user_id, "--reason", "ordered"]).status.success());
    assert_eq!(shell.run(&["hold", &us.user_id, "--release"]).status.code(), Some(2), "nobody asks");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn remaining_keys_of_erased_user_are_found() {
    let desk = Desk::new().await;
    let (us, shell) = (maria(&desk).await, Shell::new(&desk));
    let verify = || shell.run(&["verify-erased", &us.user_id]);
    let client = desk.app.database.pg().client().await.expect("a connection");
    assert_eq!(verify().status.code(), Some(2), "it was not erased");
    let keys = "create table kept as select * from vault.subject_key";
    client.batch_execute(keys).await.expect("a copy");
    desk.forget(&us).await;
    let verified = verify();
    assert!(verified.status.success(), "{} {}", text(&verified.stdout), text(&verified.stderr));
    assert!(text(&verified.stdout).contains("0 of them open"), "{}", text(&verified.stdout));

    // The service has executed the erasure by then, and repeats it only in an hour.
    tokio::time::sleep(2 * daybook_engine::erasure::POLL_INTERVAL).await;
    let back = "insert into vault.subject_key select * from kept where subject = $1";
    client.execute(back, &[&subject(&us.user_id)]).await.expect("keys");
    let left = verify();
    assert_eq!(left.status.code(), Some(1), "{}", text(&left.stdout));
    assert!(text(&left.stdout).contains("AND THERE SHOULD BE NONE"), "{}", text(&left.stdout));
    assert!(!text(&left.stdout).contains("; 0 of them open"), "{}", text(&left.stdout));
}
