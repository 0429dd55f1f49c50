//! Credentials: each route accepts its own kind of credentials only, and a key only with the scope of the route.

use std::collections::BTreeMap;

use daybook_tests::client::{Client, DEVICE};
use daybook_tests::http::{Answer, Call};
use daybook_tests::operator::Operator;
use futures::stream::{self, StreamExt};
use serde_json::json;

use crate::routes::{By, ROUTES, Route};
use crate::town::{Person, Town};

/// Number of concurrent calls.
const CONCURRENT_CALLS: usize = 16;

/// Returns the routes of users, each with its scope.
fn of_users() -> impl Iterator<Item = (&'static Route, &'static str)> {
    ROUTES.iter().filter_map(|route| match route.by {
        By::User(scope) => Some((route, scope)),
        By::Nobody | By::Gateway | By::PlatformOrPublicKey(_) | By::Operator => None,
    })
}

fn of(by: By) -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().filter(move |route| route.opened_by() == by)
}

/// Returns all scopes, which are those of a key issued without a list of scopes.
async fn all_scopes(person: &Person) -> Vec<String> {
    let body = json!({"refresh_token": person.ids["refresh_token"]});
    let key = person.session.client.oauth(&person.session.user_id, &body).await.ok();
    let scopes = key["scope"].as_array().expect("a list");
    scopes.iter().map(|scope| scope.as_str().expect("a name").to_owned()).collect()
}

/// Issues a key with these scopes.
async fn key(person: &Person, scopes: &[&str]) -> String {
    let token = person.session.client.user(&person.session.user_id).await["refresh_token"].clone();
    let body = json!({"refresh_token": token, "scope": scopes});
    let key = person.session.client.oauth(&person.session.user_id, &body).await.ok();
    format!("{}|{DEVICE}", key["oauth_key"].as_str().expect("a key"))
}

/// Sends all calls concurrently and returns a line for each answer other than `status` with `error_code`.
pub(crate) async fn others(calls: Vec<(String, Call)>, status: u16, error_code: &str) -> Vec<String> {
    let answers = stream::iter(calls).map(async |(name, call)| (name, call.send().await));
    let answers: Vec<(String, Answer)> = answers.buffer_unordered(CONCURRENT_CALLS).collect().await;
    let is_other = |answer: &Answer| {
        let body = answer.failure();
        (answer.status, body["error_code"].as_str()) != (status, Some(error_code))
    };
    answers
        .iter()
        .filter(|(_, answer)| answer.status < 400 || is_other(answer))
        .map(|(name, answer)| format!("{name}: {} {:.200}", answer.status, answer.text()))
        .collect()
}

#[tokio::test]
async fn scope_opens_only_its_own_routes() {
    let town = Town::new().await;
    let person = &town.people[0];
    let all = all_scopes(person).await;
    for (route, scope) in of_users() {
        assert!(all.iter().any(|known| known == scope), "{}: {scope}", route.name);
    }
    let (mut refused, mut opening) = (vec![], BTreeMap::new());
    for scope in &all {
        let rest: Vec<_> = all.iter().map(String::as_str).filter(|other| other != scope).collect();
        let (without, with) = (key(person, &rest).await, key(person, &[scope.as_str()]).await);
        for (route, needed) in of_users() {
            let (which, key) = if needed == scope { ("all but", &without) } else { ("only", &with) };
            let call = town.call(route, person, &person.ids).header("X-SP-USER", key);
            refused.push((format!("{} with {which} {scope}", route.name), call));
        }
        opening.insert(scope.clone(), with);
    }
    let before = town.state().await;
    let wrong = others(refused, 401, "300").await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(town.state().await, before);
    // The many keys have used up the first refresh token.
    let mut ids = person.ids.clone();
    let user = person.session.client.user(&person.session.user_id).await;
    ids.insert("refresh_token", user["refresh_token"].as_str().expect("a token").to_owned());
    // Routes that delete an object come last.
    let (last, first): (Vec<_>, Vec<_>) = of_users().partition(|(route, _)| route.method() == "DELETE");
    for (route, scope) in first.into_iter().chain(last.into_iter().rev()) {
        let call = town.call(route, person, &ids).header("X-SP-USER", &opening[scope]);
        let answer = call.send().await;
        let opens = answer.status < 300 || answer.json()["error_code"] == "410";
        assert!(opens, "{} with only {scope}: {}", route.name, answer.text());
    }
}

