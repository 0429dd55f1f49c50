//! The ledger as a whole: it sums to zero, and assets at the bank equal liabilities.

use serde_json::json;

use super::Desk;
use super::statements::{statement, today};

/// Records a history with payments, a settlement, a return, a withdrawal, a journal entry and a statement.
pub(super) async fn mixed(desk: &Desk) {
    let (first, _) = desk.payment().await;
    let (second, from) = desk.payment().await;
    let (third, _) = desk.payment().await;
    for id in [&first, &second] {
        let _ = desk.app.client.simulate(id, "settle", &json!({})).await.ok();
    }
    let _ = desk.app.client.simulate(&third, "process", &json!({})).await.ok();
    let _ = desk.app.client.simulate(&second, "return", &json!({"code": "R01"})).await.ok();
    let _ = desk.app.client.debit(&from, "30").await.ok();
    let lines =
        json!([{"account": format!("node:{from}"), "amount": 2}, {"account": "suspense", "amount": -2}]);
    let _ = desk.act(&json!({"kind": "journal", "currency": "USD", "lines": lines})).await.ok();
    let lines = [("a", "12.34", "", "?")];
    let text = statement(&today(desk).await, "0", "12.34", &lines);
    let _ = desk.send("statements", &text).await.ok();
}

#[tokio::test]
async fn ledger_balances_and_bank_covers_liabilities() {
    let desk = Desk::new().await;
    mixed(&desk).await;
    let answer = desk.get("trial-balance").await;
    let sums = answer.ok();
    assert_eq!(sums["totals"].as_array().map(Vec::len), Some(1), "{sums}");
    assert_eq!(answer.raw("totals.0.difference"), "0.00");
    assert_eq!(answer.raw("totals.0.debits"), answer.raw("totals.0.credits"));
    let accounts = sums["accounts"].as_array().expect("a list");
    let names: Vec<_> = accounts.iter().map(|row| row["account"].as_str().expect("text")).collect();
    for name in ["bank.fbo.sandbox", "nodes", "rail.in.ach", "suspense", "transit"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let custody = desk.get("custody").await;
    assert_eq!(custody.ok()["identities"].as_array().map(Vec::len), Some(1));
    assert_eq!(custody.raw("identities.0.difference"), "0.00");
    assert_eq!(custody.raw("identities.0.assets.bank"), "12.34");
    assert_eq!(custody.raw("identities.0.liabilities.transit"), "10.00");
    assert_eq!(custody.raw("identities.0.liabilities.suspense"), "14.34");
}

#[tokio::test]
async fn each_platform_has_its_own_ledger() {
    let desk = Desk::new().await;
    let before = desk.get("trial-balance").await.ok()["accounts"].clone();
    let other = desk.app.platform("Other", true).await.own_session().await;
    other.funded("5").await;
    assert_eq!(desk.get("trial-balance").await.ok()["accounts"], before);
}
