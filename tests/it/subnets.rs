//! Subnets: account numbers of a node, unique among all, and changed by their owner only.

use std::collections::{BTreeMap, HashSet};

use daybook_domain::{Event, subnet};
use daybook_tests::app::TestApp;
use daybook_tests::client::Session;
use daybook_tests::shard;
use futures::future::join_all;
use serde_json::{Value, json};

/// Returns true if the text has nine digits with the checksum of the American Bankers Association.
fn is_routing_number(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|digit| digit.to_digit(10)).collect();
    let weighed = digits.iter().zip([3, 7, 1].iter().cycle()).map(|(digit, weight)| digit * weight);
    digits.len() == 9 && text.len() == 9 && weighed.sum::<u32>() % 10 == 0
}

fn id_of(record: &Value) -> &str {
    record["_id"].as_str().expect("an id")
}

async fn list(us: &Session, node: &str, query: &str) -> Value {
    us.call("GET", &format!("/nodes/{node}/subnets{query}")).send().await.ok()
}

#[tokio::test]
async fn subnet_record_has_every_documented_field() {
    let app = TestApp::start().await;
    let us = app.client.stranger("Ada").await;
    let node = us.node("DEPOSIT-US").await;
    let call = us.call("POST", &format!("/nodes/{node}/subnets"));
    let made = call.json(&json!({"nickname": "Rent", "account_class": "SAVINGS"})).send().await;
    assert!(made.headers.contains_key("x-daybook-position"));
    let made = made.ok();
    let number = made["account_num"].as_str().expect("text").to_owned();
    assert!(number.len() == 14 && number.bytes().all(|digit| digit.is_ascii_digit()), "{number}");
    assert!(is_routing_number(made["routing_num"]["ach"].as_str().expect("text")), "{made}");
    let path = format!("/users/{}/nodes/{node}/subnets/{}", us.user_id, id_of(&made));
    let expected = json!({
        "_id": made["_id"],
        "_links": {"self": {"href": format!("http://{}/v3.1{path}", app.address)}},
        "account_class": "SAVINGS", "account_num": number, "allowed": "CREDIT-AND-DEBIT",
        "client": {"id": app.client.client_id, "name": "Sandbox"}, "nickname": "Rent", "node_id": node,
        "routing_num": {"ach": "123456780", "wire": "123456780"}, "user_id": us.user_id,
        "error_code": "0", "http_code": "200",
    });
    assert_eq!(made, expected);
    assert_eq!(us.call_at("GET", &path).send().await.ok(), made);
    let listed = list(&us, &node, "").await;
    assert_eq!(
        (&listed["subnets_count"], &listed["page"], &listed["limit"]),
        (&json!(1), &json!(1), &json!(20))
    );
    let mut shown = made.clone();
    shown.as_object_mut().expect("a record").retain(|field, _| !field.ends_with("_code"));
    assert_eq!(listed["subnets"], json!([shown]));
}

/// Returns id and account number of each record.
fn numbers<'a>(records: impl IntoIterator<Item = &'a Value>) -> BTreeMap<&'a str, &'a str> {
    let number = |record: &'a Value| (id_of(record), record["account_num"].as_str().expect("text"));
    records.into_iter().map(number).collect()
}

#[tokio::test]
async fn concurrent_subnets_get_distinct_account_numbers() {
    let app = &TestApp::start().await;
    let other = app.platform("Other", true).await;
    let mut sides = vec![];
    for us in [app.client.own_session().await, app.client.stranger("Ada").await, other.own_session().await] {
        sides.extend([(us.clone(), us.node("DEPOSIT-US").await), (us.clone(), us.node("LEDGER-US").await)]);
    }
    let asked = sides.iter().cycle().take(96);
    let made = join_all(asked.map(async |(us, node)| us.subnet(node).await)).await;
    let different: HashSet<&str> = numbers(&made).into_values().collect();
    assert_eq!(different.len(), made.len());
    // Lists show the same numbers as the answers did.
    for (us, node) in &sides {
        let listed = list(us, node, "?per_page=100").await;
        let listed = numbers(listed["subnets"].as_array().expect("a list"));
        let given = numbers(made.iter().filter(|one| one["node_id"] == **node));
        assert_eq!((listed.len(), &listed), (96 / sides.len(), &given));
    }
}

#[tokio::test]
async fn account_numbers_never_change() {
    let app = TestApp::start().await;
    let number = |position| app.service.engine.account_number(shard(), position);
    // Derived from the master key of the tests, and computed independently of the code.
    let expected = ["25159442980836", "25966445972382", "96963221777736"];
    assert_eq!([1, 2, 1_000_000].map(number), expected);
    let many: HashSet<String> = (1..=20_000).map(number).collect();
    assert!(many.len() == 20_000 && many.iter().all(|number| number.len() == 14));
}

