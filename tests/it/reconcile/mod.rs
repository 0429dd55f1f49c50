//! `daybook reconcile replay`: folds the log again and compares the result with the tables that are served. A changed,
//! missing or surplus row is found and named.

mod coverage;
mod past;
mod scratch;

use std::process::Output;
use std::time::Duration;

use daybook_tests::app::{PUBLIC_KEY, TestApp};
use daybook_tests::bodies;
use daybook_tests::client::until;
use daybook_tests::process::run;
use daybook_tests::shard;
use serde_json::{Value, json};

/// Runs the command on the database of `app`. It needs no key.
fn reconcile(app: &TestApp, args: &[&str]) -> Output {
    run([&["reconcile", "replay", "--database-url", &app.database.url()], args].concat())
}

/// Returns the lines that the command prints, and its exit code.
#[track_caller]
fn reconciled(app: &TestApp, args: &[&str]) -> (Vec<Value>, Option<i32>) {
    let said = reconcile(app, &[args, &["--json"]].concat());
    let text = String::from_utf8(said.stdout.clone()).expect("text");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(!lines.is_empty(), "{said:?}");
    (lines, said.status.code())
}

/// Checks that the command finds no difference, and returns its summary.
#[track_caller]
fn same(app: &TestApp, args: &[&str]) -> Value {
    let (mut lines, code) = reconciled(app, args);
    let summary = lines.pop().expect("a summary");
    assert_eq!((summary["differences"].clone(), code), (json!(0), Some(0)), "{lines:?} {summary}");
    summary
}

async fn sql(app: &TestApp, text: &str) {
    let db = app.database.pg().client().await.expect("connects");
    db.batch_execute(text).await.unwrap_or_else(|error| panic!("{text}: {error}"));
}

async fn head(app: &TestApp) -> u64 {
    app.service.engine.log().head(shard()).await.expect("a log").position
}

