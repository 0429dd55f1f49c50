//! Returns: what came back goes back to where it came from, early or late, with its fee, and once.

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
async fn at_every_step_everybody_has_again_what_they_had() {
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
async fn its_status_tells_the_code_and_what_it_means() {
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
async fn who_has_spent_it_owes_it() {
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
    // What comes pays the debt first.
    let _ = flow.app.client.credit(&flow.to, "10.00").await.ok();
    assert_eq!(flow.numbers(&flow.to).await, "1.00 0.00 1.00 0.00");
}

#[tokio::test]
async fn a_pull_that_comes_back_after_the_push_left_is_the_platforms_loss() {
    let flow = Flow::after(3, "ACH-US", "WIRE-US").await;
    flow.left(Direction::Push).await;
    let before = flow.reserve().await;
    assert_eq!(before, "999999.80");
    let _ = flow.simulate("return", &json!({"code": "R01", "leg": "pull"})).await;
    assert_eq!(flow.reserve().await, "999990.80");
    assert_eq!(flow.numbers(&flow.fees).await, NOTHING);
}

#[tokio::test]
async fn a_push_that_comes_back_pays_the_sender_back_and_costs_nobody() {
    let flow = Flow::after(3, "ACH-US", "WIRE-US").await;
    flow.left(Direction::Push).await;
    let before = flow.reserve().await;
    let _ = flow.simulate("return", &json!({"code": "R03", "leg": "push"})).await;
    assert_eq!(flow.reserve().await, before);
    assert_eq!(flow.numbers(&flow.fees).await, NOTHING);
    // The money leaves once more, back to the sender.
    flow.left(Direction::Refund).await;
}

#[tokio::test]
async fn it_comes_back_once_and_not_before_it_left() {
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
async fn after_its_codes_window_it_is_too_late() {
    let flow = Flow::after(3, "ACH-US", "DEPOSIT-US").await;
    // Two banking days are over, however many holidays there are; sixty days are not.
    let _ = flow.app.client.advance(20 * DAY_S).await.ok();
    let late = flow.app.client.simulate(&flow.id, "return", &json!({"code": "R01"})).await;
    assert_eq!(late.refused(400, "410")["code"], "too_late_to_return");
    let returned = flow.simulate("return", &json!({"code": "R10"})).await;
    assert_eq!(returned["recent_status"]["code"], "R10");
    assert_eq!(flow.numbers(&flow.to).await, NOTHING);
}
