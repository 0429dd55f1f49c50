//! Errors: whatever is sent, the answer has the contract's shape, is the sender's fault, and hurts nobody else.

use std::fmt::Write;

use daybook_tests::client::DEVICE;
use daybook_tests::http::{Answer, Call, send_raw};
use futures::stream::{self, StreamExt};
use serde_json::{Value, json};

use crate::corpus::{self, Route};
use crate::world::World;

impl World {
    fn call(&self, route: Route) -> Call {
        let Self { app, us, node, trans, .. } = self;
        match route {
            Route::Users => app.client.call("POST", "/users"),
            Route::Oauth => app.client.call("POST", &format!("/oauth/{}", us.user_id)),
            Route::Nodes => us.call("POST", "/nodes"),
            Route::Transactions => us.call("POST", &format!("/nodes/{node}/trans")),
            Route::Comments => us.call("PATCH", &format!("/nodes/{node}/trans/{trans}")),
            Route::Credit => app.client.call("POST", &format!("/sandbox/nodes/{node}/credit")),
            Route::Subnets => us.call("POST", &format!("/nodes/{node}/subnets")),
            Route::Subscriptions => app.client.call("POST", "/subscriptions"),
        }
    }

    fn good(&self, route: Route) -> Value {
        route.good(&self.to)
    }

    /// The head of a request for `target` with the user's key, and what follows it.
    fn raw(&self, line: &str, rest: &str) -> Vec<u8> {
        let (host, key) = (self.app.address, &self.us.oauth_key);
        format!("{line}\r\nHost: {host}\r\nX-SP-USER: {key}|{DEVICE}\r\n{rest}").into_bytes()
    }

    /// The service answers as if nothing had happened.
    async fn is_well(&self) {
        let ready = Call::new(self.app.address, "GET", "/health/ready").send().await;
        assert_eq!(ready.status, 200, "{}", ready.text());
        let _ = self.us.get_node(&self.node).await.ok();
    }
}

/// `body` with the text at `path` replaced by `json`, which need not be JSON that a [`Value`] could hold.
fn spoil(body: &Value, path: &str, json: &str) -> String {
    const MARK: &str = "5f0e8c1d-mark";
    let mut body = body.clone();
    let (parent, field) = path.rsplit_once('/').expect("a path");
    let parent = match parent {
        "/extra" => {
            let object = body.as_object_mut().expect("an object");
            object.entry("extra").or_insert_with(|| json!({}))
        }
        parent => body.pointer_mut(parent).expect("there is such an object"),
    };
    match field.parse::<usize>() {
        Ok(index) => parent[index] = json!(MARK),
        Err(_) => parent[field] = json!(MARK),
    }
    body.to_string().replace(&format!("\"{MARK}\""), json)
}

#[tokio::test]
async fn a_body_that_is_no_json_is_refused_everywhere() {
    let world = &World::new().await;
    for route in Route::ALL {
        for (name, body) in corpus::malformed(&world.good(route)) {
            let answer = world.call(route).body(body).send().await;
            assert_eq!(answer.status, 400, "{route:?}, {name}: {}", answer.text());
            assert!(answer.refused(400, "200")["field"].is_string(), "{route:?}, {name}");
        }
        world.is_well().await;
    }
}

#[tokio::test]
async fn a_text_that_no_field_takes_is_refused_and_its_field_named() {
    let world = &World::new().await;
    let cases = corpus::text_fields()
        .into_iter()
        .flat_map(|field| corpus::bad_texts().into_iter().map(move |(name, text)| (field, name, text)));
    stream::iter(cases)
        .for_each_concurrent(8, async |((route, path), name, text)| {
            let answer = world.call(route).body(spoil(&world.good(route), path, &text)).send().await;
            let error = answer.refused(400, "200");
            let field = error["field"].as_str().expect("a field");
            let is_json = !name.contains("surrogate");
            assert!(
                !is_json || field.replace('[', ".").replace(']', "") == path[1..].replace('/', "."),
                "{route:?} {path}, {name}: {error}"
            );
        })
        .await;
    world.is_well().await;
}

