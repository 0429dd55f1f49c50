//! Subscriptions: what a platform wants to be called about, kept as it was said.

use daybook_domain::{Event, subscription};
use daybook_tests::app::TestApp;
use daybook_tests::client::Client;
use daybook_tests::http::Answer;
use serde_json::{Value, json};

const SCOPES: [&str; 17] = [
    "USERS|POST",
    "USER|PATCH",
    "NODES|POST",
    "NODE|PATCH",
    "NODE|DELETE",
    "TRANS|POST",
    "TRAN|PATCH",
    "TRAN|DELETE",
    "SUBNETS|POST",
    "SUBNET|PATCH",
    "USER|GET",
    "NODES|GET",
    "NODE|GET",
    "TRANS|GET",
    "TRAN|GET",
    "SUBNETS|GET",
    "SUBNET|GET",
];

async fn subscribe(client: &Client, url: &str, scope: &[&str]) -> Answer {
    client.call("POST", "/subscriptions").json(&json!({"url": url, "scope": scope})).send().await
}

async fn change(client: &Client, id: &Value, body: &Value) -> Answer {
    let id = id.as_str().expect("an id");
    client.call("PATCH", &format!("/subscriptions/{id}")).json(body).send().await
}

async fn get(client: &Client, id: &Value) -> Answer {
    let id = id.as_str().expect("an id");
    client.call("GET", &format!("/subscriptions/{id}")).send().await
}

#[tokio::test]
async fn the_record_has_every_field_of_the_contract() {
    let app = TestApp::start().await;
    let made =
        subscribe(&app.client, "https://example.com/hook?token=1", &["TRANS|POST", "USER|PATCH"]).await;
    assert!(made.headers.contains_key("x-daybook-position"));
    let made = made.ok();
    let id = made["_id"].as_str().expect("an id");
    let expected = json!({
        "_id": id, "_links": {"self": {"href": format!("http://{}/v3.1/subscriptions/{id}", app.address)}}, "_v": 2,
        "client_id": app.client.client_id, "is_active": true, "scope": ["TRANS|POST", "USER|PATCH"],
        "url": "https://example.com/hook?token=1", "error_code": "0", "http_code": "200",
    });
    assert_eq!(made, expected);
    assert_eq!(get(&app.client, &made["_id"]).await.ok(), made);
    let listed = app.client.call("GET", "/subscriptions").send().await.ok();
    let mut shown = made.clone();
    shown.as_object_mut().expect("a record").retain(|field, _| !field.ends_with("_code"));
    let expected = json!({
        "error_code": "0", "http_code": "200", "limit": 20, "page": 1, "page_count": 1, "subscriptions": [shown],
        "subscriptions_count": 1, "success": true,
    });
    assert_eq!(listed, expected);
}

#[tokio::test]
async fn every_scope_is_kept_in_the_order_in_which_it_was_given() {
    let app = TestApp::start().await;
    let all = subscribe(&app.client, "example.com", &SCOPES).await.ok();
    assert_eq!(all["scope"], json!(SCOPES));
    let odd = ["SUBNET|PATCH", "USERS|POST", "SUBNET|PATCH"];
    assert_eq!(subscribe(&app.client, "example.com", &odd).await.ok()["scope"], json!(odd));
    for scope in ["USERS|GET", "USERS|PATCH", "users|post", "USERS", "*", ""] {
        let error = subscribe(&app.client, "example.com", &["USERS|POST", scope]).await.refused(400, "200");
        assert_eq!(error["field"], "scope", "{scope}");
    }
    assert_eq!(subscribe(&app.client, "example.com", &[]).await.refused(400, "200")["field"], "scope");
}

#[tokio::test]
async fn what_is_said_changes_and_the_rest_stays() {
    let app = TestApp::start().await;
    let mut expected = subscribe(&app.client, "https://example.com", &["USERS|POST"]).await.ok();
    let id = expected["_id"].clone();
    let changes = [
        json!({"is_active": false}),
        json!({"is_active": false}),
        json!({"scope": ["TRAN|PATCH"]}),
        json!({"url": "test.com"}),
        json!({}),
        json!({"is_active": true, "url": "http://localhost:8080/x", "scope": ["NODE|DELETE", "USERS|POST"]}),
    ];
    for body in changes {
        for (field, value) in body.as_object().expect("an object") {
            expected[field] = value.clone();
        }
        assert_eq!(change(&app.client, &id, &body).await.ok(), expected);
        assert_eq!(get(&app.client, &id).await.ok(), expected);
    }
    let wrong = [("is_active", json!("no")), ("url", json!("ftp://a.b")), ("scope", json!([]))];
    for (field, value) in wrong {
        let error = change(&app.client, &id, &json!({field: value})).await.refused(400, "200");
        assert_eq!(error["field"], field);
    }
    assert_eq!(get(&app.client, &id).await.ok(), expected);
}

#[tokio::test]
async fn what_is_so_already_is_not_recorded_again() {
    let app = TestApp::start().await;
    let made = subscribe(&app.client, "https://example.com", &["USERS|POST"]).await.ok();
    let recorded = async || {
        let is_change = |event: &Event| matches!(event, Event::Subscription(subscription::Event::Changed(_)));
        app.events().await.iter().filter(|happened| is_change(&happened.event)).count()
    };
    let table = [
        (json!({"url": "https://example.com"}), 0),
        (json!({"url": "https://example.com", "is_active": true, "scope": ["USERS|POST"]}), 0),
        (json!({"url": "https://example.com/", "is_active": true}), 1),
        (json!({"url": "https://example.com/", "is_active": false}), 2),
    ];
    for (body, count) in table {
        let answer = change(&app.client, &made["_id"], &body).await.ok();
        assert_eq!((&answer["url"], recorded().await), (&body["url"], count), "{body}");
    }
}

#[tokio::test]
async fn outside_a_sandbox_addresses_are_called_by_https() {
    let app = TestApp::start().await;
    let real = app.platform("Real", false).await;
    for url in ["https://example.com", "example.com/hook"] {
        let made = subscribe(&real, url, &["USERS|POST"]).await.ok();
        let error = change(&real, &made["_id"], &json!({"url": "http://example.com"})).await;
        assert_eq!(error.refused(400, "200")["field"], "url");
    }
    assert_eq!(
        subscribe(&real, "http://example.com", &["USERS|POST"]).await.refused(400, "200")["field"],
        "url"
    );
    let _ = subscribe(&app.client, "http://example.com", &["USERS|POST"]).await.ok();
}

#[tokio::test]
async fn anothers_is_not_there() {
    let app = TestApp::start().await;
    let other = app.platform("Other", true).await;
    let mine = subscribe(&app.client, "example.com", &["USERS|POST"]).await.ok();
    get(&other, &mine["_id"]).await.refused(404, "404");
    change(&other, &mine["_id"], &json!({"is_active": false})).await.refused(404, "404");
    assert_eq!(other.call("GET", "/subscriptions").send().await.ok()["subscriptions_count"], 0);
    for id in ["x", &app.client.user_id] {
        get(&app.client, &json!(id)).await.refused(404, "404");
        change(&app.client, &json!(id), &json!({"is_active": false})).await.refused(404, "404");
    }
    assert_eq!(get(&app.client, &mine["_id"]).await.ok(), mine);
}
