//! Micro-deposits: confirmed, sent again, or not applicable to the node.

use daybook_domain::platform::Policy;
use daybook_tests::app::{SETTLE_AFTER, TestApp};
use daybook_tests::bodies::node;
use daybook_tests::client::Session;
use daybook_tests::http::{Answer, Call};
use futures::future::join_all;
use serde_json::{Value, json};

use crate::restart::at;
use crate::transactions::policies::set as set_policy;
use crate::writers::fresh;

fn tell(session: &Session, id: &str, amounts: &Value) -> Call {
    session.call("PATCH", &format!("/nodes/{id}")).json(&json!({"micro": amounts}))
}

fn again(session: &Session, id: &str) -> Call {
    session.call("PATCH", &format!("/nodes/{id}?resend_micro=YES")).json(&json!({}))
}

async fn notes(session: &Session, id: &str) -> Vec<String> {
    let node = session.get_node(id).await.ok();
    let timeline = node["timeline"].as_array().expect("a list");
    timeline.iter().map(|entry| entry["note"].as_str().expect("text").to_owned()).collect()
}

async fn at_once(calls: impl Iterator<Item = Call>) -> Vec<Answer> {
    join_all(calls.map(Call::send)).await
}

#[tokio::test]
async fn five_of_concurrent_wrong_guesses_are_counted() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let id = ada.node("ACH-US").await;
    let answers = at_once((0..20).map(|_| tell(&ada, &id, &json!([0.1, 0.2])))).await;
    let mut slugs: Vec<_> = answers.iter().map(|answer| answer.refused(409, "400")["code"].clone()).collect();
    slugs.sort_by_key(ToString::to_string);
    assert_eq!(slugs, [vec![json!("node_locked"); 15], vec![json!("wrong_micro_deposits"); 5]].concat());
    let mut told: Vec<_> = answers
        .iter()
        .filter_map(|answer| {
            Some(
                answer.json()["error"]["en"]
                    .as_str()?
                    .strip_prefix("Wrong micro-deposit amounts; ")?
                    .to_owned(),
            )
        })
        .collect();
    told.sort_unstable();
    let expected =
        ["1 try left.", "2 tries left.", "3 tries left.", "4 tries left.", "the node is locked now."];
    assert_eq!(told, expected);
    let notes = notes(&ada, &id).await;
    assert_eq!(notes.iter().filter(|note| note.starts_with("Invalid")).count(), 5, "{notes:?}");
    assert_eq!(ada.get_node(&id).await.ok()["allowed"], "LOCKED");
    assert_eq!(tell(&ada, &id, &json!([0.1, 0.1])).send().await.refused(409, "400")["code"], "node_locked");
    assert_eq!(again(&ada, &id).send().await.refused(409, "400")["code"], "node_locked");
}

#[tokio::test]
async fn three_of_concurrent_resend_requests_are_granted() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let id = ada.node("ACH-US").await;
    let answers = at_once((0..10).map(|_| again(&ada, &id))).await;
    let (granted, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
    assert_eq!((granted.len(), refused.len()), (3, 7));
    for answer in refused {
        assert_eq!(answer.refused(409, "400")["code"], "max_microdeposits_sent");
    }
    let notes = notes(&ada, &id).await;
    assert_eq!(notes.iter().filter(|note| *note == "Micro deposits reinitiated.").count(), 3, "{notes:?}");
    // Four times two dimes left the reserve. Each dime is a transaction of the platform's own user.
    let us = app.client.own_session().await;
    let reserve = us.call("GET", "/nodes?type=RESERVE-US").send().await;
    assert_eq!(reserve.raw("nodes.0.info.balance.amount"), "999999.20");
    assert_eq!(us.transactions().await.iter().filter(|one| one["to"]["id"] == id).count(), 8);
    assert!(ada.transactions().await.is_empty());
}

#[tokio::test]
async fn production_resends_the_same_micro_deposit_amounts() {
    let app = TestApp::start().await;
    let us = app.platform("Production", false).await.own_session().await;
    let id = us.node("ACH-US").await;
    let _ = again(&us, &id).send().await.ok();
    let paid = us.transactions().await;
    let amounts: Vec<_> = paid.iter().map(|one| one["amount"]["amount"].to_string()).collect();
    assert_eq!((amounts.len(), &amounts[..2]), (4, &amounts[2..]));
    let told: Value = serde_json::from_str(&format!("[{}, {}]", amounts[3], amounts[2])).expect("numbers");
    assert_eq!(tell(&us, &id, &told).send().await.ok()["allowed"], "CREDIT-AND-DEBIT");
}

#[tokio::test]
async fn resend_flag_ignores_case_and_the_body() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let id = ada.node("ACH-US").await;
    let call = |value: &str| ada.call("PATCH", &format!("/nodes/{id}?resend_micro={value}"));
    // Published clients send either the amounts or no body with the flag.
    let _ = call("yes").json(&json!({"micro": [0.1, 0.2]})).send().await.ok();
    let _ = call("Yes").send().await.ok();
    for no in ["NO", "no", "False", "1", ""] {
        let answers = [call(no).json(&json!({})).send().await, call(no).send().await];
        for answer in answers {
            assert_eq!((answer.ok()["_id"].as_str(), no), (Some(id.as_str()), no));
        }
        assert_eq!(
            call(no).json(&json!({"micro": [0.1]})).send().await.refused(400, "200")["field"],
            "micro"
        );
    }
    let bare = ada.call("PATCH", &format!("/nodes/{id}")).json(&json!({})).send().await;
    assert_eq!(bare.refused(400, "200")["field"], "body");
    assert_eq!(
        call("NO").json(&json!({"micro": [0.1, 0.1]})).send().await.ok()["allowed"],
        "CREDIT-AND-DEBIT"
    );
    let resent =
        notes(&ada, &id).await.into_iter().filter(|note| note == "Micro deposits reinitiated.").count();
    assert_eq!(resent, 2);
}

