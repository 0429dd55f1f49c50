//! Batches of transactions in one call: each entry has its own outcome, and all created transactions are in one commit.

use daybook_domain::platform::Policy;
use daybook_tests::app::TestApp;
use daybook_tests::bodies::{transfer, transfer_to};
use daybook_tests::client::{Session, until};
use daybook_tests::http::Call;
use daybook_tests::shard;
use serde_json::{Value, json};

use super::policies::set;
use super::{own, statuses, still, trans_count};

const NOBODYS: &str = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ";

/// Returns a call that creates these transactions from `from`.
pub(super) fn batch(us: &Session, from: &str, query: &str, transactions: &[Value]) -> Call {
    let call = us.call("POST", &format!("/nodes/{from}/batch-trans{query}"));
    call.json(&json!({"transactions": transactions}))
}

/// Sends a well-formed batch and returns the outcome of each entry.
pub(super) async fn outcomes(call: Call) -> Vec<Value> {
    let answer = call.send().await.ok();
    let trans = answer["trans"].as_array().expect("a list").clone();
    let count = json!(trans.len());
    let paged = [&answer["trans_count"], &answer["limit"], &answer["page"], &answer["page_count"]];
    assert_eq!(paged, [&count, &count, &json!(1), &json!(1)]);
    trans
}

/// Returns `made` for a created transaction, else the status and codes of the error.
pub(super) fn told(outcome: &Value) -> String {
    if outcome["_id"].is_string() {
        assert_eq!(statuses(outcome), ["CREATED"]);
        return "made".to_owned();
    }
    assert_eq!(outcome["success"], false, "{outcome}");
    let [status, code] = ["http_code", "error_code"].map(|field| outcome[field].as_str().expect("text"));
    assert!(outcome["error"]["en"].is_string(), "{outcome}");
    format!("{status} {code} {}", outcome["error"]["code"].as_str().expect("a slug"))
}

async fn commit_no(app: &TestApp) -> u64 {
    app.service.engine.log().head(shard()).await.expect("a log").commit_no
}

#[tokio::test]
async fn batch_entries_share_one_commit() {
    let app = still().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let (count, commit) = (trans_count(&us).await, commit_no(&app).await);
    let entries = [
        transfer(&to, "1"),
        Value::Null,
        json!(5),
        json!("x"),
        json!([]),
        json!({}),
        transfer(&to, "0"),
        transfer(&to, "1.001"),
        transfer(NOBODYS, "1"),
        transfer(&from, "1"),
        transfer_to("LEDGER-US", &to, "1"),
        transfer(&to, "2.5"),
    ];
    let answer = batch(&us, &from, "", &entries).send().await;
    let made = answer.ok()["trans"].as_array().expect("a list").clone();
    let malformed = "400 200 invalid_field";
    let expected = [
        "made",
        malformed,
        malformed,
        malformed,
        malformed,
        malformed,
        malformed,
        malformed,
        "404 404 not_found",
        malformed,
        malformed,
        "made",
    ];
    assert_eq!(made.iter().map(told).collect::<Vec<_>>(), expected);
    for outcome in &made[1..5] {
        assert_eq!(outcome["error"]["en"], "body must be an object.");
    }
    assert_eq!(made[5]["error"]["field"], "to");
    assert_eq!(made[6]["error"]["field"], "amount.amount");
    assert_eq!((commit_no(&app).await, trans_count(&us).await), (commit + 1, count + 2));
    assert_eq!(us.numbers(&from).await, "10.00 3.50 6.50 0.00");
    // Each outcome equals the answer of a single call, and the transaction can be read afterwards.
    for (place, amount) in [(0, 1.0), (11, 2.5)] {
        let id = made[place]["_id"].as_str().expect("an id");
        let found = us.get_transaction(&from, id).await.ok();
        assert_eq!(made[place]["amount"]["amount"], amount);
        for field in ["amount", "extra", "fees", "from", "to", "_links", "client", "_v"] {
            assert_eq!(found[field], made[place][field], "{field}");
        }
    }
    let position = answer.headers["x-daybook-position"].to_str().expect("digits");
    let receipt: Value =
        serde_json::from_slice(answer.headers["x-daybook-receipt"].as_bytes()).expect("JSON");
    assert_eq!(receipt["position"].to_string(), position);
    assert_eq!(app.service.engine.log().head(shard()).await.expect("a log").position.to_string(), position);
}

