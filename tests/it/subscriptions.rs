//! Subscriptions of a platform to webhooks: their creation, change and secret.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use daybook_domain::{Event, subscription};
use daybook_engine::access::{ClientSecret, PlatformRecord};
use daybook_tests::app::TestApp;
use daybook_tests::client::Client;
use daybook_tests::http::Answer;
use serde_json::{Value, json};

use crate::bank_login::secrecy::spellings;
use crate::privacy::dump;

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

/// Returns true for a secret of 32 bytes in the form of Standard Webhooks.
fn is_secret(value: &Value) -> bool {
    let secret = value.as_str().and_then(|text| text.strip_prefix("whsec_"));
    secret.and_then(|text| STANDARD.decode(text).ok()).is_some_and(|bytes| bytes.len() == 32)
}

async fn get(client: &Client, id: &Value) -> Answer {
    let id = id.as_str().expect("an id");
    client.call("GET", &format!("/subscriptions/{id}")).send().await
}

#[tokio::test]
async fn subscription_record_has_every_documented_field() {
    let app = TestApp::start().await;
    let made =
        subscribe(&app.client, "https://example.com/hook?token=1", &["TRANS|POST", "USER|PATCH"]).await;
    assert!(made.headers.contains_key("x-daybook-position"));
    let mut made = made.ok();
    let secret = made.as_object_mut().expect("a record").remove("secret").expect("is told once");
    assert!(is_secret(&secret), "{secret}");
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
async fn subscription_keeps_scopes_in_given_order() {
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
async fn subscription_update_changes_only_given_fields() {
    let app = TestApp::start().await;
    let mut expected = subscribe(&app.client, "https://example.com", &["USERS|POST"]).await.ok();
    expected.as_object_mut().expect("a record").remove("secret");
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
async fn unchanged_subscription_fields_record_no_event() {
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
async fn production_subscription_requires_https() {
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
async fn webhook_secret_is_returned_once_and_unstored() {
    let app = TestApp::start().await;
    let made = subscribe(&app.client, "https://example.com", &["USERS|POST"]).await.ok();
    let other = subscribe(&app.client, "https://example.com", &["USERS|POST"]).await.ok();
    let rotate = json!({"rotate_secret": true});
    let rotated = change(&app.client, &made["_id"], &rotate).await.ok();
    let again = change(&app.client, &made["_id"], &rotate).await.ok();
    let secrets = [&made, &other, &rotated, &again].map(|record| record["secret"].clone());
    assert!(secrets.iter().all(is_secret), "{secrets:?}");
    let distinct: BTreeSet<_> = secrets.iter().map(Value::to_string).collect();
    assert_eq!(distinct.len(), secrets.len());
    let path = format!("/subscriptions/{}?dry_run=true", made["_id"].as_str().expect("an id"));
    let dry = app.client.call("PATCH", &path).json(&rotate).send().await.ok()["secret"].clone();
    let next = change(&app.client, &made["_id"], &rotate).await.ok()["secret"].clone();
    assert!(is_secret(&dry) && dry != next, "a dry run gives away no secret");
    for body in [json!({"rotate_secret": false}), json!({"is_active": false}), json!({"url": "https://a.b"})]
    {
        assert!(change(&app.client, &made["_id"], &body).await.ok().get("secret").is_none(), "{body}");
    }
    assert!(get(&app.client, &made["_id"]).await.ok().get("secret").is_none());
    let is_rotation = |event: &Event| match event {
        Event::Subscription(subscription::Event::Changed(changed)) => changed.secret_generation,
        _ => None,
    };
    let generations: Vec<u32> =
        app.events().await.iter().filter_map(|happened| is_rotation(&happened.event)).collect();
    assert_eq!(generations, [1, 2, 3]);
    let bytes = |secret: &Value| STANDARD.decode(&secret.as_str().expect("text")[6..]).expect("base64");
    let secrets = secrets.iter().map(bytes).chain([b"client_secret_Sandbox".to_vec()]);
    let stored = dump(&app.database).await;
    for spelling in secrets.flat_map(|secret| spellings(&secret)) {
        let is_there = |rows: &str| rows.to_lowercase().contains(&spelling);
        let table = stored.iter().find(|(_, rows)| is_there(rows)).map(|(table, _)| table);
        assert_eq!(table, None, "{spelling}");
    }
}

#[tokio::test]
async fn client_secret_opens_for_its_platform_only() {
    let app = TestApp::start().await;
    let other = app.platform("Other", false).await;
    let access = app.service.engine.access();
    let record = async |client: &Client| {
        let found = access.platform_of_client(&client.client_id).await.expect("the database is there");
        found.expect("it was made").as_ref().clone()
    };
    let (mine, theirs) = (record(&app.client).await, record(&other).await);
    let now = app.service.engine.clock().now();
    let opened = access.client_secret(&mine, now).expect("opens").expect("was kept");
    assert_eq!(format!("{}|{}", mine.client_id, opened.expose()), app.client.gateway());
    let swapped = PlatformRecord { secrets: theirs.secrets.clone(), ..mine.clone() };
    assert!(access.client_secret(&swapped, now).is_err());
    // During a rotation receivers use the previous secret, afterwards the new one, and none if all are revoked.
    let mut rotated = mine.clone();
    rotated.secrets.insert(0, ClientSecret { number: 0, good_until: Some(now), ..theirs.secrets[0].clone() });
    assert!(access.client_secret(&rotated, now).expect("opens").is_some());
    assert!(access.client_secret(&rotated, now.plus_ms(-1)).is_err(), "the one before is another client's");
    rotated.secrets[1].revoked_at = Some(now);
    assert!(access.client_secret(&rotated, now).expect("is no failure").is_none());
    // Secrets of earlier releases are stored without a sealed copy.
    let mut old = mine;
    old.secrets[0].sealed = None;
    assert!(access.client_secret(&old, now).expect("is no failure").is_none());
}

#[tokio::test]
async fn subscription_of_another_platform_is_not_found() {
    let app = TestApp::start().await;
    let other = app.platform("Other", true).await;
    let mut mine = subscribe(&app.client, "example.com", &["USERS|POST"]).await.ok();
    mine.as_object_mut().expect("a record").remove("secret");
    get(&other, &mine["_id"]).await.refused(404, "404");
    change(&other, &mine["_id"], &json!({"is_active": false})).await.refused(404, "404");
    assert_eq!(other.call("GET", "/subscriptions").send().await.ok()["subscriptions_count"], 0);
    for id in ["x", &app.client.user_id] {
        get(&app.client, &json!(id)).await.refused(404, "404");
        change(&app.client, &json!(id), &json!({"is_active": false})).await.refused(404, "404");
    }
    assert_eq!(get(&app.client, &mine["_id"]).await.ok(), mine);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn platform_has_at_most_hundred_subscriptions() {
    let app = TestApp::start().await;
    let one = |key: usize| {
        let body = json!({"url": "https://example.com/hook", "scope": ["USERS|POST"]});
        app.client.call("POST", "/subscriptions").json(&body).key(&key.to_string()).send()
    };
    for key in 3..100 {
        one(key).await.ok();
    }
    // The calls are concurrent: each subscription is counted before the next is created.
    let last = futures::future::join_all((100..106).map(one)).await;
    let (made, refused): (Vec<_>, Vec<_>) = last.into_iter().partition(|answer| answer.status == 200);
    assert_eq!(made.len(), 3);
    for answer in refused {
        answer.refused(409, "400");
    }
    assert_eq!(app.client.call("GET", "/subscriptions").send().await.ok()["subscriptions_count"], 100);
    let again = one(3).await;
    assert_eq!(again.json()["error"]["code"], "idempotency_key_used", "{}", again.text());
    let other = app.platform("Other", true).await;
    subscribe(&other, "example.com", &["USERS|POST"]).await.ok();
}
