//! OAuth: a refresh token and a known device return a key. An unknown device must show a PIN first.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::person;
use daybook_tests::client::{Client, DEVICE};
use daybook_tests::http::Answer;
use daybook_tests::shard;
use futures::future::join_all;
use serde_json::{Value, json};

const ALL_SCOPES: [&str; 16] = [
    "USER|PATCH",
    "USER|GET",
    "NODES|POST",
    "NODES|GET",
    "NODE|GET",
    "NODE|PATCH",
    "NODE|DELETE",
    "TRANS|POST",
    "TRANS|GET",
    "TRAN|GET",
    "TRAN|PATCH",
    "TRAN|DELETE",
    "SUBNETS|POST",
    "SUBNETS|GET",
    "SUBNET|GET",
    "SUBNET|PATCH",
];

/// Creates a user and returns its id and refresh token.
async fn user(client: &Client) -> (String, String) {
    let user = client.create_user(&person("Ada Lovelace")).await.ok();
    let text = |field: &str| user[field].as_str().expect("text").to_owned();
    (text("_id"), text("refresh_token"))
}

/// Checks that the answer is a challenge (202), and returns its body.
#[track_caller]
fn challenge(answer: &Answer) -> Value {
    let body = answer.json();
    assert_eq!(answer.status, 202, "{body}");
    assert_eq!((&body["error_code"], &body["http_code"]), (&json!("10"), &json!("202")), "{body}");
    body
}

#[tokio::test]
async fn oauth_record_has_every_documented_field() {
    let app = TestApp::start().await;
    let (id, token) = user(&app.client).await;
    let mut key = app.client.oauth(&id, &json!({"refresh_token": token})).await.ok();
    let expires_at: i64 =
        key["expires_at"].take().as_str().and_then(|text| text.parse().ok()).expect("seconds");
    assert!(expires_at > 1_600_000_000 && expires_at < 100_000_000_000, "{expires_at}");
    assert!(key["oauth_key"].take().as_str().is_some_and(|key| key.len() >= 64));
    let expected = json!({
        "client_id": app.client.client_id, "client_name": "Sandbox", "error_code": "0", "expires_at": null,
        "expires_in": "7200", "http_code": "200", "oauth_key": null, "refresh_expires_in": 10,
        "refresh_token": token, "scope": ALL_SCOPES, "user_id": id,
    });
    assert_eq!(key, expected);
}

#[tokio::test]
async fn key_has_the_requested_scopes() {
    let app = TestApp::start().await;
    let (id, token) = user(&app.client).await;
    let ask =
        async |scope: Value| app.client.oauth(&id, &json!({"refresh_token": token, "scope": scope})).await;
    assert_eq!(ask(json!(["TRANS|GET", "USER|GET"])).await.ok()["scope"], json!(["USER|GET", "TRANS|GET"]));
    assert_eq!(ask(json!(null)).await.ok()["scope"], json!(ALL_SCOPES));
    for (scope, field) in
        [(json!(["USERS|GET"]), "scope"), (json!("USER|GET"), "scope"), (json!([1]), "scope[0]")]
    {
        assert_eq!(ask(scope).await.refused(400, "200")["field"], field);
    }
}

#[tokio::test]
async fn unknown_refresh_token_is_a_conflict() {
    let app = TestApp::start().await;
    let (id, token) = user(&app.client).await;
    let (_, others) = user(&app.client).await;
    for wrong in ["nonsense", &others, &token.to_uppercase(), &format!("{token}0"), &token[..token.len() - 1]]
    {
        app.client.oauth(&id, &json!({"refresh_token": wrong})).await.refused(409, "400");
    }
    for missing in [json!({}), json!({"refresh_token": null}), json!({"refresh_token": ""})] {
        assert_eq!(app.client.oauth(&id, &missing).await.refused(400, "200")["field"], "refresh_token");
    }
}

#[tokio::test]
async fn user_of_another_platform_is_not_found() {
    let app = TestApp::start().await;
    let other = app.platform("Other", true).await;
    let (id, token) = user(&app.client).await;
    let body = json!({"refresh_token": token});
    other.oauth(&id, &body).await.refused(404, "404");
    app.client.oauth("00000000000000000000000000", &body).await.refused(404, "404");
    app.client.anonymous("POST", &format!("/oauth/{id}")).json(&body).send().await.refused(401, "100");
}

