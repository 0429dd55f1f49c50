//! Micro-deposits: paid by the reserve, and hidden from the user that must confirm their amounts.

use daybook_domain::{NodeId, States};
use daybook_tests::app::TestApp;
use serde_json::json;

use super::own;

#[tokio::test]
async fn sandbox_sends_two_ten_cent_micro_deposits() {
    let app = TestApp::start().await;
    let (us, ada) = (own(&app).await, app.client.verified("Ada").await);
    let made = ada.create_node(&daybook_tests::bodies::node("ACH-US")).await.ok();
    let node = &made["nodes"][0];
    assert_eq!(node["allowed"], "CREDIT");
    let notes: Vec<_> =
        node["timeline"].as_array().expect("a list").iter().map(|entry| &entry["note"]).collect();
    assert_eq!(notes, ["Node created.", "Micro deposits initiated."]);
    let reserve = us.call("GET", "/nodes?type=RESERVE-US").send().await;
    assert_eq!(reserve.raw("nodes.0.info.balance.amount"), "999999.80");
    // The platform can read the payments. The owner of the bank account cannot.
    let paid = us.transactions().await;
    let paid: Vec<_> = paid.iter().filter(|one| one["to"]["id"] == node["_id"]).collect();
    assert_eq!(paid.len(), 2);
    let bank = node["_id"].as_str().expect("an id");
    for one in paid {
        assert_eq!(
            (&one["amount"]["amount"], &one["recent_status"]["status"]),
            (&json!(0.1), &json!("SETTLED"))
        );
        let id = one["_id"].as_str().expect("an id");
        ada.get_transaction(bank, id).await.refused(404, "404");
        let comment = ada.call("PATCH", &format!("/nodes/{bank}/trans/{id}")).json(&json!({"comment": "?"}));
        comment.send().await.refused(404, "404");
        ada.cancel(bank, id).send().await.refused(404, "404");
    }
    assert!(ada.transactions().await.is_empty());
}

#[tokio::test]
async fn production_micro_deposits_are_random_amounts() {
    let app = TestApp::start().await;
    let production = app.platform("Production", false).await;
    let own = production.own_session().await;
    let mut seen = vec![];
    for _ in 0..6 {
        let id: NodeId = own.node("ACH-US").await.parse().expect("an id");
        let found =
            app.service.engine.reads().aggregates().records(daybook_engine::SHARD, &[id.into()]).await;
        let amounts = found.expect("it reads").node(id).and_then(|node| node.micro_deposits);
        seen.extend(amounts.expect("they were sent"));
    }
    assert!(seen.iter().all(|minor| (1..=100).contains(minor)), "{seen:?}");
    seen.sort_unstable();
    seen.dedup();
    assert!(seen.len() > 3, "{seen:?}");
}
