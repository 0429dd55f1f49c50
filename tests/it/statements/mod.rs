//! Account statements: for past months only, and never changed.

mod history;
mod later;
mod refused;
mod told;
mod zones;

use std::time::Duration;

use daybook_domain::Timestamp;
use daybook_domain::calendar::{Day, Month};
use daybook_tests::app::TestApp;
use daybook_tests::client::Session;
use daybook_tests::http::Answer;
use serde_json::Value;

/// Returns a sandbox at noon in which no transaction settles by itself, and the session of its own user.
async fn still() -> (TestApp, Session) {
    let app = TestApp::settling_after(Duration::from_mins(15)).await;
    let _ = app.client.noon(0).await;
    let us = app.client.own_session().await;
    (app, us)
}

/// Returns the current month of the platform.
async fn month(app: &TestApp) -> Month {
    let now = app.client.advance(1).await.ok()["now"].as_i64().expect("a time");
    Month::of(Day::of(Timestamp::from_ms(now)))
}

/// Advances the clock to the next month.
async fn next_month(app: &TestApp) -> Month {
    let now = app.client.advance(1).await.ok()["now"].as_i64().expect("a time");
    let next = Month::of(Day::of(Timestamp::from_ms(now))).next();
    let _ = app.client.advance((next.start().ms() - now) / 1_000 + 1).await.ok();
    assert_eq!(month(app).await, next);
    next
}

async fn list(us: &Session, path: &str) -> Vec<Value> {
    let mut all = vec![];
    for page in 1.. {
        let body = us.call("GET", &format!("{path}?per_page=3&page={page}")).send().await.ok();
        let records = body["statements"].as_array().expect("a list");
        if records.is_empty() {
            assert_eq!(body["statements_count"].as_u64(), Some(all.len() as u64));
            break;
        }
        all.extend_from_slice(records);
    }
    all
}

async fn of_node(us: &Session, node: &str) -> Vec<Value> {
    list(us, &format!("/nodes/{node}/statements")).await
}

/// Follows a link of a statement with the owner's key.
async fn follow(us: &Session, statement: &Value, link: &str) -> Answer {
    let url = statement["urls"][link].as_str().expect("a link");
    let path = url.split_once("/v3.1").expect("a path").1;
    let answer = us.call_at("GET", path).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer
}
