//! Creation of nodes: each type requires and returns its own fields.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::node;
use serde_json::{Value, json};

const KINDS: [(&str, &str); 10] = [
    ("ACH-US", "CREDIT"),
    ("WIRE-US", "CREDIT"),
    ("WIRE-INT", "CREDIT"),
    ("CHECK-US", "CREDIT"),
    ("DEPOSIT-US", "CREDIT-AND-DEBIT"),
    ("SUBACCOUNT-US", "CREDIT-AND-DEBIT"),
    ("RESERVE-US", "CREDIT"),
    ("CLEARING-US", "CREDIT-AND-DEBIT"),
    ("LEDGER-US", "CREDIT-AND-DEBIT"),
    ("PARTNER-SUBACCOUNT-US", "CREDIT-AND-DEBIT"),
];

/// Returns the `info` expected of a node made by [`node`]. A numeric balance is checked separately, as text.
fn info(kind: &str) -> Value {
    let outside = json!({
        "account_num": "4134", "routing_num": "0021", "address": "Tampa, FL",
        "bank_name": "JPMorgan Chase Bank", "bank_long_name": "JPMorgan Chase Bank, N.A.",
        "nickname": "Wire", "name_on_account": "Ada", "balance": {"amount": "0.00", "currency": "USD"},
    });
    match kind {
        "ACH-US" => {
            let mut info = outside;
            info["nickname"] = json!("Bank");
            info["class"] = json!("CHECKING");
            info["type"] = json!("PERSONAL");
            info["match_info"] = json!({"email_match": "not_found", "name_match": "not_found", "phonenumber_match": "not_found"});
            info
        }
        "WIRE-US" => outside,
        "WIRE-INT" => json!({
            "account_num": "3000", "routing_num": "", "address": "Taunusanlage 12, Frankfurt",
            "bank_name": "Deutsche Bank", "bank_long_name": "", "nickname": "Abroad", "name_on_account": "Ada",
            "balance": {"amount": "0.00", "currency": "USD"},
        }),
        "CHECK-US" => json!({
            "nickname": "Check", "name_on_account": "Ada", "payee_name": "Test McTest",
            "payee_address": {
                "address_street": "1 Market St.", "address_city": "San Francisco", "address_subdivision": "CA",
                "address_country_code": "US", "address_postal_code": "94105",
            },
        }),
        _ => json!({
            "nickname": format!("My {kind}"), "name_on_account": "Ada",
            "balance": {"amount": 0.0, "currency": "USD"},
        }),
    }
}

#[tokio::test]
async fn every_node_type_returns_its_documented_fields() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    for (kind, allowed) in KINDS {
        let answer = ada.create_node(&node(kind)).await;
        let mut body = answer.ok();
        if body["nodes"][0]["info"]["balance"]["amount"].is_number() {
            assert_eq!(answer.raw("nodes.0.info.balance.amount"), "0.00");
        }
        let made = body["nodes"][0].take();
        let envelope = json!({
            "error_code": "0", "http_code": "200", "limit": 20, "node_count": 1, "nodes": [null], "page": 1,
            "page_count": 1, "success": true,
        });
        assert_eq!(body, envelope);
        let id = made["_id"].as_str().expect("an id");
        let date = &made["timeline"][0]["date"];
        let mut timeline = vec![json!({"date": date, "note": "Node created."})];
        if kind == "ACH-US" {
            timeline.push(json!({"date": date, "note": "Micro deposits initiated."}));
        }
        let expected = json!({
            "_id": id,
            "_links": {"self": {"href": format!("http://{}/v3.1/users/{}/nodes/{id}", app.address, ada.user_id)}},
            "allowed": allowed,
            "client": {"id": app.client.client_id, "name": "Sandbox"},
            "extra": {"note": null, "other": {}, "supp_id": null},
            "info": info(kind),
            "is_active": true,
            "timeline": timeline,
            "type": kind,
            "user_id": ada.user_id,
        });
        assert_eq!(made, expected);
        assert!(made["timeline"][0]["date"].as_i64().is_some_and(|date| date > 1_600_000_000_000));
        let mut fetched = ada.get_node(id).await.ok();
        assert_eq!((fetched["error_code"].take(), fetched["http_code"].take()), (json!("0"), json!("200")));
        for (field, value) in made.as_object().expect("an object") {
            assert_eq!(&fetched[field], value, "{kind} {field}");
        }
    }
}

