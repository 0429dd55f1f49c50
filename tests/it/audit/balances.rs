//! Balance proofs: the newest entry is proved by an attestation, an older entry by the entry after it.

use std::fs;
use std::process::Command;
use std::time::Duration;

use daybook_checker::{Trust, Walk, walk};
use daybook_domain::Command as DomainCommand;
use daybook_domain::attestation::Made;
use daybook_domain::attestation::attest::Attest;
use daybook_engine::Call;
use daybook_log::postgres::PostgresLog;
use daybook_tests::app::{TestApp, signer};
use daybook_tests::bodies::transfer;
use daybook_tests::client::Session;
use daybook_tests::http::Answer;
use daybook_tests::shard;
use serde_json::Value;

use super::receipts::sender;
use crate::architecture::root;

/// Requests the proof of a node's balance.
async fn proof(app: &TestApp, node: &str, query: &str) -> Answer {
    app.client.audit(&format!("/nodes/{node}/balance{query}")).send().await
}

async fn attest(app: &TestApp) {
    app.service.attester(shard()).attest(Duration::ZERO).await.expect("attests");
}

/// Transfers one cent and returns the position of the recorded transaction.
async fn pay(us: &Session, from: &str, to: &str) -> u64 {
    let answer = us.transfer(from, &transfer(to, "0.01")).send().await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.headers["x-daybook-position"].to_str().expect("digits").parse().expect("a number")
}

/// Checks a proof with the verifiers in Rust and in Python, which must agree. Returns exit code and balance.
fn verify(proof: &str) -> (u8, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("key"), signer().key().text() + "\n").expect("is written");
    fs::write(path("proof"), proof).expect("is written");
    let words = ["daybook-verify", "--json", "--key", &path("key"), "balance", &path("proof")];
    let (mut out, mut err) = (vec![], vec![]);
    let code = daybook_verify::run(words.map(str::to_owned), &mut out, &mut err);
    let said: Value =
        serde_json::from_slice(&out).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&err)));
    let mut python = Command::new("python3");
    python.arg(root().join("tests/clients/verify_proof/verify.py")).current_dir(folder.path());
    if let Ok(done) = python.args(["key", "balance", "proof"]).output() {
        assert_eq!(done.status.success(), code == 0, "{}", String::from_utf8_lossy(&done.stderr));
    }
    (code, said["facts"]["balance"].clone())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn node_balance_is_proved_at_every_position() {
    let app = TestApp::start().await;
    let (us, from, to) = sender(&app.client).await;
    let early = proof(&app, &from, "").await;
    assert_eq!(early.failure()["error"]["code"], "not_attested", "{early:?}");
    let first = pay(&us, &from, &to).await;
    attest(&app).await;
    let newest = proof(&app, &from, "").await;
    let (code, balance) = verify(&newest.text());
    assert_eq!(code, 0, "{newest:?}");
    let at = newest.json()["at"].as_u64().expect("a position");
    let served = us.call("GET", &format!("/nodes/{from}/balance?at={at}")).send().await;
    assert_eq!(balance["posted"], served.raw("posted"), "{served:?}");
    let last = pay(&us, &from, &to).await;
    let later = proof(&app, &from, &format!("?at={last}")).await;
    assert_eq!(later.failure()["error"]["code"], "not_attested", "{later:?}");
    assert!(later.text().contains(&format!("up to position {at} ")), "{later:?}");
    // Between two entries a proof needs no attestation. Before the first entry there is no balance.
    for at in [0, 1, first - 1, first, at] {
        let proved = proof(&app, &from, &format!("?at={at}")).await;
        let (code, balance) = verify(&proved.text());
        assert_eq!(code, 0, "{at}: {proved:?}");
        let served = us.call("GET", &format!("/nodes/{from}/balance?at={at}")).send().await;
        if balance != Value::Null {
            assert_eq!(balance["posted"], served.raw("posted"), "{at}: {served:?}");
        }
    }
    attest(&app).await;
    let proved = proof(&app, &from, &format!("?at={last}")).await;
    assert_eq!(verify(&proved.text()).0, 0, "{proved:?}");
    // Without new entries, no second attestation is recorded.
    let before = app.events().await.len();
    attest(&app).await;
    assert_eq!(app.events().await.len(), before);
}

