//! Content of webhook calls, and the events that cause one.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use daybook_tests::client::Session;
use serde_json::{Value, json};

use super::{Hook, SCOPES, Told};
use crate::subject::{Desk, close};

/// Returns the functions of the calls about a record, in order.
fn functions<'a>(told: &'a [Told], id: &str) -> Vec<&'a str> {
    told.iter().filter(|told| told.is_about(id)).map(Told::function).collect()
}

/// Checks that `_rest` equals the answer of a GET about the record at that position.
async fn is_what_was_served(us: &Session, told: &Told) {
    let rest = &told.body["_rest"];
    let path = rest["_links"]["self"]["href"].as_str().and_then(|href| href.split_once("/v3.1"));
    let path = format!("{}?at={}", path.expect("an address").1, told.position);
    let is_users = path.matches('/').count() == 2;
    let call = if is_users { us.client.call("GET", &path) } else { us.call_at("GET", &path) };
    let mut served = call.send().await.ok();
    let fields = served.as_object_mut().expect("a record");
    fields.retain(|field, _| !field.ends_with("_code"));
    if is_users {
        // The refresh token is not part of a past record, and is never sent to a receiver.
        assert_ne!(fields.insert("refresh_token".into(), json!("")), Some(json!("")));
    }
    assert_eq!(*rest, served, "{path}");
    // The other fields are the record again, in the notation of the original service's database.
    let mut beside = told.body.clone();
    let beside = beside.as_object_mut().expect("an object");
    for added in ["_rest", "webhook_meta", "position"] {
        beside.remove(added).expect("is there");
    }
    let fields = served.as_object_mut().expect("a record");
    fields.remove("_links");
    assert!(beside.keys().eq(fields.keys()), "{beside:?}");
    assert_eq!(beside["_id"], json!({"$oid": fields["_id"]}));
}

#[tokio::test]
async fn event_is_delivered_with_its_resulting_record() {
    let app = TestApp::start().await;
    let hook = Hook::all(&app).await;
    let us = app.client.verified("Maria").await;
    let (from, to) = (us.funded("100.00").await, us.node("DEPOSIT-US").await);
    let bank = us.bank().await;
    let subnet = us.subnet(&to).await["_id"].as_str().expect("an id").to_owned();
    let path = format!("/nodes/{to}/subnets/{subnet}");
    let _ = us.call("PATCH", &path).json(&json!({"nickname": "Rent"})).send().await.ok();
    let sent = us.sent(&from, &to, "12.30").await;
    us.when(&from, &sent, "SETTLED").await;
    let comment = json!({"comment": "Thanks"});
    let _ = us.call("PATCH", &format!("/nodes/{from}/trans/{sent}")).json(&comment).send().await.ok();
    let poor = us.sent(&to, &from, "500.00").await;
    us.when(&to, &poor, "CANCELED").await;
    let _ = us.call("DELETE", &format!("/nodes/{bank}")).send().await.ok();

    let told = hook.everything(&app).await;
    let settles = ["TRANS|POST", "TRAN|PATCH", "TRAN|PATCH", "TRAN|PATCH", "TRAN|PATCH"];
    assert_eq!(functions(&told, &sent), settles);
    assert_eq!(functions(&told, &poor)[0], "TRANS|POST");
    assert_eq!(functions(&told, &poor).last(), Some(&"TRAN|PATCH"));
    assert_eq!(functions(&told, &to), ["NODES|POST"], "what moves on it, its transactions tell");
    assert_eq!(functions(&told, &bank), ["NODES|POST", "NODE|PATCH", "NODE|PATCH", "NODE|DELETE"]);
    assert_eq!(functions(&told, &subnet), ["SUBNETS|POST", "SUBNET|PATCH"]);
    assert_eq!(functions(&told, &us.user_id)[0], "USERS|POST");
    assert!(functions(&told, &us.user_id)[1..].iter().all(|function| *function == "USER|PATCH"));

    let statuses = ["CREATED", "PROCESSING-DEBIT", "PROCESSING-CREDIT", "SETTLED", "SETTLED"];
    let of_it: Vec<&Told> = told.iter().filter(|told| told.is_about(&sent)).collect();
    for (told, status) in of_it.iter().zip(statuses) {
        assert_eq!(told.body["recent_status"]["status"], status);
        assert_eq!(told.body["recent_status"]["date"]["$date"], told.body["_rest"]["recent_status"]["date"]);
    }
    assert_eq!(of_it[4].body["_rest"]["recent_status"]["note"], "Transaction Settled. Thanks");
    let by = |index: usize| &of_it[index].body["webhook_meta"]["updated_by"];
    assert_eq!([by(0), by(1), by(4)], ["SELF", "BACKEND", "SELF"]);

    let events = app.events().await;
    for told in &told {
        let happened = &events[usize::try_from(told.position).expect("small") - 1];
        let meta = json!({
            "date": {"$date": happened.effective_at.ms()}, "function": told.function(),
            "log_id": told.prepared.event_id, "updated_by": told.body["webhook_meta"]["updated_by"],
        });
        assert_eq!((&told.body["webhook_meta"], &told.body["position"]), (&meta, &json!(told.position)));
        let is_ours =
            told.body["_rest"]["_links"]["self"]["href"].as_str().expect("a text").contains(&us.user_id);
        if is_ours {
            is_what_was_served(&us, told).await;
        }
    }
    let text = std::str::from_utf8(&of_it[0].prepared.call.body).expect("text");
    let amount = r#""amount":{"amount":12.30,"currency":"USD"}"#;
    assert_eq!(text.matches(amount).count(), 2, "amounts are the text that they are in the API: {text}");
}

