//! Matching rules: what explains itself is matched after each statement, the rest is suggested.

use daybook_domain::BreakId;
use daybook_statement::{CodeKind, Line};
use daybook_tests::client::until;
use serde_json::{Value, json};

use super::Desk;
use super::bank_files::{ACCOUNT, credit, file_of, statement, today_of};
use super::breaks::{breaks, is_open, suspense, verify};

/// Hands in a file of today with lines of these amounts in US dollars, codes and texts.
async fn state(desk: &Desk, lines: &[(i64, &str, &str)]) -> Value {
    let amounts: Vec<_> = lines.iter().map(|(minor, ..)| (*minor, String::new())).collect();
    let mut stated = statement(ACCOUNT, today_of(desk).await, "USD", &amounts);
    stated.lines = std::iter::zip(stated.lines, lines)
        .map(|(line, (_, code, text))| Line {
            codes: vec![(CodeKind::Bai, (*code).to_owned())],
            references: vec![],
            text: (*text).to_owned(),
            ..line
        })
        .collect();
    desk.send("statements", &file_of(vec![stated])).await.ok()
}

async fn set(desk: &Desk, rules: &Value) -> Value {
    desk.act(&json!({"kind": "set_rules", "rules": rules})).await.ok()
}

/// Waits until this many lines are in suspense.
async fn left(desk: &Desk, count: usize) -> Vec<Value> {
    until("the rules have run", async || {
        let found = breaks(desk).await;
        (found.len() == count).then_some(found)
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rules_match_lines_after_statement() {
    let desk = Desk::new().await;
    let (ann, bob) = (credit(&desk, "40").await, credit(&desk, "60").await);
    let fees = desk.us.funded("100").await;
    let rules = json!([
        {"name": "wire-text", "strategy": "reference", "text": "OUR REF ([0-9A-Z]{26})"},
        {"name": "fees", "strategy": "book", "codes": ["698"], "currency": "USD", "node_id": fees,
         "per_line": 5, "per_day": 8},
        {"name": "amounts", "strategy": "amount"},
        {"name": "near", "strategy": "tolerance", "of": "amounts", "currency": "USD", "difference": 0.05,
         "node_id": fees},
    ]);
    assert_eq!(set(&desk, &rules).await["status"], "DONE");
    let text = format!("INCOMING OUR REF {ann}");
    state(
        &desk,
        &[(4_000, "195", &text), (5_997, "142", "A BATCH"), (-250, "698", "FEE"), (-500, "699", "FEE")],
    )
    .await;
    let unmatched = left(&desk, 1).await;
    assert_eq!((&unmatched[0]["left"], &unmatched[0]["age_banking_days"]), (&json!(-5.0), &json!(0)));
    assert!(!is_open(&desk, &ann).await && !is_open(&desk, &bob).await);
    assert_eq!(suspense(&desk).await, json!(-5.0));
    // 2.50 for the fee, and 0.03 that the line of 60.00 lacked.
    assert_eq!(desk.us.balance(&fees).await, "97.47");
    let shown = desk.get("rules").await.ok();
    assert_eq!((&shown["version"], &shown["rules"][1]["per_line"]), (&json!(1), &json!(5.0)));
    verify(&desk);
    desk.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn new_rules_are_tried_on_old_breaks() {
    let desk = Desk::new().await;
    let paid = credit(&desk, "40").await;
    state(&desk, &[(4_000, "142", "A BATCH")]).await;
    let suggested = desk.get("breaks?suggestions=yes").await.ok();
    let best = &suggested["breaks"][0]["suggestions"][0];
    assert_eq!((&best["strategy"], &best["score"]), (&json!("suggest"), &json!(70)), "{suggested}");
    assert_eq!((&best["items"][0]["trans_id"], &best["reasons"]), (&json!(paid), &json!(["amount", "day"])));
    assert_eq!(left(&desk, 1).await[0]["suggestions"], Value::Null);
    set(&desk, &json!([{"name": "amounts", "strategy": "amount"}])).await;
    left(&desk, 0).await;
    assert!(!is_open(&desk, &paid).await);
    verify(&desk);
    desk.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rules_need_approval_and_own_nodes() {
    let desk = Desk::new().await;
    let book = |node: &str| {
        json!([{"name": "fees", "strategy": "book", "codes": ["698"], "currency": "USD", "node_id": node,
                "per_line": 5, "per_day": 8}])
    };
    let nobody = json!({"kind": "set_rules", "rules": book("00000000000000000000000009")});
    assert_eq!(desk.act(&nobody).await.refused(409, "400")["code"], "rule_node");
    desk.approvals(&json!(["set_rules"])).await;
    let fees = desk.us.node("DEPOSIT-US").await;
    let asked = set(&desk, &book(&fees)).await;
    assert_eq!(asked["status"], "WAITING");
    assert_eq!(desk.get("rules").await.ok()["version"], json!(0));
    let approve = format!("operations/{}/approve", asked["_id"].as_str().expect("an id"));
    assert_eq!(desk.post(&desk.bob, &approve, &json!({})).await.ok()["status"], "DONE");
    assert_eq!(desk.get("rules").await.ok()["version"], json!(1));
    verify(&desk);
    desk.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn line_taken_back_stays_with_operators() {
    let desk = Desk::new().await;
    let paid = credit(&desk, "40").await;
    set(&desk, &json!([{"name": "amounts", "strategy": "amount"}])).await;
    let stated = state(&desk, &[(4_000, "142", "A BATCH")]).await;
    left(&desk, 0).await;
    let id = BreakId::of(stated["statements"][0]["_id"].as_str().expect("an id").parse().expect("an id"), 0);
    desk.act(&json!({"kind": "unmatch", "break_id": id.to_string(), "match": 0})).await.ok();
    assert!(is_open(&desk, &paid).await);
    set(&desk, &json!([{"name": "by-amount", "strategy": "amount"}])).await;
    let line = desk.get("breaks?suggestions=yes").await.ok()["breaks"][0].clone();
    assert_eq!((&line["left"], &line["matches"]), (&json!(40.0), &json!([])));
    verify(&desk);
    desk.app.stop().await;
}