/// Removes ids and times, which differ between two equal calls.
fn blurred(mut outcome: Value) -> Value {
    for field in ["_id", "_links", "extra", "from", "recent_status", "timeline"] {
        outcome.as_object_mut().expect("an object").remove(field);
    }
    outcome["error"].as_object_mut().map(|error| error.remove("node_id"));
    outcome
}

#[tokio::test]
async fn batch_equals_the_same_single_calls() {
    let app = still().await;
    let us = own(&app).await;
    set(&app, Policy { reject_unfunded: true, ..Policy::default() }).await;
    let (one, many) = (us.funded("10").await, us.funded("10").await);
    let to = us.node("DEPOSIT-US").await;
    let entries: Vec<Value> =
        ["4", "5", "3", "1", "0.01", "-1", "0.00"].map(|amount| transfer(&to, amount)).into();
    let mut alone = vec![];
    for entry in &entries {
        let mut answer = us.transfer(&one, entry).send().await.json();
        if answer["_id"].is_string() {
            let record = answer.as_object_mut().expect("an object");
            record.remove("error_code");
            record.remove("http_code");
        }
        alone.push(answer);
    }
    let together = outcomes(batch(&us, &many, "", &entries)).await;
    let expected = ["made", "made", "409 400 insufficient_balance", "made", "409 400 insufficient_balance"];
    assert_eq!(together.iter().map(told).collect::<Vec<_>>()[..5], expected);
    let blur = |outcomes: Vec<Value>| outcomes.into_iter().map(blurred).collect::<Vec<_>>();
    assert_eq!(blur(together), blur(alone));
    assert_eq!(us.numbers(&one).await, us.numbers(&many).await);
    assert_eq!(us.numbers(&many).await, "10.00 10.00 0.00 0.00");
}

