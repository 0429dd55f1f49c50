//! The past of records: a GET with `at` returns the body that the same GET returned at that position or time.

use std::time::Duration;

use bytes::Bytes;
use daybook_domain::id::BoxId;
use daybook_tests::app::TestApp;
use daybook_tests::bodies;
use daybook_tests::client::{Session, until};
use daybook_tests::http::{Answer, Call};
use daybook_tests::shard;
use serde_json::{Value, json};

use crate::routes::{By, ROUTES, Route, fill};
use crate::town::Town;

/// Routes that return one record and accept any position or time in `at`.
pub(crate) const RECORDS: [&str; 8] = [
    "users.get",
    "nodes.get",
    "trans.get",
    "trans.attachment",
    "subnets.get",
    "subscriptions.get",
    "ops.operations.get",
    "ops.files.get",
];

/// Routes that report a balance and also accept a date in `at`.
pub(crate) const BALANCES: [&str; 3] = ["nodes.balance", "nodes.explain", "audit.balance"];

/// A record, and the answers about it while it existed.
struct Life {
    path: String,
    call: Call,
    seen: Vec<(u64, Bytes)>,
}

impl Life {
    fn of(call: Call) -> Self {
        let path = call.line().split_once(' ').expect("a method").1.to_owned();
        Self { path, call, seen: vec![] }
    }

    /// Records the current answer. Repeats until the head of the log is the same before and after the call.
    async fn look(&mut self, app: &TestApp) {
        let seen = until("the log rests", async || {
            let before = head(app).await;
            let answer = self.call.clone().send().await;
            assert_eq!(answer.status, 200, "{}", answer.text());
            assert!(!answer.headers.contains_key("x-daybook-position"), "now has no position to be named");
            (head(app).await == before).then_some((before, answer.body))
        });
        self.seen.push(seen.await);
    }

    async fn at(&self, at: impl std::fmt::Display) -> Answer {
        self.call.clone().at(&format!("{}?at={at}", self.path)).send().await
    }

    /// Asks for each recorded position again, and checks the answers. `id` is that of the record's stream.
    async fn is_told_again(&self, app: &TestApp, id: &str) {
        let events = app.events().await;
        let of_record =
            |event: &&daybook_projector::RecordedEvent| BoxId::from_u128(event.key.id).to_string() == id;
        let born = events.iter().find(of_record).expect("it was made").position;
        for early in [0, 1, born - 1] {
            self.at(early).await.refused(404, "404");
        }
        assert_eq!(self.at(born).await.status, 200);
        let (first, last) = (events[0].recorded_at.ms(), events[events.len() - 1].recorded_at.ms());
        self.at(time(app, first - 1).await).await.refused(404, "404");
        let newest = self.at(time(app, last).await).await;
        assert_eq!(newest.body, self.seen[self.seen.len() - 1].1, "{}", self.path);
        for (step, pair) in self.seen.windows(2).enumerate() {
            assert_ne!(pair[0].1, pair[1].1, "{}: step {step} does not show", self.path);
        }
        let mut between = 0;
        for (position, body) in &self.seen {
            let answer = self.at(position).await;
            assert_eq!(answer.text(), String::from_utf8_lossy(body), "{} at {position}", self.path);
            assert_eq!(answer.headers["x-daybook-position"], position.to_string());
            // Also ask at a time halfway between this commit and the next, if their times differ.
            let event = |position: u64| events.get(usize::try_from(position).expect("small") - 1);
            let Some((this, next)) = event(*position).zip(event(position + 1)) else { continue };
            let (this, next) = (this.recorded_at.ms(), next.recorded_at.ms());
            if this < next {
                let answer = self.at(time(app, this + (next - this) / 2).await).await;
                assert_eq!(answer.text(), String::from_utf8_lossy(body), "{} after {position}", self.path);
                assert_eq!(answer.headers["x-daybook-position"], position.to_string());
                between += 1;
            }
        }
        assert!(between > 0, "{}: two steps had time between them", self.path);
        let beyond = self.at(head(app).await + 1_000).await.refused(400, "200");
        assert_eq!(
            (&beyond["field"], &beyond["en"]),
            (&json!("at"), &json!("at is beyond the end of the log."))
        );
        // The answer for a time in the future is still unknown: later events may change it.
        let future = self.at("2999-01-01T00:00:00Z").await.refused(400, "200");
        assert_eq!((&future["field"], &future["en"]), (&json!("at"), &json!("at is in the future.")));
    }
}

async fn head(app: &TestApp) -> u64 {
    app.service.engine.log().head(shard()).await.expect("a log").position
}

/// Formats milliseconds since the epoch as RFC 3339.
async fn time(app: &TestApp, ms: i64) -> String {
    let sql = r#"select to_char(timestamp 'epoch' + $1::bigint * interval '1 ms', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"#;
    app.database.pg().client().await.expect("connects").query_one(sql, &[&ms]).await.expect("writes").get(0)
}

