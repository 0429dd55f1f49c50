//! Returns: a returned transaction goes back to its origin with its fee, at any step, and only once.

use daybook_domain::transaction::Direction;
use daybook_domain::{States, TransactionId};
use daybook_tests::client::until;
use serde_json::json;

use super::{Flow, statuses};

const NOTHING: &str = "0.00 0.00 0.00 0.00";
const DAY_S: i64 = 86_400;

impl Flow {
    /// Waits until this leg is in a file for the bank.
    async fn left(&self, leg: Direction) {
        let id: TransactionId = self.id.parse().expect("an id");
        until("a file has it", async || {
            let reads = self.app.service.engine.reads();
            let found =
                reads.aggregates().records(daybook_engine::SHARD, &[id.into()]).await.expect("it reads");
            found.transaction(id).expect("it is there").submitted.contains(&leg).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn return_restores_balances_at_every_step() {
    for (from, to) in [
        ("DEPOSIT-US", "DEPOSIT-US"),
        ("ACH-US", "DEPOSIT-US"),
        ("DEPOSIT-US", "ACH-US"),
        ("DEPOSIT-US", "WIRE-US"),
    ] {
        for steps in 1..=3 {
            let flow = Flow::after(steps, from, to).await;
            let returned = flow.simulate("return", &json!({"code": "R03"})).await;
            assert_eq!(statuses(&returned).len(), steps + 2, "{from} to {to}");
            if from == "DEPOSIT-US" {
                assert_eq!(flow.numbers(&flow.from).await, "100.00 0.00 100.00 0.00", "{to}, {steps} steps");
            }
            if to == "DEPOSIT-US" {
                assert_eq!(flow.numbers(&flow.to).await, NOTHING, "{from}, {steps} steps");
            }
            assert_eq!(flow.numbers(&flow.fees).await, NOTHING, "{from} to {to}, {steps} steps");
        }
    }
}

#[tokio::test]
async fn returned_status_shows_code_and_meaning() {
    let flow = Flow::after(3, "ACH-US", "DEPOSIT-US").await;
    let returned = flow.simulate("return", &json!({"code": "R01"})).await;
    let status = &returned["recent_status"];
    assert_eq!(status["date"], returned["timeline"][4]["date"]);
    let mut expected = json!({
        "code": "R01", "note": "Transaction Returned. R01: Insufficient funds.", "simulated": true,
        "status": "RETURNED", "status_id": "6",
    });
    expected["date"] = status["date"].clone();
    assert_eq!(*status, expected);
    assert_eq!(flow.now().await, returned);
}

#[tokio::test]
async fn receiver_without_money_owes_the_return() {
    let flow = Flow::after(3, "ACH-US", "DEPOSIT-US").await;
    let _ = flow.app.client.debit(&flow.to, "9.00").await.ok();
    let _ = flow.app.client.debit(&flow.fees, "1.00").await.ok();
    let _ = flow.simulate("return", &json!({"code": "R01"})).await;
    assert_eq!(flow.numbers(&flow.to).await, "-9.00 0.00 -9.00 0.00");
    assert_eq!(flow.numbers(&flow.fees).await, "-1.00 0.00 -1.00 0.00");
    assert_eq!(
        flow.app.client.debit(&flow.to, "0.01").await.refused(409, "400")["code"],
        "insufficient_balance"
    );
    // The next credit reduces the debt.
    let _ = flow.app.client.credit(&flow.to, "10.00").await.ok();
    assert_eq!(flow.numbers(&flow.to).await, "1.00 0.00 1.00 0.00");
}

#[tokio::test]
async fn late_pull_return_is_loss_of_platform() {
    let flow = Flow::after(3, "ACH-US", "WIRE-US").await;
    flow.left(Direction::Push).await;
    let before = flow.reserve().await;
    assert_eq!(before, "999999.80");
    let _ = flow.simulate("return", &json!({"code": "R01", "leg": "pull"})).await;
    assert_eq!(flow.reserve().await, "999990.80");
    assert_eq!(flow.numbers(&flow.fees).await, NOTHING);
}

#[tokio::test]
async fn returned_push_refunds_the_sender() {
    let flow = Flow::after(3, "ACH-US", "WIRE-US").await;
    flow.left(Direction::Push).await;
    let before = flow.reserve().await;
    let _ = flow.simulate("return", &json!({"code": "R03", "leg": "push"})).await;
    assert_eq!(flow.reserve().await, before);
    assert_eq!(flow.numbers(&flow.fees).await, NOTHING);
    // The refund leaves in a further file, back to the sender.
    flow.left(Direction::Refund).await;
}

#[tokio::test]
async fn transaction_returns_once_and_only_after_leaving() {
    let flow = Flow::new("DEPOSIT-US", "DEPOSIT-US").await;
    let again = async || {
        let answer = flow.app.client.simulate(&flow.id, "return", &json!({"code": "R01"})).await;
        answer.refused(400, "410")["code"].clone()
    };
    assert_eq!(again().await, "cannot_return_transaction");
    let _ = flow.simulate("settle", &json!({})).await;
    let _ = flow.simulate("return", &json!({"code": "R01"})).await;
    assert_eq!(again().await, "cannot_return_transaction");
    assert_eq!(flow.numbers(&flow.from).await, "100.00 0.00 100.00 0.00");
}

#[tokio::test]
async fn return_after_window_of_code_is_refused() {
    let flow = Flow::after(3, "ACH-US", "DEPOSIT-US").await;
    // After twenty days, two banking days have passed despite any holidays, and sixty days have not.
    let _ = flow.app.client.advance(20 * DAY_S).await.ok();
    let late = flow.app.client.simulate(&flow.id, "return", &json!({"code": "R01"})).await;
    assert_eq!(late.refused(400, "410")["code"], "too_late_to_return");
    let returned = flow.simulate("return", &json!({"code": "R10"})).await;
    assert_eq!(returned["recent_status"]["code"], "R10");
    assert_eq!(flow.numbers(&flow.to).await, NOTHING);
}
