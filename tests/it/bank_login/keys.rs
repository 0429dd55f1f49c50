//! Idempotency keys: a challenge uses none up, the call that makes the nodes does.

use daybook_tests::app::TestApp;
use daybook_tests::client::Session;
use daybook_tests::http::Answer;
use futures::future::join_all;
use serde_json::{Value, json};

use super::{asked, begun, count, credentials, linked, reply};

async fn post(user: &Session, key: &str, body: &Value) -> Answer {
    user.call("POST", "/nodes").key(key).json(body).send().await
}

/// What a used key is answered: which node came first, and whether the body said the same.
#[track_caller]
fn used(answer: &Answer) -> (Value, bool) {
    let error = answer.refused(409, "400");
    assert_eq!(error["code"], "idempotency_key_used");
    (error["original_id"].clone(), error["same_payload"].as_bool().expect("yes or no"))
}

#[tokio::test]
async fn a_challenge_uses_no_key_up() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let login = credentials("synapse_good", "test1234");
    let token = asked(&post(&ada, "k", &login).await, "question");
    asked(&post(&ada, "k", &login).await, "question");
    asked(&post(&ada, "k", &reply(&token, "again")).await, "question");
    asked(&post(&ada, "k", &reply(&token, "wrong")).await, "question");
    let (_, [first, _]) = linked(&post(&ada, "k", &reply(&token, "test_answer")).await);
    let first = json!(first);
    // Now it is used, for whatever comes under it: no bank is asked.
    assert_eq!(used(&post(&ada, "k", &reply(&token, "test_answer")).await), (first.clone(), true));
    assert_eq!(used(&post(&ada, "k", &reply("nonsense", "test_answer")).await), (first.clone(), false));
    assert_eq!(used(&post(&ada, "k", &login).await), (first.clone(), false));
    assert_eq!(used(&post(&ada, "k", &credentials("synapse_no_accounts", "test1234")).await), (first, false));
    assert_eq!(count(&ada).await, 2);
}

#[tokio::test]
async fn a_refused_login_uses_no_key_up() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    post(&ada, "k", &credentials("nobody", "test1234")).await.refused(409, "400");
    post(&ada, "k", &credentials("synapse_no_accounts", "test1234")).await.refused(402, "460");
    post(&ada, "k", &reply("nonsense", "test_answer")).await.refused(409, "400");
    let login = credentials("synapse_nomfa", "test1234");
    let (_, [first, _]) = linked(&post(&ada, "k", &login).await);
    assert_eq!(used(&post(&ada, "k", &login).await), (json!(first), true));
    // Of a body with a password in it nothing is remembered but the bank.
    assert_eq!(used(&post(&ada, "k", &credentials("nobody", "wrong")).await), (json!(first), true));
    assert_eq!(count(&ada).await, 2);
}

#[tokio::test]
async fn a_token_that_has_ended_uses_no_second_key_up() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let (token, other) = (begun(&ada).await, begun(&ada).await);
    let (nodes, _) = linked(&post(&ada, "k1", &reply(&token, "test_answer")).await);
    assert_eq!(linked(&post(&ada, "k2", &reply(&token, "test_answer")).await).0, nodes);
    linked(&post(&ada, "k2", &reply(&other, "test_answer")).await);
    assert_eq!(count(&ada).await, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_20_logins_at_once_with_one_key_one_is_carried_out() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let login = credentials("synapse_nomfa", "test1234");
    let answers = join_all((0..20).map(|_| post(&ada, "k", &login))).await;
    let (done, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
    let [done] = done[..] else { panic!("{} were carried out", done.len()) };
    let (_, [first, _]) = linked(done);
    for answer in refused {
        assert_eq!(used(answer), (json!(first), true));
    }
    assert_eq!(count(&ada).await, 2);
}