/// Starts a sandbox in which no transaction settles by itself during the test.
async fn still() -> TestApp {
    TestApp::settling_after(Duration::from_mins(15)).await
}

async fn patch(session: &Session, path: &str, body: &Value) {
    session.call("PATCH", path).json(body).send().await.ok();
}

#[tokio::test]
async fn user_is_readable_at_past_positions() {
    let app = still().await;
    let made = app.client.create_user(&bodies::person("Ada Past")).await.ok();
    let id = made["_id"].as_str().expect("an id");
    let mut life = Life::of(app.client.call("GET", &format!("/users/{id}")));
    life.look(&app).await;
    app.client.reviewed(id).await;
    let ada = app.client.session(id).await;
    life.look(&app).await;
    let steps = [
        json!({"update": {"phone_number": "901.111.7777", "legal_name": "Ada Later"}}),
        json!({"update": {"remove_legal_name": "Ada Past"}}),
        json!({"documents": [bodies::person("Ada Else")["documents"][0]]}),
        json!({"permission": "LOCKED"}),
        json!({"permission": "CLOSED"}),
        json!({"permission": "MAKE-IT-GO-AWAY"}),
    ];
    for step in steps {
        patch(&ada, "", &step).await;
        app.client.reviewed(id).await;
        life.look(&app).await;
    }
    life.is_told_again(&app, id).await;
}

#[tokio::test]
async fn past_node_shows_past_balance_and_owner() {
    let app = still().await;
    let ada = app.client.verified("Ada Node").await;
    let (held, other) = (ada.node("DEPOSIT-US").await, ada.node("DEPOSIT-US").await);
    let mut life = Life::of(ada.call("GET", &format!("/nodes/{held}")));
    life.look(&app).await;
    for amount in ["100", "7.50", "0.01"] {
        app.client.credit(&held, amount).await.ok();
        life.look(&app).await;
    }
    let sent = ada.sent(&held, &other, "20.05").await;
    app.client.simulate(&sent, "settle", &json!({})).await.ok();
    life.look(&app).await;
    patch(&ada, &format!("/nodes/{held}"), &json!({"nickname": "Rainy days"})).await;
    life.look(&app).await;
    patch(&ada, "", &json!({"update": {"legal_name": "Ada Other", "remove_legal_name": "Ada Node"}})).await;
    ada.call("DELETE", &format!("/nodes/{held}")).send().await.ok();
    life.look(&app).await;
    life.is_told_again(&app, &held).await;

    let bank = ada.node("ACH-US").await;
    let mut life = Life::of(ada.call("GET", &format!("/nodes/{bank}")));
    life.look(&app).await;
    patch(&ada, &format!("/nodes/{bank}"), &json!({"micro": [0.1, 0.1]})).await;
    life.look(&app).await;
    life.is_told_again(&app, &bank).await;
}

#[tokio::test]
async fn past_transaction_shows_past_party_names() {
    let app = still().await;
    let (ada, bob) = (app.client.verified("Ada Pays").await, app.client.verified("Bob Gets").await);
    let (from, to) = (ada.funded("50").await, bob.node("DEPOSIT-US").await);
    let mut body = bodies::transfer(&to, "12.34");
    body["extra"]["other"] = json!({"attachments": ["SGk="]});
    let made = ada.transfer(&from, &body).send().await.ok();
    let id = made["_id"].as_str().expect("an id");
    let path = format!("/nodes/{from}/trans/{id}");
    let mut life = Life::of(ada.call("GET", &path));
    let mut received = Life::of(bob.call("GET", &format!("/nodes/{to}/trans/{id}")));
    for step in 0..7 {
        match step {
            0 => {}
            1 => patch(&ada, &path, &json!({"comment": "For May"})).await,
            2 => patch(&ada, &format!("/nodes/{from}"), &json!({"nickname": "Purse"})).await,
            3 => drop(app.client.simulate(id, "process", &json!({})).await.ok()),
            4 => patch(&bob, "", &json!({"update": {"legal_name": "Bob Still"}})).await,
            5 => drop(app.client.simulate(id, "settle", &json!({})).await.ok()),
            _ => drop(app.client.simulate(id, "return", &json!({"code": "R01"})).await.ok()),
        }
        life.look(&app).await;
        received.look(&app).await;
    }
    life.is_told_again(&app, id).await;
    received.is_told_again(&app, id).await;

    let paper = made["extra"]["other"]["attachments"][0].as_str().expect("a link");
    let paper = paper.rsplit('/').next().expect("an id");
    let paper = Life::of(ada.call("GET", &format!("{path}/attachments/{paper}")));
    for position in [life.seen[0].0, head(&app).await] {
        assert_eq!(paper.at(position).await.ok(), paper.call.clone().send().await.ok());
    }
    paper.at(1).await.refused(404, "404");
}