/// SQL that begins a transaction in which the append-only triggers do not run.
const UNSEEN: &str = "begin; set local session_replication_role = replica";

/// Findings of `daybook log verify`.
async fn findings(app: &TestApp) -> Vec<String> {
    let whole = Walk { shard: shard(), from: 1, boxes: true, trust: Trust::default() };
    let report = walk(&PostgresLog::new(app.database.pg()), whole, |_| {}).await.expect("walks");
    assert_eq!(report.unchecked, Vec::<String>::new());
    report.findings.iter().map(|finding| format!("{} {}", finding.place, finding.what)).collect()
}

/// Verification reports every altered row of the tree of last entries. If rows are deleted, the next attestation fails
/// once and rebuilds the tree.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_last_tree_is_reported_or_rebuilt() {
    let app = TestApp::start().await;
    let (us, from, to) = sender(&app.client).await;
    pay(&us, &from, &to).await;
    attest(&app).await;
    assert_eq!(findings(&app).await, Vec::<String>::new());
    let client = app.database.pg().client().await.expect("connects");
    let flip = "set_byte(entries, 20, get_byte(entries, 20) # 1)";
    for (table, change) in [
        ("last_tree", "set accounts = accounts + 1".to_owned()),
        ("last_tree", "set roots = set_byte(roots, 3, get_byte(roots, 3) # 1)".to_owned()),
        ("last_tree", "set attested = attested - 1".to_owned()),
        ("last_tree", "set platform = gen_random_uuid()".to_owned()),
        ("last_part", format!("set entries = {flip}")),
        ("last_part", "set part = part + 1".to_owned()),
        ("last_part", "set first = gen_random_uuid()".to_owned()),
        ("last_part", "set position = position + 1".to_owned()),
    ] {
        let keep =
            format!("{UNSEEN}; create table kept as select * from {table}; update {table} {change}; commit");
        client.batch_execute(&keep).await.expect(&change);
        let found = findings(&app).await;
        assert!(found.iter().any(|what| what.starts_with("tree of last entries")), "{change}: {found:?}");
        let back = format!(
            "{UNSEEN}; delete from {table}; insert into {table} select * from kept; drop table kept; commit"
        );
        client.batch_execute(&back).await.expect("is put back");
    }
    assert_eq!(findings(&app).await, Vec::<String>::new());
    for loss in ["delete from last_part", "delete from last_part; delete from last_tree"] {
        client.batch_execute(loss).await.expect(loss);
        pay(&us, &from, &to).await;
        let lost = app.service.attester(shard()).attest(Duration::ZERO).await;
        assert!(lost.is_err(), "{loss}");
        attest(&app).await;
        let newest = proof(&app, &from, "").await;
        assert_eq!(verify(&newest.text()).0, 0, "{newest:?}");
        assert_eq!(findings(&app).await, Vec::<String>::new(), "{loss}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn false_attestation_is_found() {
    let app = TestApp::start().await;
    let (us, from, to) = sender(&app.client).await;
    let position = pay(&us, &from, &to).await;
    let platform = app.events().await[0].platform;
    let lie = |position, accounts, root: &str| {
        let made = Made { position, accounts, root: root.into() };
        app.service.engine.submit(Call::of(shard()), DomainCommand::Attest(Attest { platform, made }))
    };
    let root = "0cx9AZiX8qiUAuzePnNwYwUaS5w5w/m3gXHdyIXoCOk=";
    lie(position, 2, root).await.expect("is recorded");
    lie(1_000_000, 2, root).await.expect("is recorded");
    let found = findings(&app).await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].ends_with("it is not what the entries of its platform's accounts are up to there"));
    assert!(found[1].ends_with("it is about a position that is not before it"));
}
