//! Receipts: every write returns one, and it can be verified without the service.

use daybook_log::postgres::PostgresLog;
use daybook_tests::app::{PUBLIC_KEY, SETTLE_AFTER, TestApp, signer};
use daybook_tests::bodies::transfer;
use daybook_tests::client::{Client, Session};
use daybook_tests::http::Call;
use daybook_tests::shard;
use serde_json::json;

use super::{receipt, roots};
use crate::restart::at;
use crate::routes::named;
use crate::writers::fresh;

#[tokio::test]
async fn write_returns_receipt_for_its_last_event() {
    let app = TestApp::start().await;
    let (us, from, to) = sender(&app.client).await;
    let keys = [signer().key().clone()];
    let log = PostgresLog::new(app.database.pg());
    for amount in ["0.01", "0.02", "0.03"] {
        let answer = us.transfer(&from, &transfer(&to, amount)).send().await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let header = answer.headers["x-daybook-receipt"].to_str().expect("text");
        let receipt = receipt(&serde_json::from_str(header).expect("JSON"));
        receipt.verify(&keys).expect("it is a promise");
        let position = receipt.position;
        assert_eq!(answer.headers["x-daybook-position"], position.to_string());
        let row = log.raw_events(shard(), position - 1, position, false).await.expect("reads");
        receipt.is_of(&row[0].leaf(shard()).expect("a leaf")).expect("of that event");
    }
}

#[tokio::test]
async fn calls_without_events_return_no_receipt() {
    let app = TestApp::start().await;
    let (us, from, to) = sender(&app.client).await;
    let pay = |query: &str| {
        let call = us.call("POST", &format!("/nodes/{from}/trans{query}"));
        call.json(&transfer(&to, "0.01")).key("once").send()
    };
    let subscription = app.client.call("POST", "/subscriptions").body(named("subscriptions.create").body);
    let made = subscription.send().await;
    let path = format!("/subscriptions/{}", made.ok()["_id"].as_str().expect("an id"));
    let off = json!({"is_active": false});
    let change = || app.client.call("PATCH", &path).json(&off).send();
    let answers = [
        ("a dry run", pay("?dry_run=true").await, 200, false),
        ("a payment", pay("").await, 200, true),
        ("the same key again", pay("").await, 409, false),
        ("a change", change().await, 200, true),
        ("what is so already", change().await, 200, false),
        ("a refusal", us.transfer(&from, &transfer(&to, "0")).send().await, 400, false),
        ("a question", us.get_node(&from).await, 200, false),
    ];
    for (what, answer, status, has_receipt) in answers {
        assert_eq!(answer.status, status, "{what}: {answer:?}");
        assert_eq!(answer.headers.contains_key("x-daybook-receipt"), has_receipt, "{what}: {answer:?}");
    }
}

#[tokio::test]
async fn proof_routes_accept_get_only() {
    let app = TestApp::start().await;
    for path in ["/checkpoint", "/key", "/consistency?from=1&to=1", "/tile/0/000.p/1", "/receipts/1"] {
        let call = |method| {
            let call = Call::new(app.address, method, &format!("/audit{path}"));
            call.header("X-SP-GATEWAY", app.client.gateway()).send()
        };
        assert_eq!(call("GET").await.status, 200, "{path}");
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            call(method).await.refused(400, "410");
        }
    }
}

#[tokio::test]
async fn missing_roots_are_backfilled_identically() {
    let app = TestApp::start().await;
    let (us, from, to) = sender(&app.client).await;
    let database = app.database.clone();
    let log = PostgresLog::new(fresh(&database));
    let before = roots(&log).await;
    assert!(before.iter().all(|(_, root, signature)| root.is_some() && signature.is_some()), "{before:?}");
    // A log of a version without proofs has no signing keys either.
    let forget = "alter table commit disable trigger user; alter table signing_key disable trigger user;
        update commit set root = null, signature = null, frontier = null;
        delete from signing_key;
        alter table commit enable trigger user; alter table signing_key enable trigger user";
    app.database.pg().client().await.expect("connects").batch_execute(forget).await.expect("forgets");
    app.stop().await;
    // A new connection pool, because the old one remembers the roots and would treat the changed log as another log.
    let pg = fresh(&database);
    let app = TestApp::start_on(database, pg, SETTLE_AFTER).await;
    let answer = at(&us, app.address).transfer(&from, &transfer(&to, "0.01")).send().await;
    assert!(answer.headers.contains_key("x-daybook-receipt"));
    assert_eq!(roots(&log).await[..before.len()], before);
}

/// A session of a user with two nodes: one with 100 dollars, one empty.
pub(super) async fn sender(client: &Client) -> (Session, String, String) {
    let us = client.own_session().await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    (us, from, to)
}

#[test]
fn public_key_file_matches_test_signer() {
    let file = std::fs::read_to_string(PUBLIC_KEY).expect("it is there");
    assert_eq!(file.trim_end(), signer().key().text());
}