#[tokio::test]
async fn optional_fields_are_kept_and_accept_null() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let mut body = node("ACH-US");
    body["extra"] = json!({"supp_id": "s-1", "note": "savings", "other": {"x": 1}});
    body["is_active"] = json!(true);
    let made = ada.create_node(&body).await.ok()["nodes"][0].clone();
    assert_eq!((&made["extra"]["supp_id"], &made["extra"]["note"]), (&json!("s-1"), &json!("savings")));
    assert!(made["extra"]["other"].is_object());

    let mut body = node("WIRE-US");
    body["info"]["correspondent_info"] =
        json!({"routing_num": null, "bank_name": "Bank", "address": "Street 1"});
    body["extra"] = json!({"supp_id": null, "note": null});
    body["is_active"] = json!(null);
    let made = ada.create_node(&body).await.ok()["nodes"][0].clone();
    assert_eq!((&made["extra"]["supp_id"], &made["is_active"]), (&json!(null), &json!(true)));
    for extra in [json!(null), json!({})] {
        let mut body = node("LEDGER-US");
        body["extra"] = extra;
        let _ = ada.create_node(&body).await.ok();
    }
}

#[tokio::test]
async fn missing_field_is_named_in_error() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let required = [
        ("ACH-US", "nickname account_num routing_num type class"),
        ("WIRE-US", "nickname account_num routing_num"),
        ("WIRE-INT", "nickname account_num swift bank_name address"),
        ("CHECK-US", "nickname payee_name payee_address"),
        ("DEPOSIT-US", "nickname"),
        ("SUBACCOUNT-US", "nickname"),
        ("RESERVE-US", "nickname"),
        ("CLEARING-US", "nickname"),
        ("LEDGER-US", "nickname"),
        ("PARTNER-SUBACCOUNT-US", "nickname"),
    ];
    for (kind, fields) in required {
        for field in fields.split(' ') {
            for null in [true, false] {
                let mut body = node(kind);
                let info = body["info"].as_object_mut().expect("an object");
                if null {
                    info.insert(field.to_owned(), json!(null))
                } else {
                    info.remove(field)
                };
                let error = ada.create_node(&body).await.refused(400, "200");
                let named = error["field"].as_str().expect("a field");
                assert!(named.starts_with(&format!("info.{field}")), "{kind} {field}: {error}");
            }
        }
    }
    for field in [
        "address_street",
        "address_city",
        "address_subdivision",
        "address_country_code",
        "address_postal_code",
    ] {
        let mut body = node("CHECK-US");
        body["info"]["payee_address"].as_object_mut().expect("an object").remove(field);
        let error = ada.create_node(&body).await.refused(400, "200");
        assert_eq!(error["field"], format!("info.payee_address.{field}"));
    }
    let no_type = ada.create_node(&json!({"info": {"nickname": "x"}})).await;
    assert_eq!(no_type.refused(400, "200")["field"], "type");
    let no_info = ada.create_node(&json!({"type": "DEPOSIT-US"})).await;
    assert_eq!(no_info.refused(400, "200")["field"], "info.nickname");
}

#[tokio::test]
async fn invalid_value_is_named_in_error() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let table = [
        ("ACH-US", "class", json!("CHEQUE"), "info.class"),
        ("ACH-US", "type", json!("personal"), "info.type"),
        ("ACH-US", "account_num", json!(12345), "info.account_num"),
        ("ACH-US", "account_num", json!("12_45"), "info.account_num"),
        ("ACH-US", "routing_num", json!("12345678"), "info.routing_num"),
        ("WIRE-US", "routing_num", json!("O21000021"), "info.routing_num"),
        ("WIRE-INT", "swift", json!("DEUTDEF"), "info.swift"),
        ("WIRE-INT", "account_num", json!("1 / 2"), "info.account_num"),
        ("DEPOSIT-US", "nickname", json!("x".repeat(1_001)), "info.nickname"),
        ("DEPOSIT-US", "nickname", json!(["x"]), "info.nickname"),
    ];
    for (kind, field, value, named) in table {
        let mut body = node(kind);
        body["info"][field] = value;
        assert_eq!(ada.create_node(&body).await.refused(400, "200")["field"], named);
    }
    for (field, value) in [("type", json!("SAVINGS")), ("type", json!(7)), ("is_active", json!("no"))] {
        let mut body = node("DEPOSIT-US");
        body[field] = value;
        assert_eq!(ada.create_node(&body).await.refused(400, "200")["field"], field);
    }
}

