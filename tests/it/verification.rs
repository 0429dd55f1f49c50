//! External directories: institutions, routing numbers and addresses. The sandbox has its own data; production has no
//! provider yet.

use daybook_tests::app::TestApp;
use daybook_tests::client::Client;
use daybook_tests::http::Answer;
use serde_json::{Value, json};

use crate::routes::named;

async fn ask(client: &Client, path: &str, body: &Value) -> Answer {
    client.call("POST", path).json(body).send().await
}

fn address() -> Value {
    serde_json::from_str(named("verification.address").body).expect("JSON")
}

#[tokio::test]
async fn only_sandbox_lists_an_institution() {
    let app = TestApp::start().await;
    let listed = app.client.call("GET", "/institutions").send().await.ok();
    let banks = listed["banks"].as_array().expect("a list");
    assert_eq!((&listed["banks_count"], banks.len()), (&json!(1), 1));
    assert_eq!(banks[0]["bank_code"], "fake");
    let fields = [
        "bank_code",
        "bank_name",
        "features",
        "forgotten_password",
        "is_active",
        "logo",
        "tx_history_months",
    ];
    assert!(fields.iter().all(|field| !banks[0][field].is_null()), "{listed}");
    // A login at the listed institution works.
    let us = app.client.own_session().await;
    let login = json!({"type": "ACH-US", "info": {"bank_id": "synapse_nomfa", "bank_pw": "test1234",
        "bank_name": banks[0]["bank_code"]}});
    assert_eq!(us.create_node(&login).await.ok()["node_count"], 2);
    let production = app.platform("Production", false).await;
    let listed = production.call("GET", "/institutions").send().await.ok();
    assert_eq!((&listed["banks"], &listed["page_count"]), (&json!([]), &json!(0)));
    app.client.call("GET", "/institutions?at=1").send().await.refused(400, "200");
}

#[tokio::test]
async fn routing_number_is_resolved_or_refused() {
    let app = TestApp::start().await;
    let path = "/routing-number-verification";
    for (number, kind, bank) in [
        ("021000021", "ACH-US", "JPMorgan Chase Bank"),
        ("026009593", "WIRE-US", "Bank of America"),
        ("123456780", "ACH-US", "Fake Bank"),
    ] {
        let known = ask(&app.client, path, &json!({"routing_num": number, "type": kind})).await.ok();
        let answered = [&known["bank_name"], &known["routing_num"], &known["type"]];
        assert_eq!(answered, [&json!(bank), &json!(number), &json!(kind)]);
    }
    // A wrong checksum, and two numbers with a correct checksum that no bank has.
    for number in ["021000022", "111000038", "000000000"] {
        let answer = ask(&app.client, path, &json!({"routing_num": number, "type": "ACH-US"})).await;
        assert_eq!(answer.refused(409, "400")["code"], "routing_number", "{number}");
    }
    for (body, field) in [
        (json!({"type": "ACH-US"}), "routing_num"),
        (json!({"routing_num": "02100002", "type": "ACH-US"}), "routing_num"),
        (json!({"routing_num": "02100002x", "type": "ACH-US"}), "routing_num"),
        (json!({"routing_num": 21_000_021, "type": "ACH-US"}), "routing_num"),
        (json!({"routing_num": "021000021"}), "type"),
        (json!({"routing_num": "021000021", "type": "DEPOSIT-US"}), "type"),
    ] {
        assert_eq!(ask(&app.client, path, &body).await.refused(400, "200")["field"], field, "{body}");
    }
    let production = app.platform("Production", false).await;
    let body = json!({"routing_num": "021000021", "type": "ACH-US"});
    let error = ask(&production, path, &body).await.refused(400, "410");
    assert_eq!(error["code"], "no_routing_directory");
}

#[tokio::test]
async fn address_deliverability_is_checked() {
    let app = TestApp::start().await;
    let path = "/address-verification";
    let found = ask(&app.client, path, &address()).await.ok();
    assert_eq!(found["deliverability"], "usps_deliverable");
    let normalized = json!({"address_street": "1 MARKET ST STE 500", "address_city": "SAN FRANCISCO",
        "address_subdivision": "CA", "address_postal_code": "94105", "address_country_code": "US"});
    assert_eq!(found["normalized_address"], normalized);
    let nothing = [
        "partial_valid",
        "primary_number_invalid",
        "primary_number_missing",
        "secondary_invalid",
        "secondary_missing",
    ];
    assert!(nothing.iter().all(|fault| found["deliverability_analysis"][fault] == false), "{found}");
    for (street, deliverability, fault) in [
        ("1 Market St Apt", "deliverable_missing_unit", "secondary_missing"),
        ("Market St", "google_undeliverable", "primary_number_missing"),
        ("123 Fail Address", "google_undeliverable", "primary_number_invalid"),
    ] {
        let mut body = address();
        body["address_street"] = json!(street);
        let found = ask(&app.client, path, &body).await.ok();
        assert_eq!(found["deliverability"], deliverability, "{street}");
        assert_eq!(found["deliverability_analysis"][fault], true, "{street}");
    }
    for field in address().as_object().expect("fields").keys() {
        let mut body = address();
        body[field] = Value::Null;
        assert_eq!(ask(&app.client, path, &body).await.refused(400, "200")["field"], *field);
    }
    let mut abroad = address();
    abroad["address_country_code"] = json!("DE");
    assert_eq!(ask(&app.client, path, &abroad).await.refused(400, "410")["code"], "address_country");
    let production = app.platform("Production", false).await;
    let error = ask(&production, path, &address()).await.refused(400, "410");
    assert_eq!(error["code"], "no_address_check");
}
