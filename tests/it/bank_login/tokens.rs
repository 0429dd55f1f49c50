//! Tokens of challenges: valid for one user and ten minutes, in any process, for one pair of nodes.

use std::collections::HashSet;

use daybook_pg::Pg;
use daybook_tests::app::{SETTLE_AFTER, TestApp};
use daybook_tests::client::{Client, Session};
use futures::future::join_all;

use super::{answer, asked, begun, count, linked};

#[track_caller]
fn unknown(answer: &daybook_tests::http::Answer) {
    assert_eq!(answer.refused(409, "400")["code"], "unknown_access_token");
}

#[tokio::test]
async fn challenge_expires_after_ten_minutes() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let token = begun(&ada).await;
    let _ = app.client.advance(9 * 60).await.ok();
    // A repeated challenge does not restart the ten minutes.
    assert_eq!(asked(&answer(&ada, &token, "again").await, "question"), token);
    let _ = app.client.advance(60).await.ok();
    unknown(&answer(&ada, &token, "test_answer").await);
    assert_eq!(count(&ada).await, 0);
    // A new login works at the advanced time.
    linked(&answer(&ada, &begun(&ada).await, "test_answer").await);
}

#[tokio::test]
async fn token_of_another_user_is_unknown() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.client.stranger("Ada").await, app.client.stranger("Eve").await);
    let other = app.platform("Other", true).await.own_session().await;
    let token = begun(&ada).await;
    for thief in [&eve, &other] {
        unknown(&answer(thief, &token, "test_answer").await);
        assert_eq!(thief.call("GET", "/nodes?type=ACH-US").send().await.ok()["node_count"], 0);
    }
    linked(&answer(&ada, &token, "test_answer").await);
    // The token stays unknown to other users after the login has finished.
    unknown(&answer(&eve, &token, "test_answer").await);
}

#[tokio::test]
async fn altered_token_is_unknown() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let token = begun(&ada).await;
    let swapped = |at: usize| {
        let other = if token.as_bytes()[at] == b'0' { "1" } else { "0" };
        format!("{}{other}{}", &token[..at], &token[at + 1..])
    };
    let mut altered: Vec<String> = (0..token.len()).step_by(7).map(swapped).collect();
    altered.extend([
        swapped(token.len() - 1),
        token[..token.len() - 2].to_owned(),
        format!("{token}00"),
        format!("{token} "),
        token.to_uppercase(),
        token.trim_start_matches("mfa_").to_owned(),
        "nonsense".to_owned(),
        "mfa_".to_owned(),
        ada.oauth_key.clone(),
    ]);
    for text in altered {
        unknown(&answer(&ada, &text, "test_answer").await);
    }
    assert_eq!(count(&ada).await, 0);
}

#[tokio::test]
async fn finished_token_returns_the_same_nodes() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let token = begun(&ada).await;
    let (nodes, _) = linked(&answer(&ada, &token, "test_answer").await);
    // The bank is not asked again, so the answer does not matter.
    for text in ["test_answer", "again", "wrong"] {
        assert_eq!(linked(&answer(&ada, &token, text).await).0, nodes, "{text}");
    }
    assert_eq!(count(&ada).await, 2);
    // Another login shows the same accounts under other ids.
    let (_, others) = linked(&answer(&ada, &begun(&ada).await, "test_answer").await);
    assert_eq!(count(&ada).await, 4);
    let theirs = others.iter().map(String::as_str).collect::<HashSet<_>>();
    assert!(
        nodes
            .as_array()
            .expect("a list")
            .iter()
            .all(|node| !theirs.contains(node["_id"].as_str().expect("an id")))
    );
}

#[tokio::test]
async fn deleted_linked_node_is_not_restored() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let token = begun(&ada).await;
    let (_, ids) = linked(&answer(&ada, &token, "test_answer").await);
    // The first node identifies the finished login.
    let _ = ada.call("DELETE", &format!("/nodes/{}", ids[0])).send().await.ok();
    let (nodes, again) = linked(&answer(&ada, &token, "test_answer").await);
    assert_eq!(again, ids);
    assert_eq!((&nodes[0]["is_active"], &nodes[1]["is_active"]), (&false.into(), &true.into()));
    assert_eq!(count(&ada).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_answers_to_token_create_two_nodes() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let token = begun(&ada).await;
    let answers = join_all((0..20).map(|_| answer(&ada, &token, "test_answer"))).await;
    let (nodes, _) = linked(&answers[0]);
    for answer in &answers {
        assert_eq!(linked(answer).0, nodes);
    }
    assert_eq!(count(&ada).await, 2);
    let made = app.events().await.iter().filter(|happened| happened.event.schema().event_type == 20).count();
    // The two linked nodes and the platform's reserve.
    assert_eq!(made, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_process_can_continue_a_login() {
    let first = TestApp::start().await;
    let pg = Pg::new(first.database.config()).expect("a pool");
    let second = TestApp::start_on(first.database.clone(), pg, SETTLE_AFTER).await;
    let ada = first.client.stranger("Ada").await;
    let client = Client { address: second.address, ..ada.client.clone() };
    let there = Session { client, ..ada.clone() };
    let token = begun(&ada).await;
    assert_eq!(asked(&answer(&there, &token, "again").await, "question"), token);
    let (_, ids) = linked(&answer(&there, &token, "test_answer").await);
    // The first process returns the nodes that the second one created.
    assert_eq!(linked(&answer(&ada, &token, "test_answer").await).1, ids);
    assert_eq!(count(&ada).await, 2);
    second.stop().await;
    first.stop().await;
}
