//! Deleted nodes: absent from lists and from new transactions, while their money stays accounted for.

use daybook_tests::bodies::{node, transfer, transfer_to};
use daybook_tests::client::until;
use serde_json::json;

use crate::world::World;

async fn listed(world: &World, id: &str) -> bool {
    let mine = world.us.call("GET", "/nodes?per_page=100").send().await.ok();
    let all = world.app.client.call("GET", "/nodes?per_page=100").send().await.ok();
    let is_in =
        |list: &serde_json::Value| list["nodes"].as_array().expect("a list").iter().any(|it| it["_id"] == id);
    assert_eq!(is_in(&mine), is_in(&all));
    is_in(&mine)
}

#[tokio::test]
async fn deleted_node_is_unlisted_but_readable() {
    let world = World::new().await;
    let id = world.us.node("DEPOSIT-US").await;
    assert!(listed(&world, &id).await);
    let deleted = world.us.call("DELETE", &format!("/nodes/{id}")).send().await.ok();
    assert_eq!((&deleted["_id"], &deleted["is_active"]), (&json!(id), &json!(false)));
    let notes: Vec<_> =
        deleted["timeline"].as_array().expect("a list").iter().map(|it| &it["note"]).collect();
    assert_eq!(notes, ["Node created.", "Node deactivated."]);
    assert!(!listed(&world, &id).await);
    assert_eq!(world.us.get_node(&id).await.ok(), deleted);
    let again = world.us.call("DELETE", &format!("/nodes/{id}")).send().await.ok();
    assert_eq!(again, deleted);
}

#[tokio::test]
async fn new_transactions_cannot_use_deleted_node() {
    let world = World::new().await;
    let (us, gone) = (&world.us, world.us.node("DEPOSIT-US").await);
    let fees = us.node("LEDGER-US").await;
    for id in [&gone, &fees] {
        let _ = us.call("DELETE", &format!("/nodes/{id}")).send().await.ok();
    }
    us.transfer(&gone, &transfer(&world.to, "1")).send().await.refused(404, "404");
    us.transfer(&world.node, &transfer(&gone, "1")).send().await.refused(404, "404");
    let mut with_fee = transfer(&world.to, "2");
    with_fee["fees"] = json!([{"fee": 1, "note": "x", "to": {"id": fees}}]);
    us.transfer(&world.node, &with_fee).send().await.refused(404, "404");
    world.app.client.credit(&gone, "1").await.refused(404, "404");
    world.app.client.debit(&gone, "1").await.refused(404, "404");
    us.call("GET", &format!("/nodes/{gone}/dummy-tran?is_credit=YES")).send().await.refused(404, "404");
}

#[tokio::test]
async fn deleted_node_keeps_money_and_pending_transactions() {
    let app = daybook_tests::app::TestApp::settling_after(std::time::Duration::from_mins(15)).await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    let id = us.sent(&from, &to, "40").await;
    for node in [&from, &to] {
        let _ = us.call("DELETE", &format!("/nodes/{node}")).send().await.ok();
    }
    let _ = app.client.simulate(&id, "settle", &json!({})).await.ok();
    assert_eq!(us.get_transaction(&to, &id).await.ok()["recent_status"]["status"], "SETTLED");
    assert_eq!(
        (us.numbers(&from).await, us.numbers(&to).await),
        ("60.00 0.00 60.00 0.00".into(), "40.00 0.00 40.00 0.00".into())
    );
    let back = json!({"code": "R01"});
    let _ = app.client.simulate(&id, "return", &back).await.ok();
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("100.00".into(), "0.00".into()));

    // An operator can move the remaining balance of a deleted node.
    let (ada, other) = (app.operator("Ada").await, us.node("DEPOSIT-US").await);
    let lines = json!([{"account": format!("node:{from}"), "amount": 100}, {"account": format!("node:{other}"), "amount": -100}]);
    let act = json!({"kind": "journal", "currency": "USD", "lines": lines});
    let path = format!("/platforms/{}/operations", app.client.client_id);
    let body = json!({"act": act, "reason": "The node was deleted."});
    let _ = ada.call("POST", &path).json(&body).send().await.ok();
    assert_eq!((us.balance(&from).await, us.balance(&other).await), ("0.00".into(), "100.00".into()));
}

#[tokio::test]
async fn only_owner_deletes_node_and_never_reserve() {
    let world = World::new().await;
    let eve = world.app.client.stranger("Eve").await;
    eve.call("DELETE", &format!("/nodes/{}", world.node)).send().await.refused(404, "404");
    let reserve = until("the reserve is listed", async || {
        let list = world.us.call("GET", "/nodes?type=RESERVE-US").send().await.ok();
        list["nodes"][0]["_id"].as_str().map(str::to_owned)
    })
    .await;
    let path = format!("/nodes/{reserve}");
    assert_eq!(world.us.call("DELETE", &path).send().await.refused(400, "410")["code"], "platform_reserve");
    assert_eq!(world.us.call("GET", &path).send().await.ok()["is_active"], true);
}

#[tokio::test]
async fn inactive_node_cannot_be_a_receiver() {
    let world = World::new().await;
    for kind in ["DEPOSIT-US", "ACH-US"] {
        let mut body = node(kind);
        body["is_active"] = json!(false);
        let made = world.us.create_node(&body).await.ok();
        let id = made["nodes"][0]["_id"].as_str().expect("an id");
        world.us.transfer(&world.node, &transfer_to(kind, id, "1")).send().await.refused(404, "404");
    }
}
