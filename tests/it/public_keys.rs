//! Public keys: each opens the routes of its scopes for 15 minutes, and no other route.

use daybook_engine::access::Scopes;
use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer;
use daybook_tests::client::{Client, DEVICE};
use daybook_tests::http::{Answer, Call};
use serde_json::{Value, json};

use crate::privacy::{assert_nowhere, dump};
use crate::routes::{By, ROUTES, Route};
use crate::scopes::others;
use crate::town::{Person, Town};

/// All scopes of public keys.
const ALL: [&str; 11] = [
    "OAUTH|POST",
    "USERS|POST",
    "USERS|GET",
    "USER|GET",
    "USER|PATCH",
    "SUBSCRIPTIONS|GET",
    "SUBSCRIPTIONS|POST",
    "SUBSCRIPTION|GET",
    "SUBSCRIPTION|PATCH",
    "CLIENT|REPORTS",
    "CLIENT|CONTROLS",
];

async fn ask(client: &Client, query: &str) -> Answer {
    client.call("GET", &format!("/client?issue_public_key=YES&{query}")).send().await
}

/// Issues a key with these scopes and returns it in the form of the header.
async fn key(client: &Client, scopes: &[&str]) -> String {
    let issued = ask(client, &format!("scope={}", scopes.join(","))).await.ok();
    format!("|{}", issued["public_key_obj"]["public_key"].as_str().expect("a key"))
}

/// Returns a call of a route about `person`'s own records, with a key instead of the platform's credentials.
fn call(town: &Town, route: &Route, person: &Person, key: &str) -> (String, Call) {
    let call = town.call(route, person, &person.ids).header("X-SP-GATEWAY", key);
    (route.name.to_owned(), call)
}

#[tokio::test]
async fn public_key_record_has_every_documented_field() {
    let app = TestApp::start().await;
    let issued = ask(&app.client, &format!("scope={}", ALL.join(","))).await.ok();
    let key = &issued["public_key_obj"];
    assert_eq!(issued["client"]["id"], json!(app.client.client_id));
    assert!(key["client_obj_id"].is_string() && key["expires_in"] == "900", "{key}");
    let expires_at: i64 = key["expires_at"].as_str().expect("text").parse().expect("seconds");
    let left = expires_at - app.service.engine.clock().now().ms() / 1_000;
    assert!((895..=900).contains(&left), "{left} seconds");
    let mut scopes: Vec<&str> =
        key["scope"].as_array().expect("a list").iter().map(|name| name.as_str().expect("text")).collect();
    let mut all = ALL;
    scopes.sort_unstable();
    all.sort_unstable();
    assert_eq!(scopes, all);
    assert!(key["public_key"].as_str().expect("text").starts_with("public_key_"));
}

#[tokio::test]
async fn invalid_public_key_requests_are_refused() {
    let app = TestApp::start().await;
    for (query, field) in [
        ("", "issue_public_key"),
        ("?scope=USERS|GET", "issue_public_key"),
        ("?issue_public_key=NO&scope=USERS|GET", "issue_public_key"),
        ("?issue_public_key=YES", "scope"),
        ("?issue_public_key=YES&scope=", "scope"),
        ("?issue_public_key=YES&scope=TRANS|POST", "scope"),
        ("?issue_public_key=YES&scope=USERS|GET,canary", "scope"),
        ("?issue_public_key=YES&scope=USERS|GET&at=1", "at"),
    ] {
        let answer = app.client.call("GET", &format!("/client{query}")).send().await;
        assert_eq!(answer.refused(400, "200")["field"], field, "{query}");
    }
    for user in ["canary", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", &app.platform("Other", true).await.user_id] {
        ask(&app.client, &format!("scope=USER|GET&user_id={user}")).await.refused(404, "404");
    }
}

