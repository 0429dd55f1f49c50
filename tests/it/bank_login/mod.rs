//! Bank logins: challenges until the bank lists its accounts, one node per account, and no disclosure of the
//! credentials.

mod keys;
mod outcomes;
pub(crate) mod secrecy;
mod tokens;

use daybook_tests::client::Session;
use daybook_tests::http::Answer;
use serde_json::{Value, json};

/// Body of a login at the sandbox's bank.
fn credentials(bank_id: &str, bank_pw: &str) -> Value {
    json!({"type": "ACH-US", "info": {"bank_id": bank_id, "bank_pw": bank_pw, "bank_name": "fake"}})
}

/// Body of an answer to a challenge.
fn reply(token: &str, answer: &str) -> Value {
    json!({"access_token": token, "mfa_answer": answer})
}

async fn log_in(user: &Session, bank_id: &str) -> Answer {
    user.create_node(&credentials(bank_id, "test1234")).await
}

async fn answer(user: &Session, token: &str, text: &str) -> Answer {
    user.create_node(&reply(token, text)).await
}

/// Token of a login that waits for the answer to its challenge.
async fn begun(user: &Session) -> String {
    asked(&log_in(user, "synapse_good").await, "question")
}

/// Token of a challenge of this type. Checks the shape that the API contract requires.
#[track_caller]
fn asked(answer: &Answer, kind: &str) -> String {
    assert_eq!(answer.status, 202, "{}", answer.text());
    let body = answer.json();
    let token = body["mfa"]["access_token"].as_str().expect("a token").to_owned();
    assert!(body["mfa"]["message"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
    let expected = json!({
        "error_code": "10", "http_code": "202", "success": true,
        "mfa": {"access_token": token, "message": body["mfa"]["message"], "type": kind},
    });
    assert_eq!(body, expected);
    token
}

/// Nodes of a finished login, and their ids.
#[track_caller]
fn linked(answer: &Answer) -> (Value, [String; 2]) {
    let mut body = answer.ok();
    let nodes = body["nodes"].take();
    let id = |at: usize| nodes[at]["_id"].as_str().expect("two nodes").to_owned();
    let ids = [id(0), id(1)];
    let envelope = json!({
        "error_code": "0", "http_code": "200", "limit": 20, "node_count": 2, "nodes": null, "page": 1,
        "page_count": 1, "success": true,
    });
    assert_eq!(body, envelope);
    (nodes, ids)
}

/// Number of nodes of the user.
async fn count(user: &Session) -> u64 {
    let list = user.call("GET", "/nodes").send().await.ok();
    list["node_count"].as_u64().expect("a number")
}
