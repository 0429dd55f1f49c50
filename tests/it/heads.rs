//! HEAD: supported by every route with GET, with the same status and headers and without a body.

use std::collections::BTreeMap;

use daybook_tests::app::TestApp;
use daybook_tests::http::{Answer, Call, connect};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::dry_run::changes;
use crate::routes::{ROUTES, Route};
use crate::town::Town;

/// Headers that differ between two answers to the same call.
const OF_ITS_OWN: [&str; 2] = ["date", "x-request-id"];

/// Public files that the description does not contain.
const FILES: [&str; 4] = ["/openapi.json", "/docs", "/docs/page.js", "/docs/swagger-ui-bundle.js"];

fn headers(answer: &Answer) -> BTreeMap<String, String> {
    let own = |(name, value): (&_, &_)| (format!("{name}"), format!("{value:?}"));
    let headers = answer.headers.iter().map(own);
    headers.filter(|(name, _)| !OF_ITS_OWN.contains(&name.as_str())).collect()
}

#[tokio::test]
async fn head_answers_like_get_without_body() {
    let town = Town::new().await;
    let person = &town.people[0];
    let before = town.state().await;
    let mut odd = vec![];
    let gets = ROUTES.iter().filter(|route| route.method() == "GET" && !changes(route));
    let calls = gets
        .map(|route| town.call(route, person, &person.ids))
        .chain(FILES.iter().map(|path| Call::new(town.app.address, "GET", path)));
    for call in calls {
        let (got, head) = (call.clone().send().await, call.clone().by("HEAD").send().await);
        let is_as_got = (head.status, headers(&head)) == (got.status, headers(&got));
        if !is_as_got || !head.body.is_empty() {
            odd.push(format!(
                "{}: {} {:?} is not {} {:?}",
                call.line(),
                head.status,
                head.headers,
                got.status,
                got.headers
            ));
        }
    }
    assert!(odd.is_empty(), "{odd:#?}");
    assert_eq!(town.state().await, before, "something was recorded");
}

#[tokio::test]
async fn head_is_dry_run_where_get_writes() {
    let town = Town::new().await;
    let before = town.state().await;
    let call = || town.call(crate::routes::named("nodes.dummy_tran"), &town.people[0], &town.people[0].ids);
    let head = call().by("HEAD").send().await;
    assert_eq!((head.status, head.text().as_str()), (200, ""));
    assert_eq!(head.headers["x-daybook-dry-run"], "true");
    assert_eq!(town.state().await, before);
    assert!(!call().send().await.headers.contains_key("x-daybook-dry-run"));
    assert_ne!(town.state().await, before);
}

#[tokio::test]
async fn head_without_a_get_is_refused() {
    let town = Town::new().await;
    let paths: Vec<_> = ROUTES.iter().filter(|route| route.method() == "GET").map(Route::path).collect();
    for route in ROUTES.iter().filter(|route| !paths.contains(&route.path())) {
        let answer = town.call(route, &town.people[0], &town.people[0].ids).by("HEAD").send().await;
        assert_eq!((answer.status, answer.text().as_str()), (400, ""), "{}", route.name);
    }
    let nowhere = Call::new(town.app.address, "HEAD", "/v3.1/nowhere").send().await;
    assert_eq!((nowhere.status, nowhere.text().as_str()), (404, ""));
}

/// A client would read a body after the head as the next answer.
#[tokio::test]
async fn next_response_follows_head_directly() {
    let app = TestApp::start().await;
    for path in ["/health/live", "/docs/swagger-ui-bundle.js", "/v3.1/nodes"] {
        let mut stream = connect(app.address, None).await.expect("the service listens");
        let two = format!(
            "HEAD {path} HTTP/1.1\r\nHost: {0}\r\n\r\nGET /health/live HTTP/1.1\r\nHost: {0}\r\nConnection: close\r\n\r\n",
            app.address
        );
        stream.write_all(two.as_bytes()).await.expect("sent");
        let mut both = String::new();
        stream.read_to_string(&mut both).await.expect("text");
        let (_, next) = both.split_once("\r\n\r\n").expect("a head");
        assert!(next.starts_with("HTTP/1.1 200"), "{path}: {both:.600}");
    }
}