#[tokio::test]
async fn inapplicable_micro_deposits_are_noted_once() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let mut hidden = node("ACH-US");
    hidden["is_active"] = json!(false);
    let hidden = ada.create_node(&hidden).await.ok()["nodes"][0]["_id"].as_str().expect("an id").to_owned();
    assert_eq!(notes(&ada, &hidden).await, ["Node created."]);
    assert_eq!(ada.get_node(&hidden).await.ok()["allowed"], "INACTIVE");
    let table = [
        (ada.node("DEPOSIT-US").await, "Micro deposit not applicable: the node's type is not ACH-US."),
        (ada.node("WIRE-US").await, "Micro deposit not applicable: the node's type is not ACH-US."),
        (ada.bank().await, "Micro deposit not applicable: allowed is not CREDIT."),
        (hidden, "Micro deposit not applicable: the node is not active."),
    ];
    for (id, note) in table {
        let before = notes(&ada, &id).await;
        let calls =
            (0..6).map(|n| if n % 2 == 0 { tell(&ada, &id, &json!([0.1, 0.1])) } else { again(&ada, &id) });
        for answer in at_once(calls).await {
            assert_eq!(answer.refused(400, "410")["code"], "micro_deposits_not_applicable", "{note}");
        }
        assert_eq!(notes(&ada, &id).await, [before, vec![note.to_owned()]].concat());
    }
}

#[tokio::test]
async fn locked_user_gets_no_micro_deposits() {
    let app = TestApp::start().await;
    for (permission, slug) in [("LOCKED", "user_locked"), ("CLOSED", "user_closed")] {
        let ada = app.client.stranger("Ada").await;
        let id = ada.node("ACH-US").await;
        let _ = ada.call("PATCH", "").json(&json!({"permission": permission})).send().await.ok();
        for call in [tell(&ada, &id, &json!([0.1, 0.1])), again(&ada, &id)] {
            assert_eq!(call.send().await.refused(401, "300")["code"], slug);
        }
        assert_eq!(ada.create_node(&node("ACH-US")).await.refused(401, "300")["code"], slug);
        assert_eq!(notes(&ada, &id).await, ["Node created.", "Micro deposits initiated."]);
    }
}

#[tokio::test]
async fn empty_reserve_cannot_resend_micro_deposits() {
    let app = TestApp::start().await;
    let (us, ada) = (app.client.own_session().await, app.client.stranger("Ada").await);
    let reserve = us.call("GET", "/nodes?type=RESERVE-US").send().await.ok()["nodes"][0]["_id"].clone();
    let reserve = reserve.as_str().expect("an id");
    // The floor of the reserve is -1,000.00.
    let _ = app.client.debit(reserve, "1000999.90").await.ok();
    let id = ada.node("ACH-US").await;
    assert_eq!(notes(&ada, &id).await, ["Node created.", "Micro deposits could not be sent."]);
    assert_eq!(
        tell(&ada, &id, &json!([0.1, 0.1])).send().await.refused(400, "410")["code"],
        "no_micro_deposits"
    );
    assert_eq!(again(&ada, &id).send().await.refused(409, "400")["code"], "reserve_at_floor");
    let _ = app.client.credit(reserve, "1").await.ok();
    let _ = again(&ada, &id).send().await.ok();
    assert_eq!(tell(&ada, &id, &json!([0.1, 0.1])).send().await.ok()["allowed"], "CREDIT-AND-DEBIT");
}

#[tokio::test]
async fn micro_deposits_respect_daily_limit_under_concurrency() {
    let first = TestApp::start().await;
    let second = TestApp::start_on(first.database.clone(), fresh(&first.database), SETTLE_AFTER).await;
    set_policy(&first, Policy { daily_micro_deposits: Some(3), ..Policy::default() }).await;
    let ada = first.client.stranger("Ada").await;
    let both = [ada.clone(), at(&ada, second.address)];
    let ids = join_all((0..8).map(|number| both[number % 2].node("ACH-US"))).await;
    let all = join_all(ids.iter().map(|id| notes(&ada, id))).await;
    let sent = |notes: &Vec<String>| !notes.contains(&"Micro deposits could not be sent.".to_owned());
    assert_eq!(all.iter().filter(|notes| sent(notes)).count(), 3, "{all:?}");
    for id in &ids {
        let refused = again(&both[1], id).send().await;
        assert_eq!(refused.refused(409, "400")["code"], "micro_deposits_at_limit");
    }
    // The limit is per user, and the count starts again on the next day.
    let bob = first.client.stranger("Bob").await;
    assert!(sent(&notes(&bob, &bob.node("ACH-US").await).await));
    first.client.advance(24 * 3_600).await.ok();
    let _ = again(&both[1], &ids[0]).send().await.ok();
    second.stop().await;
    first.stop().await;
}

#[tokio::test]
async fn other_users_cannot_access_micro_deposits() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.client.stranger("Ada").await, app.client.stranger("Eve").await);
    let id = ada.node("ACH-US").await;
    tell(&eve, &id, &json!([0.1, 0.1])).send().await.refused(404, "404");
    again(&eve, &id).send().await.refused(404, "404");
    assert_eq!(notes(&ada, &id).await.len(), 2);
}