#[tokio::test]
async fn past_subnet_and_subscription_are_readable() {
    let app = still().await;
    let us = app.client.own_session().await;
    let node = us.node("DEPOSIT-US").await;
    let id = us.subnet(&node).await["_id"].as_str().expect("an id").to_owned();
    let path = format!("/nodes/{node}/subnets/{id}");
    let mut life = Life::of(us.call("GET", &path));
    life.look(&app).await;
    for step in [json!({"nickname": "Rent"}), json!({"allowed": "CREDIT"}), json!({"nickname": "Food"})] {
        patch(&us, &path, &step).await;
        life.look(&app).await;
    }
    life.is_told_again(&app, &id).await;

    let body = json!({"url": "https://example.com/a", "scope": ["TRANS|POST"]});
    let made = app.client.call("POST", "/subscriptions").json(&body).send().await.ok();
    let id = made["_id"].as_str().expect("an id");
    let path = format!("/subscriptions/{id}");
    let mut life = Life::of(app.client.call("GET", &path));
    life.look(&app).await;
    for step in [
        json!({"url": "https://example.com/b"}),
        json!({"is_active": false}),
        json!({"is_active": true, "scope": ["USER|PATCH"], "rotate_secret": true}),
    ] {
        app.client.call("PATCH", &path).json(&step).send().await.ok();
        life.look(&app).await;
    }
    life.is_told_again(&app, id).await;
}

#[tokio::test]
async fn operation_is_readable_at_past_positions() {
    let app = still().await;
    let (ada, bob) = (app.operator("Ada").await, app.operator("Bob").await);
    let path = format!("/platforms/{}/operations", app.client.client_id);
    let ask = async |act: Value| {
        let body = json!({"act": act, "reason": "A ticket."});
        ada.call("POST", &path).json(&body).send().await.ok()["_id"].as_str().expect("an id").to_owned()
    };
    ask(json!({"kind": "set_policy", "policy": {"approvals": ["lock"]}})).await;
    let id = ask(json!({"kind": "lock_user", "user_id": app.client.verified("Eve").await.user_id})).await;
    let mut life = Life::of(ada.call("GET", &format!("{path}/{id}")));
    life.look(&app).await;
    bob.call("POST", &format!("{path}/{id}/approve")).json(&json!({})).send().await.ok();
    life.look(&app).await;
    life.is_told_again(&app, &id).await;
}

/// Returns a call of a route with the given query, about the records of the first person of the town.
fn call(town: &Town, route: &Route, query: &str) -> Call {
    let person = &town.people[0];
    town.call(route, person, &person.ids).at(&format!("{}?{query}", fill(route.path(), &person.ids)))
}

#[tokio::test]
async fn unsupported_at_parameter_is_refused() {
    let town = Town::new().await;
    let head = head(&town.app).await;
    let (before, many) = (town.state().await, "9".repeat(400));
    let garbage = [
        "",
        "-1",
        "+1",
        "NaN",
        "1.5",
        "1e3",
        "%00",
        "%FF",
        "now",
        "2026-02-30",
        "2026-01-01T25:00:00Z",
        &many,
    ];
    for route in ROUTES.iter().filter(|route| route.method() == "GET" && route.by != By::Nobody) {
        let is_record = RECORDS.contains(&route.name);
        let of_now = if is_record || BALANCES.contains(&route.name) {
            &[][..]
        } else {
            &["0", "1", "2026-01-01T00:00:00Z"]
        };
        let by_day = if is_record { &["2026-01-01"][..] } else { &[] };
        for at in garbage.iter().chain(of_now).chain(by_day) {
            let error = call(&town, route, &format!("at={at}")).send().await.refused(400, "200");
            assert_eq!(error["field"], "at", "{} {at}", route.name);
        }
        if !is_record {
            continue;
        }
        call(&town, route, "at=0").send().await.refused(404, "404");
        call(&town, route, "at=1970-01-01T00:00:00Z").send().await.refused(404, "404");
        let (now, then) =
            (call(&town, route, "").send().await, call(&town, route, &format!("at={head}")).send().await);
        assert_eq!((now.status, now.body), (200, then.body), "{}", route.name);
        assert_eq!(then.headers["x-daybook-position"], head.to_string(), "{}", route.name);
    }
    assert_eq!(town.state().await, before);
}

/// The file exists at every position from its creation on, and at none before.
#[tokio::test]
async fn file_exists_from_its_cutoff_position_on() {
    let town = Town::new().await;
    let head = head(&town.app).await;
    let route = crate::routes::named("ops.files.get");
    let mut there = vec![];
    for at in 0..=head {
        there.push(call(&town, route, &format!("at={at}")).send().await.status);
    }
    let cut = there.iter().position(|status| *status == 200).expect("it was cut");
    assert!(cut > 1 && there[..cut].iter().all(|status| *status == 404));
    assert!(there[cut..].iter().all(|status| *status == 200));
}
