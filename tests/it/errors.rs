//! Unusual but valid input is accepted unchanged, and a refusal reveals no more than necessary. Invalid input is in
//! `tests/it/corpus/`.

use std::collections::BTreeMap;

use daybook_tests::http::send_raw;
use serde_json::{Value, json};

use crate::corpus::padded;
use crate::routes::{ROUTES, fill, named};
use crate::town::Town;

/// Unusual texts, as JSON, that every text field accepts.
fn odd_texts() -> Vec<String> {
    vec![
        format!("\"{}\"", "\u{1f355}".repeat(1_000)),
        r#""\ud83c\udf55""#.to_owned(),
        r#""'; drop table event; --""#.to_owned(),
        r#""\r\nX-Injected: 1""#.to_owned(),
        r#""\u001b[31mred""#.to_owned(),
        r#""\u202etxt.exe""#.to_owned(),
        r#""{{7*7}} ${jndi:ldap://x} %s%n <script>alert(1)</script> \\x00""#.to_owned(),
    ]
}

#[tokio::test]
async fn unusual_texts_are_returned_unchanged() {
    let town = Town::new().await;
    let person = &town.people[0];
    for text in odd_texts() {
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        let send = async |name: &str, good: &str| {
            let body = named(name).body.replace(good, &text);
            town.call(named(name), person, &person.ids).body(body).send().await
        };
        let made = send("nodes.create", "\"s-2\"").await;
        assert_eq!(made.ok()["nodes"][0]["extra"]["supp_id"], expected);
        assert!(made.headers.get("x-injected").is_none());
        // A name must be a single line.
        if expected.as_str().is_some_and(|text| text.contains(char::is_control)) {
            continue;
        }
        assert_eq!(send("nodes.create", "\"Checking\"").await.ok()["nodes"][0]["info"]["nickname"], expected);
        assert_eq!(send("users.create", "\"Ada Example\"").await.ok()["legal_names"][0], expected);
    }
}

#[tokio::test]
async fn untyped_or_maximum_size_body_is_accepted() {
    let town = Town::new().await;
    let person = &town.people[0];
    for kind in ["application/json", "APPLICATION/JSON", "application/json; charset=utf-8", ""] {
        let call = town.call(named("nodes.create"), person, &person.ids).header("Content-Type", kind);
        let _ = call.send().await.ok();
    }
    let call = town.call(named("nodes.create"), person, &person.ids);
    let _ = call.without("Content-Type").send().await.ok();
    for route in ROUTES.iter().filter(|route| route.has_body()) {
        let body = padded(&fill(route.body, &person.ids), route.mib << 20);
        let answer = town.call(route, person, &person.ids).body(body).send().await;
        let is_taken =
            answer.status == 200 || ["400", "410"].iter().any(|code| answer.json()["error_code"] == *code);
        assert!(is_taken, "{}: {}", route.name, answer.text());
    }
}

#[tokio::test]
async fn idempotency_key_allows_thousand_characters() {
    let town = Town::new().await;
    let person = &town.people[0];
    let key = |key: &[u8]| {
        let call = town.call(named("trans.create"), person, &person.ids);
        call.header("X-SP-IDEMPOTENCY-KEY", key).send()
    };
    let _ = key(&[b'x'; 1_000]).await.ok();
    key(&[b'x'; 1_000]).await.refused(409, "400");
    let _ = key("\u{1f355}".as_bytes()).await.ok();
}

#[tokio::test]
async fn percent_encoded_id_is_accepted() {
    let town = Town::new().await;
    let person = &town.people[0];
    let escaped = |name: &str| format!("%{:02x}{}", person.ids[name].as_bytes()[0], &person.ids[name][1..]);
    let mut ids = person.ids.clone();
    ids.extend(["user_id", "node_id"].map(|name| (name, escaped(name))));
    let _ = town.call(named("nodes.get"), person, &ids).send().await.ok();
}

#[tokio::test]
async fn page_past_the_end_is_empty() {
    let town = Town::new().await;
    let person = &town.people[0];
    for route in ROUTES.iter().filter(|route| route.is_list()) {
        for query in ["page=4294967295&per_page=100", "page=2147483648&per_page=100", "page=1000000000"] {
            let path = format!("{}?{query}", fill(route.path(), &person.ids));
            let body = town.call(route, person, &person.ids).at(&path).send().await.ok();
            let lists: BTreeMap<_, _> =
                body.as_object().expect("an object").iter().filter(|it| it.1.is_array()).collect();
            assert!(
                lists.len() == 1 && lists.values().all(|list| **list == json!([])),
                "{}: {body}",
                route.name
            );
        }
    }
}

#[tokio::test]
async fn request_smuggling_is_rejected() {
    let town = Town::new().await;
    let person = &town.people[0];
    // A server that reads `Content-Length` sees one request; a server that reads the chunks sees two.
    let hidden = format!("GET /v3.1/users/{}/nodes HTTP/1.1\r\nHost: x\r\n\r\n", person.session.user_id);
    let request = format!(
        "POST /v3.1/users HTTP/1.1\r\nHost: {}\r\nX-SP-GATEWAY: {}\r\nContent-Length: {}\r\n\
         Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}",
        town.app.address,
        person.session.client.gateway(),
        5 + hidden.len()
    );
    if let Some(answer) = send_raw(town.app.address, request.as_bytes()).await {
        assert!((400..500).contains(&answer.status), "{} {}", answer.status, answer.text());
        assert!(
            answer.status != 400 || answer.headers.get("connection").is_none_or(|value| value == "close"),
            "the connection must not be used on"
        );
    }
    town.is_well().await;
}

#[tokio::test]
async fn refusal_reveals_neither_input_nor_implementation() {
    let town = Town::new().await;
    let person = &town.people[0];
    let call = town.call(named("nodes.create"), person, &person.ids);
    let answer = call.body(r#"{"type": "<canary>", "info": {"nickname": "x"}}"#).send().await;
    answer.refused(400, "200");
    assert!(!answer.text().contains("canary"));
    assert_eq!(answer.headers["content-type"], "application/json");
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    assert!(answer.headers.get("server").is_none());
}