/// A service with two users, nodes, payments in several statuses, and an operation.
async fn lived() -> TestApp {
    let app = TestApp::settling_after(Duration::from_mins(15)).await;
    let ada = app.client.verified("Ada Reconciled").await;
    let (from, to) = (ada.funded("50").await, ada.node("DEPOSIT-US").await);
    for amount in ["12.34", "1", "2"] {
        let trans = ada.sent(&from, &to, amount).await;
        if amount == "1" {
            let _ = app.client.simulate(&trans, "settle", &json!({})).await;
        }
    }
    app.client.verified("Bob Reconciled").await;
    let keyed = app.client.call("POST", "/users").json(&bodies::person("Cat Reconciled"));
    let _ = keyed.key("reconciled").send().await.ok();
    let path = format!("/platforms/{}/operations", app.client.client_id);
    let act = json!({"act": {"kind": "lock_node", "node_id": to}, "reason": "A ticket asks for it."});
    let _ = app.operator("Desk").await.call("POST", &path).json(&act).send().await.ok();
    app
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn untouched_history_has_no_differences() {
    let app = lived().await;
    let summary = same(&app, &[]);
    assert_eq!(summary["remarks"], 0, "{summary}");
    assert_eq!((&summary["skipped"], &summary["left_out"]), (&json!([]), &json!([])));
    assert_eq!(summary["tables"], 26);
    assert!(
        summary["not_derivable"]["operator"].is_string() && summary["not_derivable"]["reader"].is_string()
    );
    let text = String::from_utf8(reconcile(&app, &["--model", "users"]).stdout).expect("text");
    for said in
        ["not compared: nodes: not asked for", "not derivable from the log: oauth_key", "differences: 0"]
    {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_rows_are_found_and_named() {
    let app = lived().await;
    let damages = [
        ("ledger", "update ledger_v1 set debits = debits + 1 where ctid = (select min(ctid) from ledger_v1)"),
        ("members", "delete from members_v3 where ctid = (select min(ctid) from members_v3)"),
        ("parties", "update parties_v1 set from_n = coalesce(from_n, 0) + 1 where platform_n = 1"),
        (
            "counters",
            "insert into counters_v3 select shard, gen_random_uuid(), kind, total, last from counters_v3 limit 1",
        ),
        ("operator", "delete from operator"),
        ("client_secret", "update client_secret set secret_no = 7"),
        ("platform", "update platform set sandbox = not sandbox"),
        (
            "idempotency",
            "update idempotency set object = gen_random_uuid()
             where ctid = (select min(ctid) from idempotency)",
        ),
        ("oauth_key", "insert into oauth_key values (1, '\\x01', gen_random_uuid(), 0, now())"),
        (
            "vault.subject_key",
            "delete from vault.subject_key where ctid = (select min(ctid) from vault.subject_key)",
        ),
        ("shard", "insert into cursor (shard, name, position, commit_no) values (9, 'reads', 0, 0)"),
        ("duty", "insert into duty values (1, 7)"),
        // Granted as the service does it: the rights of the roles are checked before any table is compared.
        (
            "projection",
            "create table users_v7 as table users_v1;
             alter table users_v7 owner to daybook_owner;
             grant select on users_v7 to daybook_app, daybook_auditor;
             grant select, insert, update, delete on users_v7 to daybook_projector",
        ),
        ("refresh", "insert into refresh values (1, gen_random_uuid(), 1, 0)"),
        ("fingerprint", "insert into fingerprint values (1, gen_random_uuid(), '\\x01', now())"),
        ("webhook_lane", "insert into webhook_lane values (1, gen_random_uuid(), gen_random_uuid(), 1, 1, 0, now())"),
        ("webhook_backlog", "insert into webhook_backlog values (1, gen_random_uuid(), 1)"),
        (
            "webhook_attempt",
            "insert into webhook_attempt
             values (1, gen_random_uuid(), gen_random_uuid(), 1, gen_random_uuid(), 1, 'taken', 200, 1, null)",
        ),
    ];
    for (_, damage) in damages {
        // An attacker who can change these tables can also disable triggers.
        let unseen = format!("begin; set local session_replication_role = replica; {damage}; commit");
        sql(&app, &unseen).await;
    }
    let (lines, code) = reconciled(&app, &[]);
    assert_eq!(code, Some(1));
    for (table, damage) in damages {
        let found = lines.iter().filter(|line| line["table"] == table);
        let found: Vec<_> = found
            .filter(|line| line.get("old").is_some_and(|old| !old.is_number()) || line.get("row").is_some())
            .collect();
        assert_eq!(found.len(), 1, "{damage}: {found:?}");
    }
    let names_both = |table: &str, old: bool, new: bool| {
        let line = lines.iter().find(|line| line["table"] == table).expect("a line");
        assert_eq!((line["old"].is_object(), line["new"].is_object()), (old, new), "{line}");
    };
    names_both("ledger", true, true);
    names_both("members", false, true);
    names_both("counters", true, false);
    assert_eq!(lines.last().map(|summary| &summary["differences"]), Some(&json!(damages.len())));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn orphans_of_refused_calls_are_warnings() {
    let app = lived().await;
    sql(&app, "insert into vault.blind_index values (1, '\\x01', gen_random_uuid())").await;
    sql(&app, "insert into vault.subject_key select 1, gen_random_uuid(), 1, '\\x01', now()").await;
    assert_eq!(same(&app, &[])["remarks"], 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_reconcile_arguments_have_exit_codes() {
    let app = TestApp::start().await;
    for at in ["", "-1", "NaN", "2026-01-01", "yesterday", "999999999", &"9".repeat(400)] {
        assert_eq!(reconcile(&app, &["--at", at]).status.code(), Some(2), "{at}");
    }
    assert_eq!(reconcile(&app, &["--model", "nobody"]).status.code(), Some(2));
    let nowhere = ["reconcile", "replay", "--database-url", "host=/nowhere user=daybook dbname=x"];
    assert_eq!(run(nowhere).status.code(), Some(3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn verification_with_tables_checks_log_and_tables() {
    let app = lived().await;
    let url = app.database.url();
    let verify = || run(["log", "verify", "--tables", "--json", "--key", PUBLIC_KEY, "--database-url", &url]);
    // A due step may be recorded in the meantime. Then the verification is repeated.
    let (said, events) = until("nothing comes while it looks", async || {
        let before = head(&app).await;
        let said = verify();
        (head(&app).await == before).then_some((said, before))
    })
    .await;
    assert_eq!(said.status.code(), Some(0), "{said:?}");
    let text = String::from_utf8(said.stdout).expect("text");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines[0]["events"], events);
    assert_eq!(lines.last().map(|summary| &summary["tables"]), Some(&json!(26)));
    sql(&app, "delete from parties_v1").await;
    assert_eq!(verify().status.code(), Some(1));
}