#[tokio::test]
async fn batch_of_hundred_keeps_order_of_entries() {
    let app = still().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    let before = us.transactions().await.len();
    let entries = |count: usize| (1..=count).map(|cents| transfer(&to, &format!("0.{cents:02}")));
    let many: Vec<Value> = entries(99).chain([transfer(&to, "1")]).collect();
    let made = outcomes(batch(&us, &from, "", &many)).await;
    let ids: Vec<&Value> = made.iter().map(|outcome| &outcome["_id"]).collect();
    let listed = us.transactions().await;
    assert_eq!(ids, listed[before..].iter().map(|outcome| &outcome["_id"]).collect::<Vec<_>>());
    let amounts = |outcomes: &[Value]| {
        outcomes.iter().map(|outcome| outcome["amount"]["amount"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(amounts(&made), amounts(&listed[before..]));
    assert_eq!(us.numbers(&from).await, "100.00 50.50 49.50 0.00");
    let more: Vec<Value> = many.into_iter().chain([transfer(&to, "1")]).collect();
    for (what, body) in [
        ("101", json!({"transactions": more})),
        ("none", json!({"transactions": []})),
        ("null", json!({"transactions": null})),
        ("an object", json!({"transactions": {"to": 1}})),
        ("nothing", json!({})),
    ] {
        let call = us.call("POST", &format!("/nodes/{from}/batch-trans")).json(&body);
        assert_eq!(call.send().await.refused(400, "200")["field"], "transactions", "{what}");
    }
    assert_eq!(us.transactions().await.len(), before + 100);
}

#[tokio::test]
async fn batch_dry_run_counts_its_earlier_entries() {
    let app = still().await;
    let us = own(&app).await;
    set(&app, Policy { reject_unfunded: true, ..Policy::default() }).await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let keyed = |amount: &str, key: &str| {
        let mut entry = transfer(&to, amount);
        entry["extra"]["idempotency_key"] = json!(key);
        entry
    };
    let entries = [keyed("6", "a"), keyed("5", "b"), keyed("1", "a"), json!(7), keyed("4", "c")];
    let (head, count) = (commit_no(&app).await, trans_count(&us).await);
    let expected = [
        "made",
        "409 400 insufficient_balance",
        "409 400 idempotency_key_used",
        "400 200 invalid_field",
        "made",
    ];
    for query in ["?dry_run=true", "?dry_run=true", "", "?dry_run=true"] {
        let answer = batch(&us, &from, query, &entries).key("whole").send().await;
        let is_dry = answer.headers.contains_key("x-daybook-dry-run");
        assert_eq!(is_dry, !query.is_empty());
        if answer.status == 409 {
            assert_eq!(commit_no(&app).await, head + 1);
            assert_eq!(answer.refused(409, "400")["code"], "idempotency_key_used");
            continue;
        }
        let made = answer.ok()["trans"].as_array().expect("a list").clone();
        assert_eq!(made.iter().map(told).collect::<Vec<_>>(), expected, "{query}");
        assert_eq!(answer.headers.contains_key("x-daybook-receipt"), query.is_empty());
        if !query.is_empty() {
            assert_eq!((commit_no(&app).await, trans_count(&us).await), (head, count));
            assert_eq!(us.numbers(&from).await, "10.00 0.00 10.00 0.00");
        }
    }
    assert_eq!(trans_count(&us).await, count + 2);
    assert_eq!(us.numbers(&from).await, "10.00 10.00 0.00 0.00");
}

#[tokio::test]
async fn dry_run_undoes_only_its_own_entries() {
    let app = still().await;
    let us = own(&app).await;
    set(&app, Policy { reject_unfunded: true, ..Policy::default() }).await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let head = commit_no(&app).await;
    let mut elsewhere = app.database.pg().client().await.expect("a connection");
    let fence = elsewhere.transaction().await.expect("begun");
    let lock = "select from shard where shard = $1 for update";
    fence.query_one(lock, &[&shard()]).await.expect("the lock is free");
    let watching = app.database.pg().client().await.expect("a connection");
    let waits =
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

    // The first call waits for the lock of the shard. The calls queued behind it are decided in one batch.
    let calls: [(&str, &[&str]); 4] =
        [("", &["1"]), ("", &["4", "2"]), ("?dry_run=true", &["1", "2", "1"]), ("", &["3", "1"])];
    let (mut asked, mut waiting) = (vec![], 0);
    for (query, amounts) in calls {
        let entries: Vec<Value> = amounts.iter().map(|amount| transfer(&to, amount)).collect();
        // The writer has already taken the first call from the queue.
        waiting += if asked.is_empty() { 0 } else { entries.len() };
        asked.push(tokio::spawn(batch(&us, &from, query, &entries).send()));
        until("its place in the queue", async || {
            let waits = watching.query_opt(waits, &[]).await.expect("somebody to ask").is_some();
            (waits && app.service.engine.queue(shard()).0 == waiting).then_some(())
        })
        .await;
    }
    fence.rollback().await.expect("the lock is given back");
    let mut outcomes = vec![];
    for one in asked {
        let made = one.await.expect("answered").ok()["trans"].as_array().expect("a list").clone();
        outcomes.push(made.iter().map(told).collect::<Vec<_>>());
    }
    let (made, refused) = ("made", "409 400 insufficient_balance");
    assert_eq!(outcomes, [vec![made], vec![made; 2], vec![made, made, refused], vec![made, refused]]);
    assert_eq!(commit_no(&app).await, head + 2, "the last three were decided together");
    assert_eq!(us.numbers(&from).await, "10.00 10.00 0.00 0.00");
}

#[tokio::test]
async fn foreign_records_look_like_missing_ones() {
    let app = still().await;
    let (us, ada) = (own(&app).await, app.client.verified("Ada").await);
    let strangers = app.platform("Other", true).await.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let (adas, foreign) = (ada.funded("10").await, strangers.funded("10").await);
    let entry = [transfer(&to, "1")];
    let expected = batch(&us, NOBODYS, "", &entry).send().await;
    let _ = expected.refused(404, "404");
    for node in [&adas, &foreign, &us.user_id] {
        let answer = batch(&us, node, "", &entry).send().await;
        assert_eq!((answer.status, answer.text()), (404, expected.text()), "{node}");
    }
    let with_fee = |node: &str| {
        let mut entry = transfer(&to, "1");
        entry["fees"] = json!([{"fee": 0.5, "note": "x", "to": {"id": node}}]);
        entry
    };
    let receivers = [NOBODYS, &foreign, &us.user_id].map(|node| transfer(node, "1"));
    let fees = [NOBODYS, &foreign, &us.user_id].map(with_fee);
    for (entries, field) in [(receivers, "to.id"), (fees, "fees[0].to.id")] {
        let answered = outcomes(batch(&us, &from, "", &entries)).await;
        assert!(answered.iter().all(|outcome| *outcome == answered[0]), "{answered:?}");
        assert_eq!(told(&answered[0]), "404 404 not_found");
        assert_eq!(answered[0]["error"]["field"], field);
    }
    assert_eq!(us.numbers(&from).await, "10.00 0.00 10.00 0.00");
}