#[tokio::test]
async fn refresh_token_rotates_and_previous_stays_valid() {
    let app = TestApp::start().await;
    let (id, first) = user(&app.client).await;
    let use_it = async |token: &str| app.client.oauth(&id, &json!({"refresh_token": token})).await;
    let current = async || app.client.user(&id).await["refresh_token"].as_str().expect("a token").to_owned();
    // A call that returns no key is not counted as a use.
    use_it("nonsense").await.refused(409, "400");
    for _ in 0..9 {
        assert_eq!(use_it(&first).await.ok()["refresh_token"], first);
        assert_eq!(current().await, first);
    }
    let tenth = use_it(&first).await.ok();
    let second = current().await;
    assert_ne!(second, first);
    assert_eq!(tenth["refresh_token"], second);
    // The previous token is valid until the next rotation, ten uses later. Uses of both tokens count.
    for token in [&first, &second, &first, &second, &second, &second, &second, &second, &second] {
        assert_eq!(use_it(token).await.ok()["refresh_token"], second);
    }
    let _ = use_it(&second).await.ok();
    let third = current().await;
    assert!(third != second && third != first);
    use_it(&first).await.refused(409, "400");
    let _ = use_it(&second).await.ok();
    let _ = use_it(&third).await.ok();
}

#[tokio::test]
async fn concurrent_token_uses_are_all_counted() {
    let app = TestApp::start().await;
    let (id, first) = user(&app.client).await;
    let body = json!({"refresh_token": first});
    let uses = join_all((0..10).map(|_| app.client.oauth(&id, &body))).await;
    for answer in uses {
        let _ = answer.ok();
    }
    let second = app.client.user(&id).await["refresh_token"].clone();
    assert_ne!(second, json!(first));
    // Nine more uses belong to the same generation of the token.
    let body = json!({"refresh_token": second});
    let uses = join_all((0..9).map(|_| app.client.oauth(&id, &body))).await;
    assert!(uses.iter().all(|answer| answer.ok()["refresh_token"] == second));
    assert_eq!(app.client.user(&id).await["refresh_token"], second);
}

#[tokio::test]
async fn oauth_call_ignores_idempotency_key() {
    let app = TestApp::start().await;
    let (id, token) = user(&app.client).await;
    for _ in 0..2 {
        let call = app.client.call("POST", &format!("/oauth/{id}")).key("k1");
        let _ = call.json(&json!({"refresh_token": token})).send().await.ok();
    }
}

#[tokio::test]
async fn new_device_must_show_a_pin() {
    let app = TestApp::start().await;
    let (id, token) = user(&app.client).await;
    let ask = async |device: &str, mut body: Value| {
        body["refresh_token"] = json!(token);
        app.client.oauth_from(device, &id, &body).await
    };
    let body = challenge(&ask("device-2", json!({})).await);
    assert!(body["error"]["en"].is_string(), "{body}");
    assert_eq!(body["success"], false);
    assert_eq!(body["phone_numbers"], json!(["901.111.1111", "Ada.Lovelace@example.com"]));
    assert!(body.get("oauth_key").is_none());

    for contact in ["901.111.1111", "Ada.Lovelace@example.com"] {
        let body = challenge(&ask("device-2", json!({"phone_number": contact})).await);
        assert!(body["message"]["en"].is_string() && body.get("error").is_none(), "{body}");
        assert_eq!(body["success"], true);
    }
    let elsewhere = ask("device-2", json!({"phone_number": "555-0199"})).await;
    assert_eq!(elsewhere.refused(400, "200")["field"], "phone_number");

    ask("device-2", json!({"validation_pin": "654321"})).await.refused(409, "400");
    challenge(&ask("device-2", json!({})).await);
    let _ = ask("device-2", json!({"validation_pin": "123456"})).await.ok();
    for device in ["device-2", DEVICE] {
        let _ = ask(device, json!({})).await.ok();
    }
    let with_both = json!({"phone_number": "901.111.1111", "validation_pin": "123456"});
    let _ = ask("device-3", with_both).await.ok();
    challenge(&ask("static_pin", json!({})).await);
}

