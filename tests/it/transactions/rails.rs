//! Rails: every flow of `docs/reference/money.md`, step by step, with the four numbers of every held node.

use daybook_tests::client::until;
use serde_json::json;

use super::{Flow, own, statuses, still, transfer_to};

const OUTSIDE: [&str; 4] = ["ACH-US", "WIRE-US", "WIRE-INT", "CHECK-US"];
const NOTHING: &str = "0.00 0.00 0.00 0.00";

/// Returns the four numbers of these nodes after the creation and after each step.
async fn told(flow: &Flow, nodes: &[&String]) -> Vec<Vec<String>> {
    let mut told = vec![];
    for step in 0..=3 {
        if step > 0 {
            let _ = flow.simulate("process", &json!({})).await;
        }
        let mut numbers = vec![];
        for node in nodes {
            numbers.push(flow.numbers(node).await);
        }
        told.push(numbers);
    }
    told
}

/// Numbers of a held sender after each step.
const SENT: [&str; 4] =
    ["100.00 10.00 90.00 0.00", "90.00 0.00 90.00 0.00", "90.00 0.00 90.00 0.00", "90.00 0.00 90.00 0.00"];

/// Numbers of a held receiver and of the fee's recipient after each step.
const RECEIVED: [&str; 4] = [NOTHING, NOTHING, "0.00 0.00 0.00 9.00", "9.00 0.00 9.00 0.00"];
const FEE: [&str; 4] = [NOTHING, NOTHING, NOTHING, "1.00 0.00 1.00 0.00"];

#[tokio::test]
async fn transfer_between_held_nodes_posts_each_step() {
    let flow = Flow::new("DEPOSIT-US", "DEPOSIT-US").await;
    let told = told(&flow, &[&flow.from, &flow.to, &flow.fees]).await;
    for (step, numbers) in told.into_iter().enumerate() {
        assert_eq!(numbers, [SENT[step], RECEIVED[step], FEE[step]], "step {step}");
    }
    let taken = ["100.00 0.00 0.00", "0.00 10.00 0.00", "-10.00 -10.00 0.00"];
    assert_eq!(flow.us.entries(&flow.from).await, taken);
    assert_eq!(flow.us.entries(&flow.to).await, ["0.00 0.00 9.00", "9.00 0.00 -9.00"]);
    assert_eq!(flow.us.entries(&flow.fees).await, ["1.00 0.00 0.00"]);
}

#[tokio::test]
async fn pull_from_bank_account_posts_each_step() {
    let flow = Flow::new("ACH-US", "DEPOSIT-US").await;
    let told = told(&flow, &[&flow.to, &flow.fees]).await;
    for (step, numbers) in told.into_iter().enumerate() {
        assert_eq!(numbers, [RECEIVED[step], FEE[step]], "step {step}");
    }
    let settled = flow.now().await;
    assert_eq!((&settled["from"]["type"], &settled["from"]["id"]), (&json!("ACH-US"), &json!(flow.from)));
    assert_eq!(statuses(&settled), ["CREATED", "PROCESSING-DEBIT", "PROCESSING-CREDIT", "SETTLED"]);
}

#[tokio::test]
async fn push_to_external_nodes_posts_each_step() {
    for kind in OUTSIDE {
        let flow = Flow::new("DEPOSIT-US", kind).await;
        let told = told(&flow, &[&flow.from, &flow.fees]).await;
        for (step, numbers) in told.into_iter().enumerate() {
            assert_eq!(numbers, [SENT[step], FEE[step]], "{kind}, step {step}");
        }
        assert_eq!(flow.now().await["to"]["type"], kind);
    }
}

#[tokio::test]
async fn transfer_between_external_nodes_posts_each_step() {
    for kind in OUTSIDE {
        let flow = Flow::new("ACH-US", kind).await;
        let before = flow.reserve().await;
        let told = told(&flow, &[&flow.fees]).await;
        for (step, numbers) in told.into_iter().enumerate() {
            assert_eq!(numbers, [FEE[step]], "{kind}, step {step}");
        }
        assert_eq!(flow.reserve().await, before, "{kind}");
    }
}

#[tokio::test]
async fn due_transaction_steps_wait_for_files() {
    for (from, to) in [("ACH-US", "DEPOSIT-US"), ("DEPOSIT-US", "CHECK-US"), ("ACH-US", "WIRE-US")] {
        let flow = Flow::new(from, to).await;
        let _ = flow.app.client.advance(900).await.ok();
        let settled = flow.us.when(&flow.from, &flow.id, "SETTLED").await.ok();
        assert_eq!(statuses(&settled).len(), 4, "{from} to {to}: {settled}");
        assert_eq!(flow.numbers(&flow.fees).await, FEE[3], "{from} to {to}");
    }
}

#[tokio::test]
async fn credit_only_external_nodes_cannot_send() {
    for kind in ["WIRE-US", "WIRE-INT", "CHECK-US", "ACH-US"] {
        // A bank account without confirmed micro-deposits only receives, like a wire account.
        let flow = Flow::new("DEPOSIT-US", kind).await;
        let body = daybook_tests::bodies::transfer(&flow.from, "1");
        let made = flow.us.transfer(&flow.to, &body).send().await.ok();
        assert_eq!(statuses(&made), ["CREATED"], "{kind}");
        let id = made["_id"].as_str().expect("an id");
        let canceled = flow.us.when(&flow.to, id, "CANCELED").await.ok();
        let note = canceled["recent_status"]["note"].as_str().expect("text");
        assert!(note.contains("sender_not_allowed"), "{kind}: {note}");
    }
}

#[tokio::test]
async fn whole_amount_may_be_the_fee() {
    let flow = Flow::new("DEPOSIT-US", "ACH-US").await;
    let mut body = daybook_tests::bodies::transfer_to("ACH-US", &flow.to, "5.00");
    body["fees"] = json!([{"fee": 5.00, "to": {"id": flow.fees}}]);
    let made = flow.us.transfer(&flow.from, &body).send().await.ok();
    let id = made["_id"].as_str().expect("an id");
    let settled = flow.app.client.simulate(id, "settle", &json!({})).await.ok();
    assert_eq!(settled["recent_status"]["status"], "SETTLED");
    until("the fee is there", async || {
        (flow.numbers(&flow.fees).await == "5.00 0.00 5.00 0.00").then_some(())
    })
    .await;
}

#[tokio::test]
async fn rail_amount_is_limited_by_file_format() {
    let app = still().await;
    let us = own(&app).await;
    let (held, bank, wired) = (us.node("DEPOSIT-US").await, us.bank().await, us.node("WIRE-US").await);
    let most = [("ACH-US", &held, &bank, "99999999.99"), ("DEPOSIT-US", &bank, &held, "99999999.99")];
    for (kind, from, to, most) in most.into_iter().chain([("WIRE-US", &held, &wired, "9999999999.99")]) {
        let _ = us.transfer(from, &transfer_to(kind, to, most)).send().await.ok();
        let above = if kind == "WIRE-US" { "10000000000.00" } else { "100000000.00" };
        let refused = us.transfer(from, &transfer_to(kind, to, above)).send().await.refused(400, "200");
        assert_eq!(refused["field"], "amount.amount", "{refused}");
        let told = refused["en"].as_str().expect("a sentence");
        assert!(told.contains(&format!("at most {most}")), "{told}");
    }
}