#[tokio::test]
async fn routing_number_must_pass_its_checksum() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let with = |number: &str| {
        let mut body = node("ACH-US");
        body["info"]["routing_num"] = json!(number);
        body
    };
    for good in ["021000021", "122105155", "011401533"] {
        let _ = ada.create_node(&with(good)).await.ok();
    }
    for bad in ["021000022", "123456789", "000000000"] {
        ada.create_node(&with(bad)).await.refused(409, "400");
    }
    assert_eq!(ada.call("GET", "/nodes").send().await.ok()["node_count"], 3);
}

#[tokio::test]
async fn malformed_iban_of_foreign_account_is_refused() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let with = |number: &str| {
        let mut body = node("WIRE-INT");
        body["info"]["account_num"] = json!(number);
        body["info"]["correspondent_info"] = json!({"swift": "MIDLGB22", "bank_name": "Middle Bank"});
        body
    };
    for (good, shown) in [("GB29 NWBK 6016 1331 9268 19", "6819"), ("002010077777777771", "7771")] {
        let made = ada.create_node(&with(good)).await.ok();
        assert_eq!(made["nodes"][0]["info"]["account_num"], shown);
    }
    for bad in ["GB29NWBK60161331926818", "GB29NWBK6016133192681", "XX00"] {
        assert_eq!(ada.create_node(&with(bad)).await.refused(409, "400")["code"], "iban", "{bad}");
    }
}

#[tokio::test]
async fn bank_account_may_have_another_holder_name() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    for (kind, shown) in [("ACH-US", "Bob"), ("WIRE-US", "Bob"), ("WIRE-INT", "Bob"), ("DEPOSIT-US", "Ada")] {
        let mut body = node(kind);
        body["info"]["name_on_account"] = json!("Bob");
        assert_eq!(ada.create_node(&body).await.ok()["nodes"][0]["info"]["name_on_account"], shown, "{kind}");
    }
}

#[tokio::test]
async fn node_creation_accepts_an_idempotency_key() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let create = async |body: &Value| ada.call("POST", "/nodes").key("k1").json(body).send().await;
    create(&json!({"type": "DEPOSIT-US"})).await.refused(400, "200");
    let made = create(&node("DEPOSIT-US")).await.ok();
    let again = create(&node("DEPOSIT-US")).await.refused(409, "400");
    assert_eq!((&again["original_id"], &again["same_payload"]), (&made["nodes"][0]["_id"], &json!(true)));
    assert_eq!(ada.call("GET", "/nodes").send().await.ok()["node_count"], 1);
}

#[tokio::test]
async fn given_bank_details_override_the_directory() {
    let app = TestApp::start().await;
    let ada = app.client.stranger("Ada").await;
    let shown = async |kind: &str, field: &str, value: &str| {
        let mut body = node(kind);
        body["info"][field] = json!(value);
        let info = ada.create_node(&body).await.ok()["nodes"][0]["info"].clone();
        ["bank_name", "bank_long_name", "address"].map(|name| info[name].as_str().expect("text").to_owned())
    };
    assert_eq!(shown("WIRE-US", "bank_name", "My bank").await, ["My bank", "", "Tampa, FL"]);
    let named = ["JPMorgan Chase Bank", "JPMorgan Chase Bank, N.A."];
    assert_eq!(shown("WIRE-US", "address", "Street 1").await, [named[0], named[1], "Street 1"]);
    // The sandbox's bank directory does not contain this routing number.
    assert_eq!(shown("ACH-US", "routing_num", "111000025").await, ["", "", ""]);
}