#[tokio::test]
async fn odd_texts_come_back_as_they_were() {
    let world = World::new().await;
    for text in corpus::odd_texts() {
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        let body = spoil(&world.good(Route::Nodes), "/info/nickname", &text);
        let made = world.call(Route::Nodes).body(body).send().await;
        assert_eq!(made.ok()["nodes"][0]["info"]["nickname"], expected);
        assert!(made.headers.get("x-injected").is_none());
        let body = spoil(&world.good(Route::Users), "/legal_names/0", &text);
        assert_eq!(world.call(Route::Users).body(body).send().await.ok()["legal_names"][0], expected);
        let body = spoil(&world.good(Route::Subnets), "/nickname", &text);
        assert_eq!(world.call(Route::Subnets).body(body).send().await.ok()["nickname"], expected);
    }
}

#[tokio::test]
async fn numbers_beyond_all_bounds_are_refused() {
    let world = World::new().await;
    let digits = "9".repeat(400);
    let cases = [
        (Route::Users, "/extra/cip_tag", digits.as_str()),
        (Route::Users, "/extra/cip_tag", "1e400"),
        (Route::Users, "/documents/0/year", &digits),
        (Route::Users, "/documents/0/day", "1.5"),
        (Route::Transactions, "/amount/amount", &digits),
        (Route::Transactions, "/extra/process_on", &digits),
        (Route::Transactions, "/extra/process_on", "9223372036854775807"),
        (Route::Transactions, "/extra/process_on", "106751991168"),
        (Route::Transactions, "/extra/process_on", "-9223372036854775808"),
        (Route::Transactions, "/extra/process_on", "1e300"),
        (Route::Credit, "/amount/amount", &digits),
    ];
    for (route, path, number) in cases {
        let answer = world.call(route).body(spoil(&world.good(route), path, number)).send().await;
        let error = answer.refused(400, "200");
        let named = error["field"].as_str().expect("a field").replace('[', ".").replace(']', "");
        // What not even a double can hold the parser takes for bad JSON, and of that no path is told.
        let is_json = number.len() < 400 && number != "1e400";
        let is_ours = path.ends_with("/amount") || is_json;
        assert_eq!(named, if is_ours { path[1..].replace('/', ".") } else { "body".to_owned() }, "{number}");
    }
    world.is_well().await;
}

#[tokio::test]
async fn a_list_of_too_many_is_refused() {
    let world = World::new().await;
    for (route, path) in [(Route::Users, "/legal_names"), (Route::Users, "/phone_numbers")] {
        let many = json!(vec!["x"; 10_000]).to_string();
        let answer = world.call(route).body(spoil(&world.good(route), path, &many)).send().await;
        assert_eq!(answer.refused(400, "200")["field"], path[1..]);
    }
}

#[tokio::test]
async fn a_header_beyond_its_bounds_is_refused() {
    let world = World::new().await;
    let key = |key: &[u8]| {
        let call = world.call(Route::Transactions).json(&world.good(Route::Transactions));
        call.header("X-SP-IDEMPOTENCY-KEY", key).send()
    };
    for bad in [&[b'x'; 3_000][..], &[b'x'; 1_001], b"\xff\xfe"] {
        assert_eq!(key(bad).await.refused(400, "200")["field"], "X-SP-IDEMPOTENCY-KEY");
    }
    let _ = key(&[b'x'; 1_000]).await.ok();
    key(&[b'x'; 1_000]).await.refused(409, "400");
    let _ = key("\u{1f355}".as_bytes()).await.ok();
    let user = world.us.call("GET", "/nodes").header("X-SP-USER", vec![b'x'; 3_000]);
    user.send().await.failure();
    let gateway = world.app.client.call("GET", "/users/x").header("X-SP-GATEWAY", vec![b'x'; 3_000]);
    gateway.send().await.failure();
    let gateway = world.app.client.call("GET", "/users/x").header("X-SP-GATEWAY", b"\xff|\xff");
    gateway.send().await.failure();
    world.is_well().await;
}

#[tokio::test]
async fn pages_beyond_all_bounds_are_empty_or_refused() {
    let world = World::new().await;
    let page = async |query: &str| world.us.call("GET", &format!("/trans?{query}")).send().await;
    for query in ["page=4294967295&per_page=100", "page=2147483648&per_page=100", "page=1000000000"] {
        let answer = page(query).await;
        match answer.status {
            200 => assert_eq!(answer.ok()["trans"], json!([]), "{query}"),
            _ => assert_eq!(answer.refused(400, "200")["field"], "page", "{query}"),
        }
    }
    for query in ["page=18446744073709551615&per_page=100", "page=9223372036854775807&per_page=2"] {
        let answer = page(query).await;
        if answer.status != 200 {
            assert_eq!(answer.refused(400, "200")["field"], "page", "{query}");
        }
    }
    world.is_well().await;
}

