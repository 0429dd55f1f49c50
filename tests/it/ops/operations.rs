//! Operations: each act is executed, recorded as an event, and names its operator.

use serde_json::{Value, json};

use super::{Desk, names};
use crate::privacy::{assert_nowhere, dump};

#[tokio::test]
async fn each_act_records_event_with_its_operator() {
    let desk = Desk::new().await;
    let (payment, node) = desk.payment().await;
    let (returned, _) = desk.payment().await;
    let _ = desk.app.client.simulate(&returned, "settle", &json!({})).await.ok();
    let user = &desk.us.user_id;
    let lines =
        json!([{"account": format!("node:{node}"), "amount": 1.5}, {"account": "suspense", "amount": -1.5}]);
    let table = [
        (json!({"kind": "queue", "trans_id": payment, "code": "Q46"}), "transaction.queued"),
        (json!({"kind": "release", "trans_id": payment}), "transaction.released"),
        (json!({"kind": "cancel", "trans_id": payment}), "transaction.canceled"),
        (json!({"kind": "return", "trans_id": returned, "code": "R01"}), "transaction.returned"),
        (json!({"kind": "journal", "currency": "USD", "lines": lines}), "operation.journaled"),
        (json!({"kind": "lock_node", "node_id": node}), "node.locked"),
        (json!({"kind": "unlock_node", "node_id": node}), "node.unlocked"),
        (json!({"kind": "lock_user", "user_id": user}), "user.locked"),
        (json!({"kind": "unlock_user", "user_id": user}), "user.unlocked"),
        (json!({"kind": "set_limits", "node_id": node, "limits": {"USD": {"floor": -5}}}), "node.limits_set"),
        (json!({"kind": "set_policy", "policy": {"approvals": []}}), "platform.policy_set"),
    ];
    let operator = desk.ada.operator_id.replace("operator_id_", "operator:");
    for (act, event) in table {
        let before = desk.head().await;
        let made = desk.act(&act).await.ok();
        assert_eq!((&made["status"], &made["by"]), (&json!("DONE"), &json!(desk.ada.operator_id)), "{made}");
        assert_eq!(made["reason"], "A ticket asks for it.");
        let events = desk.since(before).await;
        assert_eq!(names(&events), ["operation.requested", event], "{act}");
        if event != "operation.journaled" {
            let told: Value =
                serde_json::from_slice(&events[1].event.encode().expect("encodes").data).expect("JSON");
            assert_eq!(told["origin"]["by"], json!(operator), "{told}");
        }
        let id = made["_id"].as_str().expect("an id");
        assert_eq!(desk.get(&format!("operations/{id}")).await.ok(), made);
    }
    let listed = desk.get("operations").await.ok();
    assert_eq!(
        (&listed["operation_count"], &listed["operations"][3]["kind"]),
        (&json!(11), &json!("return"))
    );
    assert_eq!(desk.us.numbers(&node).await, "98.50 0.00 98.50 0.00");
}

#[tokio::test]
async fn queued_transaction_is_listed_with_its_cause() {
    let desk = Desk::new().await;
    let (payment, node) = desk.payment().await;
    assert_eq!(desk.get("queued").await.ok()["queued_count"], 0);
    let _ = desk.act(&json!({"kind": "queue", "trans_id": payment})).await.ok();
    let listed = desk.get("queued").await.ok();
    let queued = &listed["queued"][0];
    assert_eq!((&listed["queued_count"], &queued["_id"]), (&json!(1), &json!(payment)), "{listed}");
    assert_eq!(queued["reasons"], json!([{"code": "Q10", "reason": "risk"}]));
    assert_eq!((&queued["from"]["id"], &queued["from"]["type"]), (&json!(node), &json!("DEPOSIT-US")));
    let _ = desk.act(&json!({"kind": "release", "trans_id": payment})).await.ok();
    assert_eq!(desk.get("queued").await.ok()["queued_count"], 0);
}

#[tokio::test]
async fn refused_act_records_no_event() {
    let desk = Desk::new().await;
    let (payment, node) = desk.payment().await;
    let before = desk.head().await;
    let journal = |account: &str, amount: &str| {
        let lines = format!(
            r#"[{{"account": "{account}", "amount": {amount}}}, {{"account": "suspense", "amount": -1}}]"#
        );
        let lines: Value = serde_json::from_str(&lines).expect("JSON");
        json!({"kind": "journal", "currency": "USD", "lines": lines})
    };
    let table = [
        (journal("bank.fbo.sandbox", "1"), 409, "400"),
        (journal("transit", "1"), 409, "400"),
        (journal(&format!("node:{node}"), "1.01"), 400, "200"),
        (journal("node:00000000000000000000000001", "1"), 409, "400"),
        (json!({"kind": "return", "trans_id": payment, "code": "R01"}), 400, "410"),
        (json!({"kind": "release", "trans_id": payment}), 400, "410"),
        (json!({"kind": "cancel", "trans_id": "00000000000000000000000001"}), 404, "404"),
    ];
    for (act, status, code) in table {
        desk.act(&act).await.refused(status, code);
    }
    let nobody = desk.ada.call("POST", "/platforms/nobody/operations");
    nobody
        .json(&json!({"act": {"kind": "release", "trans_id": payment}, "reason": "x"}))
        .send()
        .await
        .refused(404, "404");
    assert_eq!(desk.head().await, before);
}

#[tokio::test]
async fn operation_of_another_platform_is_not_found() {
    let desk = Desk::new().await;
    let (payment, _) = desk.payment().await;
    let made = desk.act(&json!({"kind": "queue", "trans_id": payment})).await.ok();
    let other = desk.app.platform("Other", true).await;
    let id = made["_id"].as_str().expect("an id");
    let path = format!("/platforms/{}/operations", other.client_id);
    desk.ada.get(&format!("{path}/{id}")).await.refused(404, "404");
    desk.bob.call("POST", &format!("{path}/{id}/approve")).json(&json!({})).send().await.refused(404, "404");
    let act = json!({"act": {"kind": "release", "trans_id": payment}, "reason": "x"});
    desk.ada.call("POST", &path).json(&act).send().await.refused(404, "404");
}

#[tokio::test]
async fn repeated_idempotency_key_creates_no_second_operation() {
    let desk = Desk::new().await;
    let (payment, _) = desk.payment().await;
    let body = json!({"act": {"kind": "queue", "trans_id": payment}, "reason": "x"});
    let call = desk.ada.call("POST", &desk.path("operations")).key("k1").json(&body);
    let made = call.clone().send().await.ok();
    assert_eq!(call.send().await.refused(409, "400")["original_id"], made["_id"]);
}

#[tokio::test]
async fn reasons_and_descriptions_are_stored_encrypted() {
    let desk = Desk::new().await;
    let (payment, _) = desk.payment().await;
    let body = json!({"act": {"kind": "queue", "trans_id": payment}, "reason": "canary-reason-of-ada"});
    let _ = desk.post(&desk.ada, "operations", &body).await.ok();
    let today = super::statements::today(&desk).await;
    let text = super::statements::statement(&today, "0", "7", &[("1", "7", "", "canary-of-the-bank")]);
    let _ = desk.send("statements", &text).await.ok();
    let dumped = dump(&desk.app.database).await;
    for canary in ["canary-reason-of-ada", "canary-of-the-bank"] {
        assert_nowhere(&dumped, canary);
    }
}
