//! Creation: the answer contains every field of the request, and a link to the record.

use std::time::Duration;

use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use serde_json::json;

use super::{own, statuses};

const DAY_MS: i64 = 86_400_000;

#[tokio::test]
async fn created_transaction_has_every_documented_field() {
    let app = TestApp::settling_after(Duration::from_mins(15)).await;
    let us = own(&app).await;
    let (from, to, ledger) =
        (us.funded("100").await, us.node("SUBACCOUNT-US").await, us.node("LEDGER-US").await);
    let body = json!({
        "to": {"type": "SUBACCOUNT-US", "id": to},
        "amount": {"amount": 20.1, "currency": "USD"},
        "extra": {"ip": "192.168.0.1", "supp_id": "s-1", "note": "Lunch", "process_on": null, "latlon": "1,2",
            "other": {"attachments": []}},
        "fees": [
            {"fee": 1.00, "note": "service", "to": {"id": ledger}},
            {"fee": 0.1, "to": {"id": ledger}},
        ],
    });
    let answer = us.transfer(&from, &body).send().await;
    for (path, text) in [("amount.amount", "20.10"), ("fees.0.fee", "1.00"), ("fees.1.fee", "0.10")] {
        assert_eq!(answer.raw(path), text);
    }
    let made = answer.ok();
    let (id, date) = (made["_id"].as_str().expect("an id"), made["timeline"][0]["date"].clone());
    let created_on = made["extra"]["created_on"].as_i64().expect("milliseconds");
    assert!(created_on > 1_600_000_000_000 && date == json!(created_on), "{made}");
    let created =
        json!({"date": date, "note": "Transaction Created.", "status": "CREATED", "status_id": "1"});
    let user = json!({"_id": us.user_id, "legal_names": ["Sandbox"]});
    let href = format!("http://{}/v3.1/users/{}/nodes/{from}/trans/{id}", app.address, us.user_id);
    let expected = json!({
        "_id": id,
        "_links": {"self": {"href": href}},
        "_v": 2,
        "amount": {"amount": 20.1, "currency": "USD"},
        "client": {"id": app.client.client_id, "name": "Sandbox"},
        "error_code": "0",
        "extra": {"created_on": created_on, "ip": "192.168.0.1", "latlon": "0,0", "note": "Lunch",
            "process_on": created_on, "supp_id": "s-1"},
        "fees": [
            {"fee": 1.0, "note": "service", "to": {"id": ledger}},
            {"fee": 0.1, "note": "", "to": {"id": ledger}},
        ],
        "from": {"id": from, "nickname": "My DEPOSIT-US", "type": "DEPOSIT-US", "user": user},
        "http_code": "200",
        "recent_status": created,
        "timeline": [created],
        "to": {"id": to, "nickname": "My SUBACCOUNT-US", "type": "SUBACCOUNT-US", "user": user},
    });
    assert_eq!(made, expected);
    assert_eq!(us.get_transaction(&from, id).await.ok(), made);
}

#[tokio::test]
async fn receiver_reads_transaction_by_its_own_node() {
    let app = TestApp::start().await;
    let (us, ada) = (own(&app).await, app.client.verified("Ada").await);
    let (from, to) = (us.funded("10").await, ada.node("DEPOSIT-US").await);
    let id = us.sent(&from, &to, "1.50").await;
    let sent = us.when(&from, &id, "SETTLED").await.ok();
    let received = ada.get_transaction(&to, &id).await.ok();
    for field in ["_id", "amount", "from", "to", "timeline", "recent_status", "extra", "fees"] {
        assert_eq!(received[field], sent[field], "{field}");
    }
    assert_eq!(sent["to"]["user"], json!({"_id": ada.user_id, "legal_names": ["Ada"]}));
    assert_eq!(ada.call("GET", "/trans").send().await.ok()["trans"][0]["_id"], id);
    // Each party reads it by its own node, and not by the node of the other party.
    ada.call_at("GET", &format!("/users/{}/nodes/{from}/trans/{id}", us.user_id))
        .send()
        .await
        .refused(404, "404");
    ada.get_transaction(&from, &id).await.refused(404, "404");
    us.get_transaction(&to, &id).await.refused(404, "404");
    ada.get_transaction(&ada.node("DEPOSIT-US").await, &id).await.refused(404, "404");
    // Sender and receiver may comment.
    let call = ada.call("PATCH", &format!("/nodes/{to}/trans/{id}"));
    let _ = call.json(&json!({"comment": "thanks"})).send().await.ok();
}

#[tokio::test]
async fn record_link_works_for_its_reader() {
    let app = TestApp::start().await;
    let (us, ada) = (own(&app).await, app.client.verified("Ada").await);
    let (from, to) = (us.funded("10").await, ada.node("DEPOSIT-US").await);
    let id = us.sent(&from, &to, "1").await;
    for (session, node) in [(&us, &from), (&ada, &to)] {
        let record = session.get_transaction(node, &id).await.ok();
        let href = record["_links"]["self"]["href"].as_str().expect("a link").to_owned();
        let path = href.strip_prefix(&format!("http://{}/v3.1", app.address)).expect("the base url");
        assert_eq!(session.call_at("GET", path).send().await.ok()["_id"], id);
    }
}

#[tokio::test]
async fn scheduled_transaction_holds_nothing_before_its_day() {
    let app = TestApp::start().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let mut body = transfer(&to, "10");
    body["extra"]["process_on"] = json!(2);
    let made = us.transfer(&from, &body).send().await.ok();
    let extra = &made["extra"];
    let wait = extra["process_on"].as_i64().expect("a day") - extra["created_on"].as_i64().expect("a day");
    assert_eq!(wait, 2 * DAY_MS);
    // The money that it will need can be spent until then.
    let other = us.sent(&from, &to, "10").await;
    us.when(&from, &other, "SETTLED").await;
    let id = made["_id"].as_str().expect("an id");
    assert_eq!(statuses(&us.get_transaction(&from, id).await.ok()), ["CREATED"]);
    assert_eq!((us.balance(&from).await, us.balance(&to).await), ("0.00".into(), "10.00".into()));
}