#[tokio::test]
async fn the_media_type_is_json() {
    let world = World::new().await;
    for route in Route::ALL {
        let call = || world.call(route).json(&world.good(route));
        for wrong in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "x",
            "application/jsonx",
        ] {
            call().header("Content-Type", wrong).send().await.refused(415, "200");
        }
        call().header("Content-Encoding", "gzip").send().await.refused(415, "200");
    }
    let call = || world.call(Route::Nodes).json(&world.good(Route::Nodes));
    for right in [
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
    ] {
        let _ = call().header("Content-Type", right).send().await.ok();
    }
    let _ = call().without("Content-Type").send().await.ok();
}

#[tokio::test]
async fn a_body_that_is_too_large_gets_its_answer() {
    let world = World::new().await;
    let mib = 1 << 20;
    let limits = [
        (Route::Users, 30 * mib),
        (Route::Oauth, mib),
        (Route::Nodes, mib),
        (Route::Transactions, 8 * mib),
        (Route::Comments, mib),
        (Route::Credit, mib),
        (Route::Subnets, mib),
        (Route::Subscriptions, mib),
    ];
    for (route, limit) in limits {
        let mut text = world.good(route).to_string();
        text.push_str(&" ".repeat(limit - text.len()));
        let within = world.call(route).body(text.clone()).send().await;
        assert!(within.status == 200 || route == Route::Oauth, "{route:?}: {}", within.text());
        text.push(' ');
        world.call(route).body(text).send().await.refused(413, "200");
        world.call(route).body(vec![b'x'; limit + 3 * mib]).send().await.refused(413, "200");
    }
    world.is_well().await;
}

#[tokio::test]
async fn a_body_that_does_not_tell_its_length_has_the_same_limit() {
    let world = World::new().await;
    let path = format!("/v3.1/users/{}/nodes", world.us.user_id);
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 16, "x".repeat(1 << 16));
    let rest = format!(
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n",
        chunk.repeat(20)
    );
    let answer = send_raw(world.app.address, &world.raw(&format!("POST {path} HTTP/1.1"), &rest)).await;
    answer.expect("an answer").refused(413, "200");
    world.is_well().await;
}

#[tokio::test]
async fn a_path_that_leads_nowhere_is_not_found() {
    let world = World::new().await;
    for path in corpus::lost_paths() {
        let line = format!("GET /v3.1/users/{}{path} HTTP/1.1", world.us.user_id);
        let answer = send_raw(world.app.address, &world.raw(&line, "\r\n")).await;
        let answer = answer.unwrap_or_else(|| panic!("no answer to {path}"));
        assert_eq!(answer.status, 404, "{path}: {}", answer.text());
        answer.refused(404, "404");
    }
    for path in [
        "/",
        "/v3.1",
        "/v3.1/",
        "/v3.1/user",
        "/v3/users",
        "/api/3/users",
        "/V3.1/users",
        "/admin",
        "/metrics",
        "/.env",
        "/v3.1/subscription",
        "/v3.1/tran",
        "/v3.1/subnets",
        "/v3.1/sandbox/clock",
        "/v3.1/sandbox/trans/x/refund",
    ] {
        Call::new(world.app.address, "GET", path).send().await.refused(404, "404");
        let answer = Call::new(world.app.address, "POST", path).json(&json!({})).send().await;
        answer.refused(404, "404");
    }
    for id in ["x", "%00", "%ff", "'", "%2e%2e", "0", &"9".repeat(5_000)] {
        world.app.client.call("GET", &format!("/users/{id}")).send().await.refused(404, "404");
        world.us.call_at("GET", &format!("/users/{id}/nodes")).send().await.refused(404, "404");
    }
    world.is_well().await;
}