#[tokio::test]
async fn only_valid_keys_open_user_routes() {
    let town = Town::new().await;
    let (person, before) = (&town.people[0], town.state().await);
    let stranger = &town.people[2].session.client;
    let (own, right) = (&person.session.client, person.session.oauth_key.as_str());
    let with = |header: &str, values: &[String]| -> Vec<(String, Call)> {
        let call = |route, value: &String| town.call(route, person, &person.ids).header(header, value);
        let calls = of_users().flat_map(|(route, _)| {
            values
                .iter()
                .map(move |value| (format!("{}, {header} {value:?}", route.name), call(route, value)))
        });
        calls.collect()
    };
    let bare = of_users().map(|(route, _)| {
        (format!("{} without a key", route.name), town.call(route, person, &person.ids).without("X-SP-USER"))
    });
    let none = with("X-SP-USER", &["", "|", "|device-1", " | "].map(str::to_owned));
    let of_operators = town.operator.credentials();
    let wrong_keys = [
        of_operators.as_str(),
        "x",
        "x|y",
        &format!("{right}0"),
        &right[1..],
        &own.client_secret,
        &person.ids["user_id"],
    ];
    let wrong_gateway = [
        format!("{}|wrong", own.client_id),
        format!("wrong|{}", own.client_secret),
        own.client_id.clone(),
        "|".to_owned(),
        stranger.gateway(),
    ];
    let mut wrong = others(bare.chain(none).collect(), 401, "300").await;
    wrong.extend(others(with("X-SP-USER", &wrong_keys.map(str::to_owned)), 401, "110").await);
    wrong.extend(others(with("X-SP-GATEWAY", &wrong_gateway), 401, "100").await);
    // This key has not been used: sessions of the other keys are cached with their expiry.
    let expired = key(person, &["USER|GET"]).await;
    let expire = "update oauth_key set expires_at = now() - interval '1 second'";
    let database = town.app.database.pg().client().await.expect("a connection");
    assert!(database.execute(expire, &[]).await.expect("keys") > 0);
    wrong.extend(others(with("X-SP-USER", &[expired]), 401, "110").await);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(town.state().await, before);
}

#[tokio::test]
async fn routes_require_their_own_kind_of_credentials() {
    let town = Town::new().await;
    let (person, before) = (&town.people[0], town.state().await);
    let (own, stranger) = (&person.session.client, &town.people[2].session.client);
    let (operator, key) = (&town.operator, format!("{}|{DEVICE}", person.session.oauth_key));
    let wrong = |id: &str, secret: &str, others: &[String]| {
        let halves = ["", "|", id, secret, &format!("{id}|"), &format!("|{secret}")].map(str::to_owned);
        let spoilt = [
            format!("{id}{secret}"),
            format!("{secret}|{id}"),
            format!("{id}|{secret}0"),
            format!("{id}|{}", &secret[1..]),
            format!("{id}|{}", secret.to_uppercase()),
            format!("{id}|{secret}|{secret}"),
            format!("{}|{secret}", id.to_lowercase() + "0"),
            format!("x{id}|{secret}"),
        ];
        [&halves[..], &spoilt, others].concat()
    };
    let Client { client_id, client_secret, .. } = own;
    let Operator { operator_id, operator_secret, .. } = operator;
    let ulid = operator_id.trim_start_matches("operator_id_");
    let no_gateway = [format!("{client_id}|{}", stranger.client_secret), operator.credentials(), key.clone()];
    let no_operator = [
        format!("{ulid}|{operator_secret}"),
        format!("operator_id_{}|{operator_secret}", ulid.to_lowercase()),
        format!("operator_id_00000000000000000000000000|{operator_secret}"),
        format!("{}|{operator_secret}", town.app.operator("Cay").await.operator_id),
        own.gateway(),
        key.clone(),
    ];
    let tables = [
        (By::Gateway, "X-SP-GATEWAY", wrong(client_id, client_secret, &no_gateway)),
        (By::Operator, "X-SP-OPERATOR", wrong(operator_id, operator_secret, &no_operator)),
    ];
    let mut calls = vec![];
    for (by, header, values) in &tables {
        for route in of(*by) {
            // Additional valid credentials of other kinds are ignored.
            let call = || {
                let call = town.call(route, person, &person.ids).header("X-SP-USER", &key);
                let call = call.header("X-SP-GATEWAY", own.gateway());
                call.header("X-SP-OPERATOR", operator.credentials())
            };
            calls.push((format!("{} without {header}", route.name), call().without(header)));
            for value in values {
                calls.push((format!("{}, {header} {value:?}", route.name), call().header(header, value)));
            }
        }
    }
    let wrong = others(calls, 401, "100").await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(town.state().await, before);
}

#[tokio::test]
async fn production_platform_cannot_simulate() {
    let town = Town::new().await;
    let production = town.app.platform("Production", false).await;
    let person = &town.people[0];
    let simulated = of(By::Gateway).filter(|route| route.path().starts_with("/v3.1/sandbox/"));
    let call = |route: &Route| {
        let call = town.call(route, person, &person.ids).header("X-SP-GATEWAY", production.gateway());
        (route.name.to_owned(), call)
    };
    let wrong = others(simulated.map(call).collect(), 404, "404").await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