#[tokio::test]
async fn public_key_opens_only_its_scopes() {
    let town = Town::new().await;
    let person = &town.people[0];
    let client = &person.session.client;
    let all = key(client, &ALL).await;
    let (mut closed, mut opening) = (vec![], vec![]);
    for scope in ALL {
        let rest: Vec<&str> = ALL.into_iter().filter(|other| *other != scope).collect();
        let (without, only) = (key(client, &rest).await, key(client, &[scope]).await);
        for route in ROUTES {
            match route.by {
                By::PlatformOrPublicKey(needed) if needed == scope => {
                    closed.push(call(&town, route, person, &without));
                    let (name, call) = call(&town, route, person, &only);
                    opening.push((name, call.header("X-SP-USER", format!("|{DEVICE}"))));
                }
                By::PlatformOrPublicKey(_) => closed.push(call(&town, route, person, &only)),
                By::Gateway | By::Nobody | By::User(_) | By::Operator => {}
            }
        }
    }
    // Routes that need no scope require the platform's own secret: a key with all scopes does not open them.
    closed.extend(of(By::Gateway).map(|route| call(&town, route, person, &all)));
    assert!(closed.len() > 100, "{}", closed.len());
    let before = town.state().await;
    let mut wrong = others(closed, 401, "300").await;
    // A public key is accepted neither as a user's key nor as an operator's credentials.
    let header = |route, name: &str| {
        let bare = town.call(route, person, &person.ids).without("X-SP-USER").without("X-SP-OPERATOR");
        (format!("{} with a key as {name}", route.name), bare.header(name, &all))
    };
    let key = all.trim_start_matches('|');
    let as_users = ROUTES.iter().filter(|route| matches!(route.by, By::User(_))).flat_map(|route| {
        let call = town.call(route, person, &person.ids).header("X-SP-USER", format!("{key}|{DEVICE}"));
        [(route.name.to_owned(), call)]
    });
    wrong.extend(others(as_users.collect(), 401, "110").await);
    let none = ROUTES.iter().filter(|route| matches!(route.by, By::User(_)));
    wrong.extend(others(none.map(|route| header(route, "X-SP-GATEWAY")).collect(), 401, "300").await);
    let as_operators = ["X-SP-OPERATOR", "X-SP-GATEWAY"];
    let calls = of(By::Operator).flat_map(|route| as_operators.map(|name| header(route, name)));
    wrong.extend(others(calls.collect(), 401, "100").await);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(town.state().await, before);
    assert_eq!(opening.len(), 8);
    for (name, call) in opening {
        let answer = call.send().await;
        assert!(answer.status < 300, "{name}: {}", answer.text());
    }
}

fn of(by: By) -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().filter(move |route| route.by == by)
}

#[tokio::test]
async fn only_valid_keys_of_platform_are_accepted() {
    let app = TestApp::start().await;
    let other = app.platform("Other", true).await;
    let access = app.service.engine.access();
    let now = app.service.engine.clock().now();
    let client = access.authenticate(&app.client.client_id, &app.client.client_secret, now).await;
    let client = client.expect("it reads").right().expect("it is right");
    let issue = |ms| access.issue_public_key(&client, Scopes::PUBLIC, None, now.plus_ms(ms)).key;
    let list = async |gateway: &str| {
        app.client.anonymous("GET", "/users").header("X-SP-GATEWAY", gateway).send().await
    };
    let right = issue(0);
    for good in
        [format!("|{right}"), format!("{}|{right}", app.client.client_id), format!("|{}", issue(-890_000))]
    {
        assert_eq!(list(&good).await.ok()["users_count"], 0);
    }
    let (platforms, others) = (&client.platform.short_id, access.platform_of_client(&other.client_id).await);
    let others = others.expect("it reads").expect("there").short_id.clone();
    let bad = [
        format!("|{}", issue(-900_000)),
        format!("|{}", issue(-86_400_000)),
        format!("{}|{right}", other.client_id),
        format!("{}|{right}", app.client.client_id.to_uppercase()),
        format!("|{}", right.replace(platforms.as_str(), &others)),
        format!("|{}", right.to_uppercase()),
        format!("|{right}0"),
        format!("|{right}00"),
        format!("|{}", &right[..right.len() - 2]),
        format!("|x{right}"),
        format!("{right}|"),
        right.clone(),
        "|public_key_".to_owned(),
        format!("|public_key_{platforms}_"),
        format!("|public_key_canary_{}", "0".repeat(120)),
    ];
    for gateway in bad {
        list(&gateway).await.refused(401, "100");
    }
    assert_nowhere(&dump(&app.database).await, &right);
}

