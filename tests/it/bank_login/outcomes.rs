//! Login results of each test customer of the sandbox's bank.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::{person, transfer_to};
use daybook_tests::client::Client;
use serde_json::{Value, json};

use super::{answer, asked, begun, count, credentials, linked, log_in};

#[tokio::test]
async fn right_answer_creates_node_for_each_account() {
    let app = TestApp::start().await;
    for name in ["synapse_good", "test_good"] {
        let ada = app.client.stranger("Ada").await;
        let token = asked(&log_in(&ada, name).await, "question");
        let (nodes, ids) = linked(&answer(&ada, &token, "test_answer").await);
        let expected = |at: usize, class: &str, nickname: &str, account_num: &str| {
            json!({
                "_id": ids[at],
                "_links": {"self": {"href": format!("http://{}/v3.1/users/{}/nodes/{}", app.address, ada.user_id, ids[at])}},
                "allowed": "CREDIT-AND-DEBIT",
                "client": {"id": app.client.client_id, "name": "Sandbox"},
                "extra": {"note": null, "other": {}, "supp_id": null},
                "info": {
                    "account_num": account_num, "routing_num": "6780", "class": class, "type": "PERSONAL",
                    "nickname": nickname, "name_on_account": "Test User", "bank_name": "Fake Bank",
                    "bank_long_name": "Fake Bank of the Sandbox",
                    "address": "1 Sandbox Way, San Francisco, CA 94105, US",
                    "balance": {"amount": "800.00", "currency": "USD"},
                    "match_info": {"email_match": "no_match", "name_match": "no_match", "phonenumber_match": "match"},
                },
                "is_active": true,
                "timeline": [{"date": nodes[at]["timeline"][0]["date"], "note": "Node created."}],
                "type": "ACH-US",
                "user_id": ada.user_id,
            })
        };
        let both = json!([
            expected(0, "CHECKING", "Fake Bank Checking - 5001", "5001"),
            expected(1, "SAVINGS", "Fake Bank Savings - 5002", "5002"),
        ]);
        assert_eq!(nodes, both);
        let list = ada.call("GET", "/nodes?type=ACH-US").send().await.ok();
        assert_eq!((&list["nodes"], &list["node_count"]), (&nodes, &json!(2)));
    }
}

#[tokio::test]
async fn login_without_challenge_creates_nodes_immediately() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let (nodes, _) = linked(&log_in(&ada, "synapse_nomfa").await);
    assert_eq!(
        (&nodes[0]["allowed"], &nodes[1]["info"]["class"]),
        (&json!("CREDIT-AND-DEBIT"), &json!("SAVINGS"))
    );
    assert_eq!(count(&ada).await, 2);
}

#[tokio::test]
async fn code_challenge_accepts_only_right_code() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let token = asked(&log_in(&ada, "synapse_code_mfa").await, "code");
    for wrong in ["test_answer", "654321", " 123456"] {
        assert_eq!(asked(&answer(&ada, &token, wrong).await, "code"), token);
    }
    linked(&answer(&ada, &token, "123456").await);
}

#[tokio::test]
async fn challenge_repeats_until_answer_is_right() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let token = begun(&ada).await;
    for wrong in ["again", "wrong", "Test_Answer", "again", "123456"] {
        assert_eq!(asked(&answer(&ada, &token, wrong).await, "question"), token, "{wrong}");
        assert_eq!(count(&ada).await, 0);
    }
    linked(&answer(&ada, &token, "test_answer").await);
}

/// Wrong credentials are answered with 409, a right login without accounts with 402.
#[tokio::test]
async fn wrong_login_and_missing_accounts_are_refused() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let mut other_bank = credentials("synapse_good", "test1234");
    other_bank["info"]["bank_name"] = json!("bofa");
    let wrong = [
        credentials("synapse_good", "wrong"),
        credentials("nobody", "test1234"),
        credentials("synapse_no_accounts", "wrong"),
        other_bank,
    ];
    for body in wrong {
        let error = ada.create_node(&body).await.refused(409, "400");
        assert_eq!(error["code"], "wrong_bank_login", "{body}");
    }
    let none = log_in(&ada, "synapse_no_accounts").await.refused(402, "460");
    assert_eq!(none["code"], "no_bank_accounts");
    assert_eq!(count(&ada).await, 0);
}

