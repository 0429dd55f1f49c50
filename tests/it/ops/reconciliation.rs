//! Reconciliation with the bank: the tie-out of now over HTTP, and that of a period by the command line.

use std::collections::BTreeSet;
use std::process::Output;

use daybook_domain::calendar::Day;
use daybook_tests::process;
use serde_json::{Value, json};

use super::Desk;
use super::bank_files::{ACCOUNT, credit, file, today_of};
use super::statements::statement;

/// Seconds of a day.
const DAY_S: i64 = 86_400;

/// Runs `daybook reconcile bank` for a period of a platform. `on` are the options that name its database.
pub(super) fn run(platform: &str, on: &[String], days: (Day, Day), more: &[&str]) -> Output {
    let (from, to) = (days.0.to_string(), days.1.to_string());
    let period = ["reconcile", "bank", "--platform", platform, "--from", &from, "--to", &to];
    process::run_on(on, &[&period, more].concat())
}

/// Runs the command on the desk's database.
pub(super) fn reconcile(desk: &Desk, days: (Day, Day), more: &[&str]) -> Output {
    run(&desk.app.client.client_id, &desk.app.database.options(), days, more)
}

/// Runs the command, which ends with this code, and returns its output as JSON.
pub(super) fn record(desk: &Desk, days: (Day, Day), code: i32) -> Value {
    let said = reconcile(desk, days, &["--json"]);
    assert_eq!(said.status.code(), Some(code), "{said:?}");
    serde_json::from_slice(&said.stdout).expect("JSON")
}

/// Reconciliation of now.
async fn served(desk: &Desk, days: (Day, Day)) -> Value {
    desk.get(&format!("reconciliation?from={}&to={}", days.0, days.1)).await.ok()
}

/// Sums of US dollars that no settlement changes.
fn dollars(report: &Value) -> Vec<Value> {
    let all = report["tie_outs"].as_array().expect("a list");
    let one = all.iter().find(|one| one["currency"] == "USD").expect("has money");
    let fields = "opening_balance closing_balance stated_balance bank open_items open_item_count suspense breaks \
                  break_count unnamed rail_in rail_out ret_in ret_out aged_breaks difference bank_difference \
                  open_difference tied_out";
    fields.split_whitespace().map(|field| one[field].clone()).collect()
}

fn item(trans_id: &str, amount: f64) -> Value {
    json!({"trans_id": trans_id, "account": "rail.in.ach", "amount": amount})
}

/// A day with a batch of two payments and an unknown line, which is stated without references.
pub(super) async fn stated_day(desk: &Desk) -> (Day, [String; 3]) {
    let paid = [credit(desk, "40").await, credit(desk, "60").await, credit(desk, "10").await];
    let day = today_of(desk).await;
    let lines = vec![(9_750, "A BATCH".to_owned()), (300, "NOBODY".to_owned())];
    desk.send("statements", &file(ACCOUNT, day, &[("USD", lines)])).await.ok();
    (day, paid)
}

/// Explains the batch, takes that back, explains a part of it, and writes the third payment off.
async fn worked(desk: &Desk, [ann, bob, lost]: &[String; 3]) {
    let breaks = desk.get("breaks").await.ok();
    let fees = desk.us.funded("100").await;
    let batch = &breaks["breaks"][0]["_id"];
    let matching = |items: &[Value], posts: Value| json!({"kind": "match", "break_id": batch, "currency": "USD", "items": items, "posts": posts});
    let (ann, bob) = (item(ann, 40.0), item(bob, 60.0));
    desk.act(&matching(&[ann.clone(), bob], json!([{"node_id": fees, "amount": -2.5}]))).await.ok();
    desk.act(&json!({"kind": "unmatch", "break_id": batch, "match": 0})).await.ok();
    desk.act(&matching(&[ann], json!([]))).await.ok();
    let lines = json!([
        {"account": "rail.in.ach", "amount": -10},
        {"account": format!("node:{fees}"), "amount": 10},
    ]);
    let clears = json!([item(lost, 10.0)]);
    desk.act(&json!({"kind": "journal", "currency": "USD", "lines": lines, "clears": clears})).await.ok();
}

