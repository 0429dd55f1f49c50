//! Breaks: lines of statements in suspense, which operators match with open items and nodes.

use daybook_tests::app::PUBLIC_KEY;
use daybook_tests::http::Answer;
use daybook_tests::process;
use futures::future::join_all;
use serde_json::{Value, json};

use super::bank_files::{ACCOUNT, credit, file, today_of};
use super::{Desk, names};

/// Hands in a file of today with one line in US dollars. Returns the break of the line.
async fn suspended(desk: &Desk, minor: i64) -> Value {
    let text = file(ACCOUNT, today_of(desk).await, &[("USD", vec![(minor, "A BATCH".to_owned())])]);
    desk.send("statements", &text).await.ok();
    breaks(desk).await[0].clone()
}

pub(super) async fn breaks(desk: &Desk) -> Vec<Value> {
    desk.get("breaks").await.ok()["breaks"].as_array().expect("a list").clone()
}

fn item(trans_id: &str, amount: f64) -> Value {
    json!({"trans_id": trans_id, "account": "rail.in.ach", "amount": amount})
}

fn matching(of: &Value, items: &[Value], posts: &Value) -> Value {
    json!({"kind": "match", "break_id": of["_id"], "currency": "USD", "items": items, "posts": posts})
}

pub(super) async fn is_open(desk: &Desk, id: &str) -> bool {
    let open = desk.get("open-items").await.ok();
    open["open_items"].as_array().expect("a list").iter().any(|item| item["trans_id"] == id)
}

pub(super) async fn suspense(desk: &Desk) -> Value {
    let custody = desk.get("custody").await.ok();
    let identities = custody["identities"].as_array().expect("a list");
    let dollars = identities.iter().find(|identity| identity["currency"] == "USD").expect("has money");
    dollars["liabilities"]["suspense"].clone()
}