#[tokio::test]
async fn call_without_device_needs_no_pin() {
    let app = TestApp::start().await;
    let (id, token) = user(&app.client).await;
    let body = json!({"refresh_token": token});
    let call = || app.client.call("POST", &format!("/oauth/{id}")).json(&body);
    for header in ["|", "", "oauth_of_somebody_else|", "oauth_of_somebody_else"] {
        let _ = call().header("X-SP-USER", header).send().await.ok();
    }
    let _ = call().send().await.ok();
    // A device name is arbitrary text and may contain pipes.
    challenge(&call().header("X-SP-USER", "|é|x").send().await);
}

#[tokio::test]
async fn device_is_known_to_one_user_only() {
    let app = TestApp::start().await;
    let (ada, token) = user(&app.client).await;
    let (bob, bobs) = user(&app.client).await;
    let body = json!({"refresh_token": token, "validation_pin": "123456"});
    let _ = app.client.oauth_from("device-2", &ada, &body).await.ok();
    challenge(&app.client.oauth_from("device-2", &bob, &json!({"refresh_token": bobs})).await);
}

#[tokio::test]
async fn only_valid_keys_open_user_paths() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let call = |key: &str| ada.call("GET", "/nodes").header("X-SP-USER", key);
    let _ = call(&ada.oauth_key).send().await.ok();
    let _ = call(&format!("{}|any device at all", ada.oauth_key)).send().await.ok();
    for none in ["", "|", "|device-1"] {
        call(none).send().await.refused(401, "300");
    }
    call("x").without("X-SP-USER").send().await.refused(401, "300");
    for wrong in ["x", "x|y", &format!("{}0", ada.oauth_key), &ada.oauth_key[1..], &app.client.client_secret]
    {
        call(wrong).send().await.refused(401, "110");
    }
    // The platform's credentials are optional here. If present, they must be valid and of the user's platform.
    let other = app.platform("Other", true).await;
    let with = |gateway: String| ada.call("GET", "/nodes").header("X-SP-GATEWAY", gateway);
    let _ = with(app.client.gateway()).send().await.ok();
    with(format!("{}|wrong", app.client.client_id)).send().await.refused(401, "100");
    with(other.gateway()).send().await.refused(401, "100");
}

/// Returns a platform in production, a user with a registered device, and a user without one (id and refresh token
/// of each).
async fn in_production(app: &TestApp) -> (Client, (String, String), (String, String)) {
    let client = app.platform("Earnest", false).await;
    let with = user(&client).await;
    let without = client.call("POST", "/users").json(&person("Bob Babbage")).send().await.ok();
    let text = |field: &str| without[field].as_str().expect("text").to_owned();
    (client.clone(), with, (text("_id"), text("refresh_token")))
}

#[tokio::test]
async fn production_refuses_an_unnamed_device() {
    let app = TestApp::start().await;
    let (client, (id, token), (bare, bares)) = in_production(&app).await;
    let ask = |id: &str, token: &str| {
        client.call("POST", &format!("/oauth/{id}")).json(&json!({"refresh_token": token}))
    };
    for header in ["|", "", "oauth_of_somebody_else|", "|device-2"] {
        ask(&id, &token).header("X-SP-USER", header).send().await.refused(400, "120");
    }
    ask(&id, &token).send().await.refused(400, "120");
    let pin = json!({"refresh_token": token, "validation_pin": "123456"});
    client.call("POST", &format!("/oauth/{id}")).json(&pin).send().await.refused(400, "120");
    let _ = ask(&id, &token).header("X-SP-USER", format!("|{DEVICE}")).send().await.ok();
    // A user without a registered device may call from any device.
    let _ = ask(&bare, &bares).send().await.ok();
}