#[tokio::test]
async fn missing_or_malformed_field_is_named() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let login = || credentials("synapse_good", "test1234");
    let reply = || json!({"access_token": "mfa_00", "mfa_answer": "test_answer"});
    let table = [
        (login(), "/info/bank_id", "info.bank_id"),
        (login(), "/info/bank_pw", "info.bank_pw"),
        (login(), "/info/bank_name", "info.bank_name"),
        (login(), "/type", "type"),
        (reply(), "/access_token", "access_token"),
        (reply(), "/mfa_answer", "mfa_answer"),
    ];
    for (body, pointer, field) in table {
        for value in [json!(null), json!(""), json!(7), json!(["x"]), json!("x\0"), json!("x".repeat(1_001))]
        {
            let mut body = body.clone();
            *body.pointer_mut(pointer).expect("a field") = value;
            let error = ada.create_node(&body).await.refused(400, "200");
            assert_eq!(error["field"], field, "{body}");
        }
    }
}

/// Result of the comparison of the bank's account holder with the user: name, e-mail address, phone number.
async fn matches(client: &Client, user: &Value, bank_id: &str) -> [Value; 3] {
    let made = client.create_user(user).await.ok();
    let session = client.session(made["_id"].as_str().expect("an id")).await;
    let mut answered = log_in(&session, bank_id).await;
    if answered.status == 202 {
        answered = answer(&session, &asked(&answered, "question"), "test_answer").await;
    }
    let info = linked(&answered).0[0]["info"]["match_info"].take();
    ["name_match", "email_match", "phonenumber_match"].map(|field| info[field].clone())
}

#[tokio::test]
async fn account_holder_is_compared_with_user() {
    let app = TestApp::start().await;
    let mut spelled_otherwise = person("TEST  user");
    spelled_otherwise["logins"] = json!([{"email": "other@example.com"}, {"email": "TEST.USER@example.com"}]);
    spelled_otherwise["phone_numbers"] = json!(["+1 (901) 111-1111"]);
    let mut stranger = person("Ada Lovelace");
    stranger["phone_numbers"] = json!(["901.111.1112"]);
    let table = [
        (person("Test User"), "synapse_good", ["match", "match", "match"]),
        (spelled_otherwise, "synapse_good", ["match", "match", "match"]),
        (stranger, "synapse_good", ["no_match", "no_match", "no_match"]),
        // The bank returns only the name of this customer.
        (person("Test User"), "synapse_nomfa", ["match", "not_found", "not_found"]),
    ];
    for (user, bank_id, expected) in table {
        assert_eq!(matches(&app.client, &user, bank_id).await, expected.map(|text| json!(text)), "{user}");
    }
}

#[tokio::test]
async fn linked_node_needs_no_micro_deposits() {
    let app = TestApp::start().await;
    let ada = app.client.verified("Ada Lovelace").await;
    let (_, [checking, savings]) = linked(&log_in(&ada, "synapse_nomfa").await);
    let deposit = ada.node("DEPOSIT-US").await;
    let body = transfer_to("DEPOSIT-US", &deposit, "12.34");
    let pulled = ada.transfer(&checking, &body).send().await.ok();
    ada.when(&checking, pulled["_id"].as_str().expect("an id"), "SETTLED").await;
    assert_eq!(ada.balance(&deposit).await, "12.34");
    let told = ada.call("PATCH", &format!("/nodes/{savings}")).json(&json!({"micro": [0.1, 0.1]}));
    told.send().await.refused(400, "410");
    let resent = ada.call("PATCH", &format!("/nodes/{savings}?resend_micro=YES")).json(&json!({}));
    resent.send().await.refused(400, "410");
    // The balance of the bank's account stays the one that the bank reported. The pull does not change it.
    assert_eq!(ada.balance(&checking).await, r#""800.00""#);
}

#[tokio::test]
async fn bank_login_exists_only_in_sandbox() {
    let app = TestApp::start().await;
    let real = app.platform("Real", false).await.own_session().await;
    let error = log_in(&real, "synapse_nomfa").await.refused(400, "410");
    assert_eq!(error["code"], "no_bank_logins");
    // A token of the sandbox is unknown to a real platform.
    let ada = app.client.stranger("Ada").await;
    let error = answer(&real, &begun(&ada).await, "test_answer").await.refused(409, "400");
    assert_eq!(error["code"], "unknown_access_token");
}
