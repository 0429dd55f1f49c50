//! Signatures of webhook calls, and their transmission.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use daybook_api::webhook::Prepared;
use daybook_domain::Timestamp;
use daybook_domain::subscription::secret::ROTATION_OVERLAP_MS;
use daybook_outbound::Failure;
use daybook_outbound::guarded::{Client as Caller, SystemResolver};
use daybook_tests::app::TestApp;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;

use super::{Hook, secret};

fn header<'a>(prepared: &'a Prepared, name: &str) -> &'a str {
    prepared.call.headers.get(name).map_or("", |value| value.to_str().expect("text"))
}

fn mac(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).expect("any length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().to_vec()
}

/// Returns the signature that a receiver with this secret computes.
fn standard(prepared: &Prepared, secret: &[u8]) -> String {
    let head = format!("{}.{}.", header(prepared, "webhook-id"), header(prepared, "webhook-timestamp"));
    format!("v1,{}", STANDARD.encode(mac(secret, &[head.as_bytes(), &prepared.call.body])))
}

/// Returns the position of the last event that is delivered.
async fn a_position(hook: &Hook, app: &TestApp) -> u64 {
    let _ = app.client.stranger("Maria").await;
    hook.everything(app).await.last().expect("something is told").position
}

#[tokio::test]
async fn call_is_signed_with_both_secrets() {
    let app = TestApp::start().await;
    let hook = Hook::all(&app).await;
    let position = a_position(&hook, &app).await;
    let told = hook.at(position, Timestamp::from_ms(1_700_000_000_999)).await.expect("is told");
    assert_eq!(header(&told, "webhook-id"), told.event_id);
    assert_eq!(header(&told, "webhook-timestamp"), "1700000000");
    assert_eq!(header(&told, "webhook-signature"), standard(&told, &hook.secret));
    let body: serde_json::Value = serde_json::from_slice(&told.call.body).expect("JSON");
    let object = format!("{}+{}", body["_id"]["$oid"].as_str().expect("an id"), app.client.client_id);
    let gateway = app.client.gateway();
    let client_secret = gateway.split_once('|').expect("two halves").1.as_bytes();
    assert_eq!(
        header(&told, "x-synapse-signature-sha256"),
        hex::encode(mac(client_secret, &[object.as_bytes()]))
    );
    let full = hex::encode(mac(client_secret, &[&told.call.body]));
    assert_eq!(header(&told, "x-synapse-signature-sha256-fullbody"), full);
    assert_eq!(header(&told, "x-synapse-signature").len(), 40);
    // A later attempt has another timestamp and is otherwise equal.
    let later = hook.at(position, Timestamp::from_ms(1_700_000_100_000)).await.expect("is told");
    assert_eq!((&later.event_id, &later.call.body), (&told.event_id, &told.call.body));
    assert_ne!(header(&later, "webhook-signature"), header(&told, "webhook-signature"));
}

#[tokio::test]
async fn both_signatures_are_sent_during_rotation_day() {
    let app = TestApp::start().await;
    let hook = Hook::all(&app).await;
    let position = a_position(&hook, &app).await;
    let new = secret(&hook.change(&json!({"rotate_secret": true})).await);
    let changed = hook.now().ms();
    let signatures = async |now: i64| {
        let told = hook.at(position, Timestamp::from_ms(now)).await.expect("is told");
        (header(&told, "webhook-signature").to_owned(), standard(&told, &new), standard(&told, &hook.secret))
    };
    for now in [changed, changed + ROTATION_OVERLAP_MS - 60_000] {
        let (found, new, old) = signatures(now).await;
        assert_eq!(found, format!("{new} {old}"), "{now}");
    }
    let (found, new_one, _) = signatures(changed + ROTATION_OVERLAP_MS).await;
    assert_eq!(found, new_one);
    // In a sandbox, the day ends by the platform's clock.
    let _ = app.client.advance(ROTATION_OVERLAP_MS / 1000).await.ok();
    let (found, new_one, _) = signatures(hook.now().ms()).await;
    assert_eq!(found, new_one);
}

#[tokio::test]
async fn call_reaches_only_an_allowed_address() {
    let app = TestApp::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://localhost:{}/hook?token=1", listener.local_addr().expect("is bound").port());
    let hook = Hook::new(&app, &app.client, &url, &["USERS|POST"]).await;
    let position = a_position(&hook, &app).await;
    let told = hook.about(position).await.expect("is told");
    let outside = Caller::new(Arc::new(SystemResolver), false, &[]).expect("no roots of its own");
    let refused = outside.call(&told.call).await.outcome.expect_err("is refused");
    assert!(matches!(refused, Failure::NotPublic(_)), "{refused}");

    let expected = told.call.body.clone();
    let receiver = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a call");
        let mut text = Vec::new();
        let mut part = [0; 4096];
        while !text.ends_with(&expected) {
            let length = stream.read(&mut part).expect("reads");
            text.extend_from_slice(&part[..length]);
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").expect("writes");
        String::from_utf8(text).expect("text")
    });
    let dev = Caller::new(Arc::new(SystemResolver), true, &[]).expect("no roots of its own");
    let attempt = dev.call(&told.call).await;
    assert!(attempt.is_taken(), "{attempt:?}");
    let heard = receiver.join().expect("heard");
    assert!(heard.starts_with("POST /hook?token=1 HTTP/1.1\r\n"), "{heard}");
    assert!(heard.contains(&format!("webhook-signature: {}\r\n", standard(&told, &hook.secret))), "{heard}");
}
