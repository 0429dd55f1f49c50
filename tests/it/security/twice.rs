//! Duplicate parameters and headers are refused everywhere, because a proxy may have evaluated the other one.

use daybook_tests::app::TestApp;
use daybook_tests::http::{Call, send_raw};

use crate::routes::{ROUTES, fill};
use crate::town::Town;

#[tokio::test]
async fn duplicate_query_parameter_is_refused() {
    let town = Town::new().await;
    let before = town.state().await;
    let person = &town.people[0];
    for route in ROUTES {
        for (query, field) in [
            ("dry_run=true&dry_run=false", "dry_run"),
            ("page=1&x=1&page=1", "page"),
            ("at=1&%61t=1", "at"),
            ("nobody=knows&nobody=knows", "query_string"),
        ] {
            let path = format!("{}?{query}", fill(route.path(), &person.ids));
            let answer = town.call(route, person, &person.ids).at(&path).send().await;
            assert_eq!(answer.refused(400, "200")["field"], field, "{} {query}", route.name);
        }
    }
    assert_eq!(town.state().await, before);
}

#[tokio::test]
async fn duplicate_header_is_refused() {
    let app = TestApp::start().await;
    let gateway = format!("X-SP-GATEWAY: {}", app.client.gateway());
    let twice = [
        gateway.clone(),
        "X-SP-USER: |device-1".to_owned(),
        "X-SP-USER-IP: 127.0.0.1".to_owned(),
        "X-SP-OPERATOR: a|b".to_owned(),
        "X-SP-IDEMPOTENCY-KEY: k1".to_owned(),
    ];
    for path in ["/v3.1/users", "/v3.1/nowhere", "/v3.1/ops/operators/me"] {
        for header in &twice {
            let lower = header.to_lowercase();
            for second in [header, &lower] {
                let rest = if *header == gateway { "" } else { &format!("{gateway}\r\n") };
                let head = format!("GET {path} HTTP/1.1\r\nHost: x\r\n{rest}{header}\r\n{second}\r\n\r\n");
                let answer = send_raw(app.address, head.as_bytes()).await.expect("an answer");
                let name = header.split(':').next().expect("a name");
                assert_eq!(answer.refused(400, "200")["field"], name, "{path}");
            }
        }
    }
    let once = Call::new(app.address, "GET", "/v3.1/users").header("X-SP-GATEWAY", app.client.gateway());
    let _ = once.header("X-SP-USER-IP", "").header("X-SP-USER", "|").send().await.ok();
}

/// A parameter that the description lists is named in its refusal.
#[tokio::test]
async fn every_described_parameter_is_named_in_refusals() {
    let app = TestApp::start().await;
    let description = Call::new(app.address, "GET", "/openapi.json").send().await.json();
    let operations = description["paths"].as_object().expect("paths").values();
    let parameters = operations.flat_map(|path| path.as_object().expect("methods").values());
    let parameters = parameters.filter_map(|operation| operation["parameters"].as_array()).flatten();
    let names = parameters.filter(|parameter| parameter["in"] == "query" && parameter["name"] != "scope");
    for name in names.map(|parameter| parameter["name"].as_str().expect("text")) {
        let call = Call::new(app.address, "GET", &format!("/v3.1/users?{name}=1&{name}=1"));
        assert_eq!(call.send().await.refused(400, "200")["field"], name);
    }
}