/// Verifies the log and reconciles the read models.
pub(super) fn verify(desk: &Desk) {
    let on = desk.app.database.options();
    for command in [&["log", "verify", "--key", PUBLIC_KEY][..], &["reconcile", "replay"]] {
        let said = process::run_on(&on, command);
        assert!(said.status.success(), "{said:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_line_explains_several_payments() {
    let desk = Desk::new().await;
    let (ann, bob) = (credit(&desk, "40").await, credit(&desk, "60").await);
    // The bank keeps a fee of 2.50.
    let of = suspended(&desk, 9_750).await;
    assert_eq!((&of["left"], &of["matches"]), (&json!(97.5), &json!([])), "{of}");
    let fees = desk.us.funded("100").await;
    let posts = json!([{"node_id": fees, "amount": -2.5}]);
    let items = [item(&ann, 40.0), item(&bob, 60.0)];
    let before = desk.head().await;
    let done = desk.act(&matching(&of, &items, &posts)).await.ok();
    assert_eq!((&done["status"], &done["act"]["items"][1]["amount"]), (&json!("DONE"), &json!(60.0)));
    let expected = ["operation.requested", "break.matched", "transaction.cleared", "transaction.cleared"];
    assert_eq!(names(&desk.since(before).await), expected);
    assert_eq!(breaks(&desk).await, Vec::<Value>::new());
    assert!(!is_open(&desk, &ann).await && !is_open(&desk, &bob).await);
    // The operator was wrong.
    let unmatch = json!({"kind": "unmatch", "break_id": of["_id"], "match": 0});
    desk.act(&unmatch).await.ok();
    assert_eq!(breaks(&desk).await[0]["left"], json!(97.5));
    assert!(is_open(&desk, &ann).await && is_open(&desk, &bob).await);
    assert_eq!(desk.act(&unmatch).await.refused(409, "400")["code"], "no_such_match");
    let part = desk.act(&matching(&of, &items[..1], &json!([]))).await.ok();
    assert_eq!(part["act"]["posts"], json!([]));
    let left = breaks(&desk).await;
    assert_eq!(
        (&left[0]["left"], &left[0]["matches"]),
        (&json!(57.5), &json!([{"amount": 40.0, "match": 1}]))
    );
    verify(&desk);
    desk.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restated_day_takes_its_matches_back() {
    let desk = Desk::new().await;
    let paid = credit(&desk, "40").await;
    let of = suspended(&desk, 4_000).await;
    desk.act(&matching(&of, &[item(&paid, 40.0)], &json!([]))).await.ok();
    assert!(!is_open(&desk, &paid).await);
    let text = file(ACCOUNT, today_of(&desk).await, &[("USD", vec![(3_000, "ANOTHER".to_owned())])]);
    let restated = json!({"file": text, "restate": "The amount was wrong."});
    desk.post(&desk.ada, "statements", &restated).await.ok();
    assert!(is_open(&desk, &paid).await);
    let now = breaks(&desk).await;
    assert_eq!((now.len(), &now[0]["left"]), (1, &json!(30.0)));
    let refused = desk.act(&matching(&of, &[item(&paid, 40.0)], &json!([]))).await.refused(409, "400");
    assert_eq!(refused["code"], "break_withdrawn");
    verify(&desk);
    desk.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_matches_explain_a_line_once() {
    let desk = Desk::new().await;
    let paid = credit(&desk, "40").await;
    let of = suspended(&desk, 4_000).await;
    let act = matching(&of, &[item(&paid, 40.0)], &json!([]));
    let answers: Vec<Answer> = join_all((0..4).map(|_| desk.act(&act))).await;
    let mut statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409]);
    assert_eq!((suspense(&desk).await, breaks(&desk).await.len()), (json!(0.0), 0));
    verify(&desk);
    desk.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_match_is_refused_by_field() {
    let desk = Desk::new().await;
    let paid = credit(&desk, "40").await;
    let of = suspended(&desk, 4_000).await;
    let head = desk.head().await;
    let with = |field: &str, value: Value| {
        let mut act = matching(&of, &[item(&paid, 40.0)], &json!([]));
        act[field] = value;
        act
    };
    let table = [
        (with("break_id", json!("nothing")), 404, "act.break_id"),
        (with("currency", json!("XXQ")), 400, "act.currency"),
        (with("currency", json!("JPY")), 400, "act.currency"),
        (
            with("items", json!([{"trans_id": paid, "account": "rail", "amount": 1}])),
            400,
            "act.items[0].account",
        ),
        (with("items", json!([item(&paid, 40.001)])), 400, "act.items[0].amount"),
        (with("posts", json!([{"node_id": "x", "amount": 1}])), 404, "act.posts[0].node_id"),
        (with("items", json!([])), 400, "act.items"),
    ];
    for (act, status, field) in table {
        let answer = desk.act(&act).await;
        assert_eq!((answer.status, answer.json()["error"]["field"].as_str()), (status, Some(field)), "{act}");
    }
    let refused = desk.act(&with("items", json!([item(&paid, 41.0)]))).await.refused(409, "400");
    assert_eq!(refused["code"], "match_too_much");
    let wire = json!([{"trans_id": paid, "account": "rail.in.wire", "amount": 40}]);
    assert_eq!(desk.act(&with("items", wire)).await.refused(409, "400")["code"], "item_not_open");
    assert_eq!(desk.head().await, head, "nothing is recorded of refused acts");
    // Another platform's list has none of it.
    let other = desk.app.platform("Other", true).await;
    let path = format!("/platforms/{}/breaks", other.client_id);
    assert_eq!(desk.ada.get(&path).await.ok()["break_count"], 0);
    desk.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn journal_on_rail_names_its_items() {
    let desk = Desk::new().await;
    let lost = credit(&desk, "40").await;
    let losses = desk.us.funded("100").await;
    let lines = json!([
        {"account": "rail.in.ach", "amount": -40},
        {"account": format!("node:{losses}"), "amount": 40},
    ]);
    let entry =
        |clears: Value| json!({"kind": "journal", "currency": "USD", "lines": lines, "clears": clears});
    let refused = desk.act(&entry(json!([]))).await.refused(409, "400");
    assert_eq!(refused["code"], "journal_items");
    let done = desk.act(&entry(json!([item(&lost, 40.0)]))).await.ok();
    assert_eq!(done["act"]["clears"], json!([item(&lost, 40.0)]));
    assert!(!is_open(&desk, &lost).await);
    verify(&desk);
    desk.app.stop().await;
}
