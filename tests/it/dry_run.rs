//! Dry runs (simulations): the call is decided and answered as usual, and no stored row changes.

use std::time::Duration;

use daybook_tests::app::TestApp;
use daybook_tests::bodies;
use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::http::{Answer, Call};
use daybook_tests::shard;
use serde_json::{Value, json};

use crate::privacy::dump;
use crate::routes::{ROUTES, Route, fill, named};
use crate::town::{Ids, Town};

/// Routes that refuse a dry run: calls that the ledger alone does not decide, and calls that create credentials.
pub(crate) const REFUSED: [&str; 6] = [
    "oauth.create",
    "subscriptions.redeliver",
    "verification.routing_number",
    "verification.address",
    "sandbox.settle",
    "ops.files.returns",
];

/// Returns true if a call of the route changes something.
pub(crate) fn changes(route: &Route) -> bool {
    route.method() != "GET" || route.name == "nodes.dummy_tran"
}

/// Content of all tables, after everything recorded is projected and the tables are stable for 60 ms.
async fn stored(app: &TestApp, database: &Database) -> Vec<(String, String)> {
    until("the tables rest", async || {
        let head = app.service.engine.log().head(shard()).await.expect("a log").position;
        let cursor = app.service.engine.reads().store().position(shard()).await.expect("a cursor");
        let first = sorted(database).await;
        tokio::time::sleep(Duration::from_millis(60)).await;
        (head == cursor && first == sorted(database).await).then_some(first)
    })
    .await
}

/// Table in which every process updates its heartbeat, independent of calls.
const HEARTBEAT: &str = "public.reader";

/// Content of all tables with sorted rows, because the order on disk has no meaning.
async fn sorted(database: &Database) -> Vec<(String, String)> {
    let sort = |(table, rows): (String, String)| {
        let mut rows: Vec<&str> = rows.lines().collect();
        rows.sort_unstable();
        (table, rows.join("\n"))
    };
    dump(database).await.into_iter().filter(|(table, _)| table != HEARTBEAT).map(sort).collect()
}

/// Checks that no table changed. Names a changed table with its new rows.
async fn nothing_changed(before: &[(String, String)], app: &TestApp, what: &str) {
    for ((table, was), (_, is)) in before.iter().zip(stored(app, &app.database).await) {
        let new: Vec<&str> = is.lines().filter(|row| !was.lines().any(|old| old == *row)).collect();
        assert!(*was == is, "{what} changed {table}: {new:#?}");
    }
}

fn is_dry(answer: &Answer) -> bool {
    answer.headers.get("x-daybook-dry-run").is_some_and(|value| value == "true")
}

/// Log position of an answer, from its header.
fn position(answer: &Answer) -> u64 {
    let header = answer.headers.get("x-daybook-position").expect("is there");
    header.to_str().expect("digits").parse().expect("a number")
}

/// Status and body of an answer, without the parts that differ between any two calls: ids, times, tokens, secrets and
/// account numbers.
fn told(answer: &Answer) -> (u16, Value) {
    fn blur(value: &mut Value) {
        match value {
            Value::String(text) => {
                let is_id = |part: &str| {
                    let is_alnum = part.bytes().all(|byte| byte.is_ascii_alphanumeric());
                    is_alnum && [26, 64].contains(&part.len())
                };
                let parts: Vec<_> =
                    text.split('/').map(|part| if is_id(part) { "ID" } else { part }).collect();
                *text = parts.join("/");
            }
            Value::Number(number) if number.as_f64().is_some_and(|number| number > 1e12) => {
                *value = json!("TIME");
            }
            Value::Array(list) => list.iter_mut().for_each(blur),
            Value::Object(map) => {
                for name in ["refresh_token", "account_num", "secret"] {
                    map.remove(name);
                }
                map.values_mut().for_each(blur);
            }
            _ => {}
        }
    }
    let mut body = answer.json();
    blur(&mut body);
    (answer.status, body)
}

/// A call of a route with this query.
fn call(town: &Town, person: usize, route: &Route, ids: &Ids, query: &str) -> Call {
    town.call(route, &town.people[person], ids).at(&format!("{}{query}", fill(route.path(), ids)))
}

/// Ids for a valid call. Objects that other calls use up are created anew.
async fn fresh(town: &Town, route: &Route) -> (usize, Ids) {
    // Each platform has one pending operation.
    let index = if route.name == "ops.operations.decline" { 2 } else { 0 };
    let person = &town.people[index];
    let (us, mut ids) = (&person.session, person.ids.clone());
    if route.name == "nodes.delete" {
        ids.insert("node_id", us.node("DEPOSIT-US").await);
    }
    if route.path().contains("{trans_id}") {
        ids.insert("trans_id", us.sent(&ids["node_id"], &ids["to_id"], "1.00").await);
    }
    let before = match route.name {
        "sandbox.release" => Some(("queue", json!({"code": "Q10"}))),
        "sandbox.return" => Some(("settle", json!({}))),
        _ => None,
    };
    if let Some((what, body)) = before {
        us.client.simulate(&ids["trans_id"], what, &body).await.ok();
    }
    if route.name == "users.update" {
        let user = us.client.user(&us.user_id).await;
        ids.insert("refresh_token", user["refresh_token"].as_str().expect("a token").to_owned());
    }
    (index, ids)
}