/// Moves 2.00 from a node into suspense, by a journal entry.
pub(super) async fn move_into_suspense(desk: &Desk) {
    let node = desk.us.funded("100").await;
    let lines =
        json!([{"account": format!("node:{node}"), "amount": 2}, {"account": "suspense", "amount": -2}]);
    desk.act(&json!({"kind": "journal", "currency": "USD", "lines": lines})).await.ok();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn period_ties_out_and_stays_as_reported() {
    let desk = Desk::new().await;
    let (first, paid) = stated_day(&desk).await;
    let served_first = served(&desk, (first, first)).await;
    let then = reconcile(&desk, (first, first), &["--json"]);
    assert!(then.status.success(), "{then:?}");
    let pack: Value = serde_json::from_slice(&then.stdout).expect("JSON");
    assert_eq!(dollars(&pack), dollars(&served_first));
    assert_eq!(
        (&pack["position"], &pack["tree"]["size"]),
        (&served_first["position"], &served_first["position"])
    );
    assert_eq!(dollars(&pack)[..4], [json!(0.0), json!(100.5), json!(100.5), json!(100.5)], "{pack}");
    assert_eq!(
        (&pack["break_count"], &pack["matches"], &pack["tied_out"]),
        (&json!(2), &json!([]), &json!(true))
    );

    worked(&desk, &paid).await;
    desk.app.client.advance(DAY_S).await.ok();
    let second = first.plus_days(1);
    let [wrong, right] = [("7.00", "107.50"), ("8.00", "108.50")]
        .map(|(amount, closing)| statement(&second.to_string(), "100.50", closing, &[("x", amount, "", "")]));
    let old = desk.send("statements", &wrong).await.ok()["statements"][0]["_id"].clone();
    let body = json!({"file": right, "restate": "A line was wrong."});
    let new = desk.post(&desk.ada, "statements", &body).await.ok()["statements"][0]["_id"].clone();

    let pack = record(&desk, (first, second), 0);
    let now = served(&desk, (first, second)).await;
    assert_eq!(dollars(&pack), dollars(&now));
    for list in ["statements", "open_items", "breaks"] {
        assert_eq!(pack[list], now[list], "{list}");
    }
    let column = |list: &str, field: &str| -> Vec<Value> {
        pack[list].as_array().expect("a list").iter().map(|row| row[field].clone()).collect()
    };
    assert_eq!(column("matches", "strategy"), [json!("operator"), json!(null), json!("operator")]);
    assert_eq!(column("matches", "amount"), [json!(97.5), json!(97.5), json!(40.0)]);
    assert_eq!(column("write_offs", "trans_id"), [json!(paid[2])]);
    assert_eq!(column("write_offs", "amount"), [json!(10.0)]);
    assert_eq!(column("statements", "replaced_by"), [json!(null), new, json!(null)]);
    assert_eq!(column("statements", "replaces"), [json!(null), json!(null), old]);
    assert_eq!(column("breaks", "left"), [json!(57.5), json!(3.0), json!(8.0)]);
    let open = column("open_items", "trans_id");
    assert_eq!([0, 1, 2].map(|of| open.contains(&json!(paid[of]))), [false, true, false]);

    // The acts are of the first day, and came after its report.
    let last = record(&desk, (second, second), 0);
    assert_eq!((&last["matches"], &last["write_offs"]), (&pack["matches"], &pack["write_offs"]));
    assert_eq!(last["acts_after_position"], served_first["position"]);
    assert_eq!(reconcile(&desk, (first, first), &["--json"]).stdout, then.stdout);
    desk.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn day_restated_behind_later_days_ties_out() {
    let desk = Desk::new().await;
    let (first, _) = stated_day(&desk).await;
    desk.app.client.advance(DAY_S).await.ok();
    let second = first.plus_days(1);
    let later = statement(&second.to_string(), "100.50", "108.50", &[("x", "8.00", "", "")]);
    desk.send("statements", &later).await.ok();
    let other = file(ACCOUNT, first, &[("USD", vec![(10_050, "ALL".to_owned())])]);
    let body = json!({"file": other, "restate": "It was one line."});
    desk.post(&desk.ada, "statements", &body).await.ok();
    let pack = record(&desk, (first, first), 0);
    // The later day stays booked, so the bank's balance is that of the later day.
    assert_eq!(dollars(&pack)[..4], [json!(0.0), json!(100.5), json!(108.5), json!(108.5)], "{pack}");
    assert_eq!(dollars(&pack), dollars(&served(&desk, (first, first)).await));
    desk.app.stop().await;
}

#[tokio::test]
async fn account_ties_out_while_lines_are_booked() {
    let desk = Desk::new().await;
    let day = today_of(&desk).await;
    let lines: Vec<_> = (1..=3_000).map(|cents| (cents, "NOBODY".to_owned())).collect();
    desk.send("statements", &file(ACCOUNT, day, &[("USD", lines)])).await.ok();
    let mut booked = BTreeSet::new();
    loop {
        let report = served(&desk, (day, day)).await;
        assert_eq!(report["tied_out"], json!(true), "{report}");
        booked.insert(report["tie_outs"][0]["break_count"].as_u64());
        if report["booking"] == json!(false) {
            break;
        }
    }
    assert_eq!(booked.last(), Some(&Some(3_000)), "{booked:?}");
}

#[tokio::test]
async fn reconciliation_names_wrong_days() {
    let desk = Desk::new().await;
    for (query, field) in
        [("from=2026-02-30", "from"), ("to=x", "to"), ("from=2026-02-02&to=2026-02-01", "from")]
    {
        let refused = desk.get(&format!("reconciliation?{query}")).await;
        refused.refused(400, "200");
        assert_eq!(refused.json()["error"]["field"], field, "{query}");
    }
    desk.ada.get("/platforms/nobody/reconciliation").await.refused(404, "404");
}

#[tokio::test]
async fn journal_on_suspense_is_named_separately() {
    let desk = Desk::new().await;
    move_into_suspense(&desk).await;
    let report = desk.get("reconciliation").await;
    assert_eq!(
        (report.raw("tie_outs.0.unnamed"), report.raw("tie_outs.0.difference")),
        ("2.00".into(), "0.00".into())
    );
    assert_eq!(report.ok()["tied_out"], json!(false));
}
