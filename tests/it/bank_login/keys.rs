//! Idempotency keys of bank logins: a challenge does not use the key, the call that creates the nodes does.

use daybook_tests::app::TestApp;
use daybook_tests::client::Session;
use daybook_tests::http::Answer;
use futures::future::join_all;
use serde_json::{Value, json};

use super::{asked, begun, count, credentials, linked, reply};

async fn post(user: &Session, key: &str, body: &Value) -> Answer {
    user.call("POST", "/nodes").key(key).json(body).send().await
}

/// The answer to a used key: the id of the first node, and true if the body had the same fingerprint.
#[track_caller]
fn used(answer: &Answer) -> (Value, bool) {
    let error = answer.refused(409, "400");
    assert_eq!(error["code"], "idempotency_key_used");
    (error["original_id"].clone(), error["same_payload"].as_bool().expect("yes or no"))
}

#[tokio::test]
async fn challenge_does_not_use_the_key() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let login = credentials("synapse_good", "test1234");
    let token = asked(&post(&ada, "k", &login).await, "question");
    asked(&post(&ada, "k", &login).await, "question");
    asked(&post(&ada, "k", &reply(&token, "again")).await, "question");
    asked(&post(&ada, "k", &reply(&token, "wrong")).await, "question");
    let (_, [first, _]) = linked(&post(&ada, "k", &reply(&token, "test_answer")).await);
    let first = json!(first);
    // The key is used. A further call under it fails without asking the bank, whatever its body says.
    assert_eq!(used(&post(&ada, "k", &reply(&token, "test_answer")).await), (first.clone(), true));
    assert_eq!(used(&post(&ada, "k", &reply("nonsense", "test_answer")).await), (first.clone(), false));
    assert_eq!(used(&post(&ada, "k", &login).await), (first.clone(), false));
    assert_eq!(used(&post(&ada, "k", &credentials("synapse_no_accounts", "test1234")).await), (first, false));
    assert_eq!(count(&ada).await, 2);
}

#[tokio::test]
async fn refused_login_does_not_use_the_key() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    post(&ada, "k", &credentials("nobody", "test1234")).await.refused(409, "400");
    post(&ada, "k", &credentials("synapse_no_accounts", "test1234")).await.refused(402, "460");
    post(&ada, "k", &reply("nonsense", "test_answer")).await.refused(409, "400");
    let login = credentials("synapse_nomfa", "test1234");
    let (_, [first, _]) = linked(&post(&ada, "k", &login).await);
    assert_eq!(used(&post(&ada, "k", &login).await), (json!(first), true));
    // The fingerprint of a body with a password covers only the bank.
    assert_eq!(used(&post(&ada, "k", &credentials("nobody", "wrong")).await), (json!(first), true));
    assert_eq!(count(&ada).await, 2);
}

#[tokio::test]
async fn finished_token_does_not_use_second_key() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let (token, other) = (begun(&ada).await, begun(&ada).await);
    let (nodes, _) = linked(&post(&ada, "k1", &reply(&token, "test_answer")).await);
    assert_eq!(linked(&post(&ada, "k2", &reply(&token, "test_answer")).await).0, nodes);
    linked(&post(&ada, "k2", &reply(&other, "test_answer")).await);
    assert_eq!(count(&ada).await, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_logins_with_one_key_execute_once() {
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
