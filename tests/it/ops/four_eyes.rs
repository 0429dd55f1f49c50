//! Four eyes: acts that the policy names need the approval of a second operator before they are executed.

use daybook_engine::access::parse_operator_id;
use serde_json::json;

use super::{Desk, names};

#[tokio::test]
async fn act_waits_for_second_operators_approval() {
    let desk = Desk::new().await;
    desk.approvals(&json!(["cancel"])).await;
    let (payment, from) = desk.payment().await;
    let asked = desk.act(&json!({"kind": "cancel", "trans_id": payment})).await.ok();
    assert_eq!((&asked["status"], &asked["reviewer"]), (&json!("WAITING"), &json!(null)));
    let status =
        async || desk.us.get_transaction(&from, &payment).await.ok()["recent_status"]["status"].clone();
    assert_eq!(status().await, "CREATED");
    let id = asked["_id"].as_str().expect("an id");
    let approve = format!("operations/{id}/approve");

    let waiting = desk.get("operations?waiting=yes").await.ok();
    assert_eq!((&waiting["operation_count"], &waiting["operations"][0]["_id"]), (&json!(1), &asked["_id"]));
    desk.post(&desk.ada, &approve, &json!({})).await.refused(401, "300");
    assert_eq!(status().await, "CREATED");

    let before = desk.head().await;
    let approved = desk.post(&desk.bob, &approve, &json!({})).await.ok();
    assert_eq!((&approved["status"], &approved["reviewer"]), (&json!("DONE"), &json!(desk.bob.operator_id)));
    assert_eq!(approved["by"], json!(desk.ada.operator_id));
    assert_eq!(names(&desk.since(before).await), ["operation.approved", "transaction.canceled"]);
    assert_eq!(status().await, "CANCELED");
    assert_eq!(desk.get("operations?waiting=yes").await.ok()["operation_count"], 0);
    desk.post(&desk.bob, &approve, &json!({})).await.refused(400, "410");
}

#[tokio::test]
async fn declined_act_is_not_executed() {
    let desk = Desk::new().await;
    desk.approvals(&json!(["lock"])).await;
    let node = desk.us.funded("5").await;
    let asked = desk.act(&json!({"kind": "lock_node", "node_id": node})).await.ok();
    let id = asked["_id"].as_str().expect("an id");
    let before = desk.head().await;
    let declined = desk.post(&desk.bob, &format!("operations/{id}/decline"), &json!({})).await.ok();
    assert_eq!(declined["status"], "DECLINED");
    assert_eq!(names(&desk.since(before).await), ["operation.declined"]);
    assert_eq!(desk.us.get_node(&node).await.ok()["allowed"], "CREDIT-AND-DEBIT");
    for verb in ["approve", "decline"] {
        desk.post(&desk.bob, &format!("operations/{id}/{verb}"), &json!({})).await.refused(400, "410");
    }
}

#[tokio::test]
async fn act_of_revoked_operator_is_declined() {
    let desk = Desk::new().await;
    desk.approvals(&json!(["lock"])).await;
    let node = desk.us.funded("5").await;
    let asked = desk.act(&json!({"kind": "lock_node", "node_id": node})).await.ok();
    let engine = &desk.app.service.engine;
    let ada = parse_operator_id(&desk.ada.operator_id).expect("an id");
    assert!(engine.access().revoke_operator(ada, engine.clock().now()).await.expect("is there"));
    let before = desk.head().await;
    let approve = format!("operations/{}/approve", asked["_id"].as_str().expect("an id"));
    let declined = desk.post(&desk.bob, &approve, &json!({})).await.ok();
    assert_eq!(
        (&declined["status"], &declined["reviewer"]),
        (&json!("DECLINED"), &json!(desk.bob.operator_id))
    );
    assert_eq!(names(&desk.since(before).await), ["operation.declined"]);
    assert_eq!(desk.us.get_node(&node).await.ok()["allowed"], "CREDIT-AND-DEBIT");
    desk.post(&desk.bob, &approve, &json!({})).await.refused(400, "410");
}

#[tokio::test]
async fn policy_decides_which_acts_need_approval() {
    let desk = Desk::new().await;
    desk.approvals(&json!(["lock", "set_policy"])).await;
    let node = desk.us.funded("5").await;
    let table = [
        (json!({"kind": "lock_node", "node_id": node}), "WAITING"),
        (json!({"kind": "lock_user", "user_id": desk.us.user_id}), "WAITING"),
        (json!({"kind": "unlock_node", "node_id": node}), "DONE"),
        (json!({"kind": "set_limits", "node_id": node, "limits": {}}), "DONE"),
        (json!({"kind": "set_policy", "policy": {}}), "WAITING"),
    ];
    for (act, status) in table {
        assert_eq!(desk.act(&act).await.ok()["status"], status, "{act}");
    }
}

#[tokio::test]
async fn impossible_act_keeps_waiting_for_review() {
    let desk = Desk::new().await;
    desk.approvals(&json!(["cancel"])).await;
    let (payment, _) = desk.payment().await;
    let asked = desk.act(&json!({"kind": "cancel", "trans_id": payment})).await.ok();
    let _ = desk.app.client.simulate(&payment, "settle", &json!({})).await.ok();
    let approve = format!("operations/{}/approve", asked["_id"].as_str().expect("an id"));
    desk.post(&desk.bob, &approve, &json!({})).await.refused(400, "410");
    assert_eq!(desk.get("operations?waiting=yes").await.ok()["operation_count"], 1);
}
