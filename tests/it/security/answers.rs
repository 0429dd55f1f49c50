//! Headers of every kind of answer. A header that is not on the list may disclose something or weaken browser security.

use std::collections::BTreeSet;

use daybook_tests::http::{Answer, Call, send_raw};
use hyper::header::HeaderName;

use crate::routes::{By, ROUTES};
use crate::town::Town;

/// Headers that every answer has.
const ALWAYS: [(&str, &str); 2] = [("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer")];

/// Further headers that an answer may have.
const ALLOWED: [&str; 17] = [
    "cache-control",
    "etag",
    "transfer-encoding",
    "content-length",
    "content-type",
    "content-disposition",
    "content-security-policy",
    "content-encoding",
    "connection",
    "date",
    "retry-after",
    "deprecation",
    "link",
    "vary",
    "x-daybook-position",
    "x-daybook-receipt",
    "x-daybook-dry-run",
];

fn check(what: &str, answer: &Answer) {
    let names: BTreeSet<&str> = answer.headers.keys().map(HeaderName::as_str).collect();
    for (name, value) in ALWAYS {
        assert_eq!(
            answer.headers.get(name).and_then(|value| value.to_str().ok()),
            Some(value),
            "{what}: {name}"
        );
    }
    // The description and its page are the same for every caller.
    let is_public = what.starts_with("/docs") || what == "/openapi.json";
    assert_eq!(answer.headers["cache-control"], if is_public { "no-cache" } else { "no-store" }, "{what}");
    for name in names {
        let is_known = ALLOWED.contains(&name) || ALWAYS.iter().any(|(always, _)| *always == name);
        assert!(is_known, "{what}: {name}: {:?}", answer.headers[name]);
    }
}

#[tokio::test]
async fn answers_carry_only_listed_headers() {
    let town = Town::new().await;
    let person = &town.people[0];
    for route in ROUTES {
        check(route.name, &town.call(route, person, &person.ids).send().await);
        if route.by != By::Nobody {
            let nobody = town.call(route, person, &person.ids).without("X-SP-GATEWAY").without("X-SP-USER");
            check(route.name, &nobody.without("X-SP-OPERATOR").send().await);
        }
    }
    for (method, target) in [
        ("GET", "/"),
        ("GET", "/docs"),
        ("GET", "/docs/page.js"),
        ("GET", "/openapi.json"),
        ("PUT", "/v3.1/users"),
        ("GET", "/v3.1/users/x"),
    ] {
        check(target, &Call::new(town.app.address, method, target).send().await);
    }
}

/// Malformed requests that reach no route are answered, if at all, without headers about the server.
#[tokio::test]
async fn malformed_requests_disclose_no_server_headers() {
    let town = Town::new().await;
    for bytes in [
        "GARBAGE\r\n\r\n",
        "GET /v3.1/users HTTP/9.9\r\nHost: x\r\n\r\n",
        "GET /v3.1/users HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
    ] {
        let Some(answer) = send_raw(town.app.address, bytes.as_bytes()).await else { continue };
        assert!((400..500).contains(&answer.status) || answer.status == 505, "{bytes:?}: {}", answer.status);
        assert!(answer.headers.get("server").is_none() && answer.headers.get("x-powered-by").is_none());
    }
}