#[tokio::test]
async fn subscription_receives_only_its_scopes() {
    let app = TestApp::start().await;
    let url = "http://localhost:9/hook";
    let other = app.platform("Other", true).await;
    let of_other = Hook::new(&app, &other, url, &SCOPES).await;
    let all = Hook::all(&app).await;
    let nodes =
        Hook::new(&app, &app.client, url, &["NODES|POST", "TRAN|DELETE", "NODE|GET", "USERS|POST"]).await;
    let us = app.client.verified("Maria").await;
    let (from, to) = (us.funded("5.00").await, us.node("DEPOSIT-US").await);
    let poor = us.sent(&from, &to, "500.00").await;
    us.when(&from, &poor, "CANCELED").await;

    let told = nodes.everything(&app).await;
    assert!(told.iter().all(|told| ["NODES|POST", "TRAN|DELETE", "USERS|POST"].contains(&told.function())));
    assert_eq!(functions(&told, &poor), ["TRAN|DELETE"]);
    assert_eq!(
        (functions(&told, &from), functions(&told, &us.user_id)),
        (vec!["NODES|POST"], vec!["USERS|POST"])
    );
    let of_us = |told: &[Told]| told.iter().any(|told| told.is_about(&from) || told.is_about(&poor));
    assert!(of_us(&all.everything(&app).await));
    assert!(!of_us(&of_other.everything(&app).await));
    // Scopes and activity of the subscription are those at the time when a call is prepared.
    all.change(&json!({"is_active": false})).await;
    assert!(all.everything(&app).await.is_empty());
    all.change(&json!({"is_active": true, "scope": ["NODES|POST"]})).await;
    assert!(all.everything(&app).await.iter().all(|told| told.function() == "NODES|POST"));
    let head = app.events().await.len() as u64;
    assert!(all.about(0).await.is_none() && all.about(head + 1).await.is_none());
}

#[tokio::test]
async fn erased_user_is_absent_from_calls() {
    let desk = Desk::new().await;
    let hook = Hook::all(&desk.app).await;
    let us = desk.app.client.verified("Maria Canary").await;
    let node = us.node("DEPOSIT-US").await;
    let text = |told: &[Told]| {
        let text = |told: &Told| String::from_utf8(told.prepared.call.body.to_vec()).expect("text");
        told.iter().map(text).collect::<String>()
    };
    let before = hook.everything(&desk.app).await;
    assert!(text(&before).contains("Maria Canary"));
    close(&us).await;
    desk.erase(&us.user_id).await.expect("erased");
    let after = hook.everything(&desk.app).await;
    assert!(!text(&after).to_lowercase().contains("canary"));
    let functions_before = functions(&before, &us.user_id);
    assert_eq!(functions(&after, &us.user_id)[..functions_before.len()], functions_before);
    assert_eq!(functions(&after, &node), ["NODES|POST"]);
    let last = after.iter().rfind(|told| told.is_about(&us.user_id)).expect("is told");
    assert_eq!(
        (last.function(), &last.body["webhook_meta"]["updated_by"]),
        ("USER|PATCH", &json!("BACKEND"))
    );
    assert_eq!(last.body["_rest"]["legal_names"], Value::Array(vec![]));
}

#[tokio::test]
async fn queued_creation_causes_two_calls() {
    let app = TestApp::start().await;
    let hook = Hook::all(&app).await;
    let us = app.client.verified("Maria").await;
    let (from, to) = (us.funded("5.00").await, app.client.stranger("Jose").await.node("DEPOSIT-US").await);
    let made = us.transfer(&from, &transfer(&to, "1.00")).send().await.ok();
    let id = made["_id"].as_str().expect("an id");
    us.when(&from, id, "QUEUED-BY-LEDGER").await;
    let told = hook.everything(&app).await;
    let of_it: Vec<_> = told.iter().filter(|told| told.is_about(id)).collect();
    let shown =
        |at: usize| (of_it[at].function(), of_it[at].body["recent_status"]["status"].as_str().unwrap_or(""));
    assert_eq!([shown(0), shown(1)], [("TRANS|POST", "CREATED"), ("TRAN|PATCH", "QUEUED-BY-LEDGER")]);
    let events = app.events().await;
    let recorded = |at: usize| events[usize::try_from(of_it[at].position).expect("small") - 1].recorded_at;
    assert_eq!(recorded(0), recorded(1), "of one commit");
}