#[tokio::test]
async fn unchanged_subnet_fields_record_no_event() {
    let app = TestApp::start().await;
    let us = app.client.stranger("Ada").await;
    let node = us.node("DEPOSIT-US").await;
    let id = id_of(&us.subnet(&node).await).to_owned();
    let recorded = async || {
        let is_change = |event: &Event| matches!(event, Event::Subnet(subnet::Event::Updated(_)));
        app.events().await.iter().filter(|happened| is_change(&happened.event)).count()
    };
    let table = [
        (json!({"nickname": "Ours"}), 1),
        (json!({"nickname": "Ours"}), 1),
        (json!({"nickname": "Ours", "allowed": "CREDIT-AND-DEBIT"}), 1),
        (json!({"nickname": "Ours", "allowed": "LOCKED"}), 2),
        (json!({"nickname": "Mine"}), 3),
    ];
    for (body, count) in table {
        let answer = us.call("PATCH", &format!("/nodes/{node}/subnets/{id}")).json(&body).send().await.ok();
        assert_eq!((&answer["nickname"], recorded().await), (&body["nickname"], count), "{body}");
    }
}

#[tokio::test]
async fn owner_changes_nickname_and_allowed_of_subnet() {
    let app = TestApp::start().await;
    let us = app.client.stranger("Ada").await;
    let node = us.node("SUBACCOUNT-US").await;
    let mut expected = us.subnet(&node).await;
    let path = format!("/nodes/{node}/subnets/{}", id_of(&expected));
    for allowed in ["LOCKED", "CREDIT", "DEBIT", "INACTIVE", "CREDIT-AND-DEBIT", "CREDIT-AND-DEBIT"] {
        expected["allowed"] = json!(allowed);
        let answer = us.call("PATCH", &path).json(&json!({"allowed": allowed})).send().await;
        assert_eq!(answer.ok(), expected);
    }
    expected["nickname"] = json!("Rent");
    assert_eq!(us.call("PATCH", &path).json(&json!({"nickname": "Rent"})).send().await.ok(), expected);
    assert_eq!(us.call("PATCH", &path).json(&json!({})).send().await.ok(), expected);
    assert_eq!(us.call("GET", &path).send().await.ok(), expected);
    for (field, value) in [("allowed", "OPEN"), ("nickname", "")] {
        let answer = us.call("PATCH", &path).json(&json!({field: value})).send().await;
        assert_eq!(answer.refused(400, "200")["field"], field);
    }
}

#[tokio::test]
async fn subnet_of_another_node_is_not_found() {
    let app = TestApp::start().await;
    let (us, eve) = (app.client.stranger("Ada").await, app.client.stranger("Eve").await);
    let (node, second, eves) =
        (us.node("DEPOSIT-US").await, us.node("DEPOSIT-US").await, eve.node("DEPOSIT-US").await);
    let subnet = us.subnet(&node).await;
    let id = id_of(&subnet);
    let nickname = &json!({"nickname": "Mine"});
    eve.call("POST", &format!("/nodes/{node}/subnets")).json(nickname).send().await.refused(404, "404");
    eve.call("GET", &format!("/nodes/{node}/subnets")).send().await.refused(404, "404");
    let ways = [(&eve, &node), (&eve, &eves), (&us, &second), (&us, &eves)];
    for (session, node) in ways {
        let path = format!("/nodes/{node}/subnets/{id}");
        session.call("GET", &path).send().await.refused(404, "404");
        session.call("PATCH", &path).json(nickname).send().await.refused(404, "404");
    }
    for lost in ["x", &node, &us.user_id] {
        us.call("GET", &format!("/nodes/{node}/subnets/{lost}")).send().await.refused(404, "404");
    }
    assert_eq!(list(&us, &second, "").await["subnets_count"], 0);
    assert_eq!(us.call("GET", &format!("/nodes/{node}/subnets/{id}")).send().await.ok(), subnet);
}

#[tokio::test]
async fn subnets_require_suitable_node_and_issuing_bank() {
    let app = TestApp::start().await;
    let us = app.client.stranger("Ada").await;
    let nickname = &json!({"nickname": "Rent"});
    for kind in ["DEPOSIT-US", "SUBACCOUNT-US", "LEDGER-US"] {
        let node = us.node(kind).await;
        let _ = us.call("POST", &format!("/nodes/{node}/subnets")).json(nickname).send().await.ok();
    }
    for kind in ["ACH-US", "WIRE-US", "CHECK-US", "RESERVE-US", "CLEARING-US"] {
        let node = us.node(kind).await;
        let answer = us.call("POST", &format!("/nodes/{node}/subnets")).json(nickname).send().await;
        assert_eq!(answer.refused(400, "410")["code"], "node_without_subnets", "{kind}");
        assert_eq!(list(&us, &node, "").await["subnets"], json!([]));
    }
    let real = app.platform("Real", false).await.own_session().await;
    let node = real.node("DEPOSIT-US").await;
    let answer = real.call("POST", &format!("/nodes/{node}/subnets")).json(nickname).send().await;
    assert_eq!(answer.refused(400, "410")["code"], "no_account_numbers");
}

#[tokio::test]
async fn subnet_creation_accepts_an_idempotency_key() {
    let app = TestApp::start().await;
    let us = app.client.stranger("Ada").await;
    let node = us.node("DEPOSIT-US").await;
    let post =
        || us.call("POST", &format!("/nodes/{node}/subnets")).key("k1").json(&json!({"nickname": "Rent"}));
    let made = post().send().await.ok();
    let again = post().send().await.refused(409, "400");
    assert_eq!((&again["code"], &again["original_id"]), (&json!("idempotency_key_used"), &made["_id"]));
    assert_eq!(list(&us, &node, "").await["subnets_count"], 1);
}
