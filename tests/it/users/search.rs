//! `GET /users`: all users in the order of creation, or the users that a search text matches.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::person;
use daybook_tests::client::Client;
use serde_json::{Value, json};

use super::Patch;

/// Returns the legal names on a page, and the total.
async fn found(client: &Client, query: &str) -> (Vec<String>, u64) {
    let list = client.call("GET", &format!("/users?{query}")).send().await.ok();
    let name = |user: &Value| user["legal_names"][0].as_str().expect("a name").to_owned();
    let names = list["users"].as_array().expect("users").iter().map(name).collect();
    (names, list["users_count"].as_u64().expect("a count"))
}

async fn people(app: &TestApp, names: &[&str]) {
    for name in names {
        app.client.create_user(&person(name)).await.ok();
    }
}

#[tokio::test]
async fn users_are_listed_in_creation_order() {
    let app = TestApp::start().await;
    people(&app, &["Ada", "Bob", "Cat"]).await;
    let own =
        app.client.user(&app.client.user_id).await["legal_names"][0].as_str().expect("a name").to_owned();
    assert_eq!(found(&app.client, "").await, (vec![own, "Ada".into(), "Bob".into(), "Cat".into()], 4));
    assert_eq!(found(&app.client, "per_page=2&page=2").await, (vec!["Bob".into(), "Cat".into()], 4));
    assert_eq!(found(&app.client, "page=9").await, (vec![], 4));
    let list = app.client.call("GET", "/users?per_page=1").send().await.ok();
    let first = &list["users"][0];
    assert_eq!(first["_id"], json!(app.client.user_id));
    assert!(first["refresh_token"].as_str().is_some_and(|token| token.starts_with("refresh_")));
    assert_eq!((&list["page"], &list["limit"], &list["page_count"]), (&json!(1), &json!(1), &json!(4)));
}

#[tokio::test]
async fn search_matches_prefix_of_login_or_name() {
    let app = TestApp::start().await;
    people(&app, &["Ada Lovelace", "Adam Émile Wolfeschlegelsteinhausenbergerdorff", "Bob Adamson"]).await;
    let table = [
        ("ad", vec!["Ada Lovelace", "Adam Émile Wolfeschlegelsteinhausenbergerdorff", "Bob Adamson"]),
        ("ADA", vec!["Ada Lovelace", "Adam Émile Wolfeschlegelsteinhausenbergerdorff", "Bob Adamson"]),
        ("adam", vec!["Adam Émile Wolfeschlegelsteinhausenbergerdorff", "Bob Adamson"]),
        ("love", vec!["Ada Lovelace"]),
        ("ada%20%20lov", vec!["Ada Lovelace"]),
        ("%C3%89MI", vec!["Adam Émile Wolfeschlegelsteinhausenbergerdorff"]),
        ("wolfeschlegelsteinhausenb", vec!["Adam Émile Wolfeschlegelsteinhausenbergerdorff"]),
        ("wolfeschlegelsteinhausenx", vec![]),
        ("ada.lovelace@exam", vec!["Ada Lovelace"]),
        ("velace", vec![]),
        ("%25", vec![]),
    ];
    for (query, expected) in table {
        let (names, total) = found(&app.client, &format!("query={query}")).await;
        assert_eq!(
            (names.iter().map(String::as_str).collect::<Vec<_>>(), total),
            (expected.clone(), expected.len() as u64),
            "{query}"
        );
    }
    assert_eq!(found(&app.client, "query=ad&per_page=1&page=3").await, (vec!["Bob Adamson".into()], 3));
    let long = format!("query={}", "wolfeschlegelsteinhausen&per_page=1&page=2");
    assert_eq!(found(&app.client, &long).await, (vec![], 1));
    assert_eq!(found(&app.client, "query=").await.1, 4);
}

#[tokio::test]
async fn search_follows_a_changed_name_immediately() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let update = json!({"legal_name": "Zoe", "remove_legal_name": "Ada", "remove_login": {"email": "Ada@example.com"}, "login": {"email": "zoe@example.com"}});
    ada.patch(&json!({ "update": update })).await.ok();
    assert_eq!(found(&app.client, "query=ada").await, (vec![], 0));
    assert_eq!(found(&app.client, "query=zo").await, (vec!["Zoe".into()], 1));
}

#[tokio::test]
async fn refused_creation_is_not_counted() {
    let app = TestApp::start().await;
    let create =
        || app.client.call("POST", "/users").header("X-SP-IDEMPOTENCY-KEY", "k").json(&person("Ada"));
    create().send().await.ok();
    create().send().await.refused(409, "400");
    assert_eq!(found(&app.client, "query=ada").await, (vec!["Ada".into()], 1));
}

#[tokio::test]
async fn search_excludes_users_of_other_platforms() {
    let app = TestApp::start().await;
    people(&app, &["Ada"]).await;
    let other = app.platform("Other", true).await;
    assert_eq!(found(&other, "query=ada").await, (vec![], 0));
    assert_eq!(found(&other, "").await.1, 1);
}