#[tokio::test]
async fn a_method_that_is_not_there_is_not_supported() {
    let world = World::new().await;
    let (user, node, trans) = (&world.us.user_id, &world.node, &world.trans);
    let table = [
        ("/v3.1/users".to_owned(), "PUT DELETE PATCH OPTIONS TRACE"),
        ("/v3.1/nodes".to_owned(), "POST PUT DELETE PATCH"),
        ("/v3.1/trans".to_owned(), "POST PUT DELETE PATCH"),
        ("/v3.1/subscriptions".to_owned(), "PUT DELETE PATCH"),
        (format!("/v3.1/users/{user}"), "PUT POST"),
        (format!("/v3.1/oauth/{user}"), "GET PUT DELETE PATCH"),
        (format!("/v3.1/users/{user}/nodes"), "PUT DELETE PATCH"),
        (format!("/v3.1/users/{user}/nodes/{node}"), "PUT POST"),
        (format!("/v3.1/users/{user}/nodes/{node}/subnets"), "PUT DELETE PATCH"),
        (format!("/v3.1/users/{user}/trans"), "PUT POST DELETE PATCH"),
        (format!("/v3.1/users/{user}/nodes/{node}/trans/{trans}"), "PUT POST OPTIONS"),
        (format!("/v3.1/users/{user}/nodes/{node}/dummy-tran"), "PUT POST DELETE PATCH"),
        (format!("/v3.1/sandbox/nodes/{node}/credit"), "GET PUT DELETE"),
        (format!("/v3.1/sandbox/trans/{trans}/return"), "GET PUT DELETE PATCH"),
        ("/v3.1/sandbox/clock/advance".to_owned(), "GET PUT DELETE PATCH"),
        ("/health/live".to_owned(), "POST DELETE BREW"),
    ];
    for (path, methods) in table {
        for method in methods.split(' ') {
            Call::new(world.app.address, method, &path).send().await.refused(400, "410");
        }
    }
}

#[tokio::test]
async fn what_is_no_http_gets_the_contracts_shape_too() {
    let world = World::new().await;
    let mut report = String::new();
    for (name, bytes) in corpus::malformed_http(&world.app.address.to_string()) {
        let answer = send_raw(world.app.address, &bytes).await;
        let said = match &answer {
            None => "no answer".to_owned(),
            Some(answer) if is_contract(answer) => continue,
            Some(answer) => format!("{} {:?}", answer.status, answer.text()),
        };
        let _ = writeln!(report, "{name}: {said}");
        world.is_well().await;
    }
    assert!(report.is_empty(), "\n{report}");
}

/// Whether it is a refusal in the contract's shape.
fn is_contract(answer: &Answer) -> bool {
    let Ok(body) = serde_json::from_slice::<Value>(&answer.body) else { return false };
    (400..500).contains(&answer.status)
        && body["http_code"].as_str() == Some(&answer.status.to_string())
        && body["error"]["en"].is_string()
        && body["error"]["code"].is_string()
        && body["error_code"].is_string()
        && body["success"] == false
}

#[tokio::test]
async fn a_second_request_cannot_hide_behind_a_first() {
    let world = World::new().await;
    // Whoever reads the length sees one request, whoever reads the chunks sees two.
    let hidden = format!("GET /v3.1/users/{}/nodes HTTP/1.1\r\nHost: x\r\n\r\n", world.us.user_id);
    let rest = format!(
        "Content-Type: application/json\r\nContent-Length: {}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}",
        5 + hidden.len()
    );
    let answer = send_raw(world.app.address, &world.raw("POST /v3.1/users HTTP/1.1", &rest)).await;
    if let Some(answer) = answer {
        assert!((400..500).contains(&answer.status), "{} {}", answer.status, answer.text());
        assert!(
            answer.status != 400 || answer.headers.get("connection").is_none_or(|value| value == "close"),
            "the connection must not be used on"
        );
    }
    world.is_well().await;
}

#[tokio::test]
async fn another_shape_than_ours_never_comes_with_a_refusal() {
    let world = World::new().await;
    // Nobody's business: no name of a library, no text of what was sent, no header from input.
    let answer =
        world.call(Route::Nodes).body(r#"{"type": "<canary>", "info": {"nickname": "x"}}"#).send().await;
    answer.refused(400, "200");
    assert!(!answer.text().contains("canary"));
    assert_eq!(answer.headers["content-type"], "application/json");
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    assert!(answer.headers.get("server").is_none());
}
