//! What a node holds is proved: the newest entry once it is attested, an older one by the entry after it.

use std::fs;
use std::process::Command;
use std::time::Duration;

use daybook_tests::app::{TestApp, signer};
use daybook_tests::bodies::transfer;
use daybook_tests::client::Session;
use daybook_tests::http::Answer;
use serde_json::Value;

use super::receipts::sender;
use crate::architecture::root;

/// Asks for the proof of what a node holds.
async fn proof(app: &TestApp, node: &str, query: &str) -> Answer {
    app.client.audit(&format!("/nodes/{node}/balance{query}")).send().await
}

async fn attest(app: &TestApp) {
    app.service.attester().attest(Duration::ZERO).await.expect("attests");
}

/// Moves a cent; the position at which it was recorded.
async fn pay(us: &Session, from: &str, to: &str) -> u64 {
    let answer = us.transfer(from, &transfer(to, "0.01")).send().await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.headers["x-daybook-position"].to_str().expect("digits").parse().expect("a number")
}

/// What both verifiers say of a proof: exit code and balance.
fn verify(proof: &str) -> (u8, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("key"), signer().key().text() + "\n").expect("is written");
    fs::write(path("proof"), proof).expect("is written");
    let words = ["daybook-verify", "--json", "--key", &path("key"), "balance", &path("proof")];
    let (mut out, mut err) = (vec![], vec![]);
    let code = daybook_verify::run(words.map(str::to_owned), &mut out, &mut err);
    let said: Value = serde_json::from_slice(&out).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&err)));
    let mut python = Command::new("python3");
    python.arg(root().join("tests/clients/verify_proof/verify.py")).current_dir(folder.path());
    if let Ok(done) = python.args(["key", "balance", "proof"]).output() {
        assert_eq!(done.status.success(), code == 0, "{}", String::from_utf8_lossy(&done.stderr));
    }
    (code, said["facts"]["balance"].clone())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_node_holds_is_proved_at_every_position() {
    let app = TestApp::start().await;
    let (us, from, to) = sender(&app).await;
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
    // Between two entries a proof needs no attestation, and before the first there is nothing.
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
    // Nothing new is not attested again.
    let before = app.events().await.len();
    attest(&app).await;
    assert_eq!(app.events().await.len(), before);
}