#[tokio::test]
async fn dry_run_answers_like_call_changing_nothing() {
    let town = Town::new().await;
    let mut refused = vec![];
    for route in ROUTES.iter().filter(|route| changes(route)) {
        let (person, ids) = fresh(&town, route).await;
        let before = stored(&town.app, &town.app.database).await;
        let head = town.state().await.0;
        let dry = call(&town, person, route, &ids, "?dry_run=true").key(route.name).send().await;
        nothing_changed(&before, &town.app, route.name).await;
        assert!(is_dry(&dry), "{}", route.name);
        let real = call(&town, person, route, &ids, "?dry_run=false").key(route.name).send().await;
        assert!(real.status < 300 && !is_dry(&real), "{}: {}", route.name, real.text());
        if let (Some(id), true) = (real.json()["_id"].as_str(), route.name.starts_with("users.")) {
            town.people[person].session.client.reviewed(id).await;
        }
        if dry.status == 400 && dry.json()["error"]["field"] == "dry_run" {
            refused.push(route.name);
            continue;
        }
        assert_eq!(told(&dry), told(&real), "{}", route.name);
        assert_eq!(position(&dry), head, "{}: it tells the head that it was decided on", route.name);
    }
    assert_eq!(refused, REFUSED);
}

#[tokio::test]
async fn ambiguous_dry_run_parameter_is_refused() {
    let town = Town::new().await;
    let before = stored(&town.app, &town.app.database).await;
    for route in ROUTES.iter().filter(|route| changes(route)) {
        for wrong in ["", "=", "=yes", "=TRUE", "=1", "=%00", "=%FF", "=true&dry_run="] {
            let answer = call(&town, 0, route, &town.people[0].ids, &format!("?dry_run{wrong}")).send().await;
            assert_eq!(answer.refused(400, "200")["field"], "dry_run", "{} {wrong}", route.name);
        }
    }
    nothing_changed(&before, &town.app, "a call").await;
    // A call that changes nothing ignores the parameter.
    let _ = call(&town, 0, named("nodes.get"), &town.people[0].ids, "?dry_run=maybe").send().await.ok();
}

/// A dry run would allow unlimited guesses at the amounts of micro-deposits.
#[tokio::test]
async fn guesses_and_bank_logins_refuse_dry_runs() {
    let app = TestApp::settling_after(Duration::from_mins(15)).await;
    let us = app.client.own_session().await;
    let node = us.node("ACH-US").await;
    let before = stored(&app, &app.database).await;
    let told = |amounts: Value| us.call("PATCH", &format!("/nodes/{node}?dry_run=true")).json(&amounts);
    for amounts in [json!({"micro": [0.1, 0.1]}), json!({"micro": [0.2, 0.1]})] {
        let error = told(amounts).send().await.refused(400, "200");
        assert_eq!(error["en"], "dry_run is not for micro-deposits that are told: every guess counts.");
    }
    let login = json!({"type": "ACH-US", "info": {"bank_id": "synapse_good", "bank_pw": "test1234", "bank_name": "fake"}});
    for body in [login, json!({"access_token": "x", "mfa_answer": "y"})] {
        let error = us.call("POST", "/nodes?dry_run=true").json(&body).send().await.refused(400, "200");
        assert_eq!(error["field"], "dry_run");
    }
    nothing_changed(&before, &app, "a guess").await;
    // Sending the micro-deposits again may be a dry run.
    let again = us.call("PATCH", &format!("/nodes/{node}?resend_micro=YES&dry_run=true")).json(&json!({}));
    assert!(is_dry(&again.send().await));
    nothing_changed(&before, &app, "sending again").await;
}

#[tokio::test]
async fn dry_run_refuses_alike_without_using_key() {
    let app = TestApp::settling_after(Duration::from_mins(15)).await;
    let us = app.client.own_session().await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let pay = |query: &str| {
        us.call("POST", &format!("/nodes/{from}/trans{query}")).json(&bodies::transfer(&to, "4"))
    };
    for _ in 0..3 {
        let dry = pay("?dry_run=true").key("k").send().await;
        assert_eq!((dry.ok()["recent_status"]["status"].clone(), is_dry(&dry)), (json!("CREATED"), true));
    }
    assert_eq!(us.numbers(&from).await, "10.00 0.00 10.00 0.00");
    let made = pay("").key("k").send().await.ok();
    let used = pay("?dry_run=true").key("k").send().await;
    assert_eq!(used.refused(409, "400")["original_id"], made["_id"]);
    assert!(is_dry(&used));
    let [dry, real] = ["true", "false"].map(|dry| {
        let call = us.client.call("POST", &format!("/sandbox/nodes/{from}/debit?dry_run={dry}"));
        call.json(&json!({"amount": {"amount": 100, "currency": "USD"}}))
    });
    let (dry, real) = (dry.send().await, real.send().await);
    assert_eq!((dry.status, told(&dry)), (409, told(&real)));
    // The user of a dry run does not exist and is not found by a search.
    let ghost =
        app.client.call("POST", "/users?dry_run=true").json(&bodies::person("Greta Ghost")).send().await;
    let ghost = ghost.ok();
    assert_eq!((&ghost["legal_names"][0], &ghost["refresh_token"]), (&json!("Greta Ghost"), &json!("")));
    let path = format!("/users/{}", ghost["_id"].as_str().expect("an id"));
    app.client.call("GET", &path).send().await.refused(404, "404");
    assert_eq!(app.client.call("GET", "/users?query=Greta").send().await.ok()["users_count"], 0);
}

/// Account numbers are allocated once. A dry run shows a number that no account has, the same every time.
#[tokio::test]
async fn dry_run_allocates_no_account_number() {
    let app = TestApp::start().await;
    let us = app.client.own_session().await;
    let node = us.node("DEPOSIT-US").await;
    let dry = async || {
        let call = us.call("POST", &format!("/nodes/{node}/subnets?dry_run=true"));
        call.json(&json!({"nickname": "My subnet"})).send().await.ok()["account_num"].clone()
    };
    let first = dry().await;
    let real = us.subnet(&node).await["account_num"].clone();
    assert_eq!(first, dry().await);
    assert_ne!(first, real);
}