#[tokio::test]
async fn single_user_key_opens_no_other_user() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.client.stranger("Ada").await, app.client.stranger("Bob").await);
    let issued = ask(&app.client, &format!("scope={}&user_id={}", ALL.join(","), ada.user_id)).await.ok();
    let key = format!("|{}", issued["public_key_obj"]["public_key"].as_str().expect("a key"));
    let call = |method: &str, path: &str| app.client.anonymous(method, path).header("X-SP-GATEWAY", &key);
    let user = call("GET", &format!("/users/{}", ada.user_id)).send().await.ok();
    assert_eq!(user["legal_names"][0], "Ada");
    let token = json!({"refresh_token": user["refresh_token"]});
    let obtained = call("POST", &format!("/oauth/{}", ada.user_id)).header("X-SP-USER", format!("|{DEVICE}"));
    let obtained = obtained.json(&token).send().await.ok();
    assert_eq!(obtained["user_id"], json!(ada.user_id));
    for id in [&bob.user_id, &app.client.user_id] {
        call("GET", &format!("/users/{id}")).send().await.refused(404, "404");
        call("POST", &format!("/oauth/{id}")).json(&token).send().await.refused(404, "404");
    }
    for (method, path) in [("GET", "/users"), ("POST", "/users"), ("GET", "/subscriptions")] {
        let error = call(method, path).json(&json!({})).send().await.refused(401, "300");
        assert_eq!(error["code"], "scope_missing", "{method} {path}");
    }
}

#[tokio::test]
async fn own_user_needs_key_issued_for_it() {
    let app = TestApp::start().await;
    let own = app.client.user_id.clone();
    let token = json!({"refresh_token": app.client.user(&own).await["refresh_token"]});
    let call = |key: &str, method: &str, path: &str| {
        let call = app.client.anonymous(method, path).header("X-SP-GATEWAY", key);
        call.header("X-SP-USER", format!("|{DEVICE}"))
    };
    let broad = key(&app.client, &ALL).await;
    call(&broad, "GET", &format!("/users/{own}")).send().await.refused(404, "404");
    call(&broad, "POST", &format!("/oauth/{own}")).json(&token).send().await.refused(404, "404");
    let issued = ask(&app.client, &format!("scope=USER|GET,OAUTH|POST&user_id={own}")).await.ok();
    let named = format!("|{}", issued["public_key_obj"]["public_key"].as_str().expect("a key"));
    let _ = call(&named, "GET", &format!("/users/{own}")).send().await.ok();
    let _ = call(&named, "POST", &format!("/oauth/{own}")).json(&token).send().await.ok();
}

#[tokio::test]
async fn public_key_lists_all_except_own_user() {
    let app = TestApp::start().await;
    let own = app.client.user(&app.client.user_id).await;
    let name = own["legal_names"][0].as_str().expect("a name").to_owned();
    let mut made = vec![];
    for number in 0..5 {
        made.push(app.client.stranger(&format!("{name} {number}")).await.user_id);
    }
    let broad = key(&app.client, &ALL).await;
    for query in [String::new(), format!("&query={}", &name[..3]), format!("&query={name}")] {
        for per_page in 1..=6 {
            let mut listed = vec![];
            for page in 1..=6 {
                let path = format!("/users?page={page}&per_page={per_page}{query}");
                let call =
                    |gateway: String| app.client.anonymous("GET", &path).header("X-SP-GATEWAY", gateway);
                let answer = call(broad.clone()).send().await.ok();
                assert_eq!(answer["users_count"], 5, "{path}");
                assert_eq!(answer["page_count"], json!(5_usize.div_ceil(per_page)), "{path}");
                let users = answer["users"].as_array().expect("a list").iter();
                listed.extend(users.map(|user| user["_id"].as_str().expect("an id").to_owned()));
                if query.is_empty() {
                    assert_eq!(call(app.client.gateway()).send().await.ok()["users_count"], 6, "{path}");
                }
            }
            assert_eq!(listed, made, "{per_page} a page{query}");
        }
    }
}

/// A public key beside a user's key is verified but grants nothing: a restricted node requires the platform's secret.
#[tokio::test]
async fn public_key_grants_nothing_beside_user_key() {
    let app = TestApp::start().await;
    let us = app.client.own_session().await;
    let made =
        json!({"type": "DEPOSIT-US", "info": {"nickname": "x"}, "extra": {"gateway_restricted": true}});
    let made = us.create_node(&made).await.ok();
    let from = made["nodes"][0]["_id"].as_str().expect("an id").to_owned();
    let _ = app.client.credit(&from, "10").await.ok();
    let to = us.node("DEPOSIT-US").await;
    let pay = |gateway: &str| us.transfer(&from, &transfer(&to, "1")).header("X-SP-GATEWAY", gateway);
    let key = key(&app.client, &ALL).await;
    assert_eq!(pay(&key).send().await.refused(401, "300")["code"], "gateway_restricted");
    pay(&format!("{key}0")).send().await.refused(401, "100");
    let strangers = self::key(&app.platform("Other", true).await, &ALL).await;
    pay(&strangers).send().await.refused(401, "100");
    let made: Value = pay(&app.client.gateway()).send().await.ok();
    assert!(made["_id"].is_string());
}