#[tokio::test]
async fn public_key_requires_a_known_device() {
    let app = TestApp::start().await;
    let (id, token) = user(&app.client).await;
    let issued = app.client.call("GET", "/client?issue_public_key=YES&scope=OAUTH|POST").send().await.ok();
    let key = format!("|{}", issued["public_key_obj"]["public_key"].as_str().expect("a key"));
    let ask = |device: &str| {
        let call = app.client.anonymous("POST", &format!("/oauth/{id}")).header("X-SP-GATEWAY", &key);
        call.header("X-SP-USER", format!("|{device}")).json(&json!({"refresh_token": token}))
    };
    ask("").send().await.refused(400, "120");
    challenge(&ask("device-2").send().await);
    let made = ask(DEVICE).send().await.ok();
    let made = made["oauth_key"].as_str().expect("a key");
    let call = |device: &str| {
        let call = app.client.anonymous("GET", &format!("/users/{id}/nodes"));
        call.header("X-SP-USER", format!("{made}|{device}"))
    };
    call("").send().await.refused(400, "120");
    let _ = call(DEVICE).send().await.ok();
}

#[tokio::test]
async fn production_key_works_from_its_device_only() {
    let app = TestApp::start().await;
    let (client, (id, token), _) = in_production(&app).await;
    let made = client.oauth(&id, &json!({"refresh_token": token})).await.ok();
    let key = made["oauth_key"].as_str().expect("a key");
    let call = |user: String| {
        client.anonymous("GET", &format!("/users/{id}/nodes")).header("X-SP-USER", user).send()
    };
    let _ = call(format!("{key}|{DEVICE}")).await.ok();
    // A call that names no device does not count as a guess: the key stays valid.
    for none in [format!("{key}|"), key.to_owned()] {
        call(none).await.refused(400, "120");
    }
    let _ = call(format!("{key}|{DEVICE}")).await.ok();
    call(format!("{key}|device-2")).await.refused(400, "120");
    call(format!("{key}|{DEVICE}")).await.refused(401, "110");
    app.service.engine.access().forget_sessions(shard());
    call(format!("{key}|{DEVICE}")).await.refused(401, "110");
    let _ = client.oauth(&id, &json!({"refresh_token": token})).await.ok();
}

#[tokio::test]
async fn key_stored_without_device_stays_valid() {
    let app = TestApp::start().await;
    let (client, (id, token), _) = in_production(&app).await;
    let made = client.oauth(&id, &json!({"refresh_token": token})).await.ok();
    // Keys of earlier releases are stored without a fingerprint.
    app.database.execute("update oauth_key set fingerprint = null").await;
    let key = made["oauth_key"].as_str().expect("a key");
    let call = client.anonymous("GET", &format!("/users/{id}/nodes"));
    let _ = call.header("X-SP-USER", format!("{key}|device-2")).send().await.ok();
}

#[tokio::test]
async fn five_wrong_pins_block_new_devices() {
    let app = TestApp::start().await;
    let (ada, token) = user(&app.client).await;
    let (bob, bobs) = user(&app.client).await;
    let show = async |device: usize, id: &str, token: &str, pin: &str| {
        let body = json!({"refresh_token": token, "validation_pin": pin});
        app.client.oauth_from(&format!("new-{device}"), id, &body).await
    };
    // The guesses come from twenty devices at the same time.
    let guesses = join_all((0..20).map(|device| show(device, &ada, &token, "654321"))).await;
    let judged = guesses.iter().filter(|answer| answer.status == 409).count();
    assert_eq!(judged, 5);
    let told = guesses.iter().find(|answer| answer.status != 409).expect("more than five");
    told.refused(429, "429");
    let wait: u64 = told.headers["retry-after"].to_str().expect("text").parse().expect("seconds");
    assert!((880..=901).contains(&wait), "{wait}");
    show(30, &ada, &token, "123456").await.refused(429, "429");
    // Neither the user's own device nor another user is blocked.
    let _ = app.client.oauth(&ada, &json!({"refresh_token": token})).await.ok();
    for device in 0..8 {
        let _ = show(device, &bob, &bobs, "123456").await.ok();
    }
    // The block ends after 15 minutes.
    app.database.execute("update refresh set pin_since = pin_since - interval '15 minutes'").await;
    let _ = show(31, &ada, &token, "123456").await.ok();
}

#[tokio::test]
async fn empty_scope_list_grants_no_scope() {
    let app = TestApp::start().await;
    let (id, token) = user(&app.client).await;
    let answer = app.client.oauth(&id, &json!({"refresh_token": token, "scope": []})).await;
    // Either a refusal or a key without scopes is acceptable, never a key with more scopes than requested.
    assert!(answer.status == 400 || answer.ok()["scope"] == json!([]), "{}", answer.text());
}
