//! Privacy: whatever a person or a platform tells us in confidence is in no table, neither as text nor as bytes.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::person_with;
use daybook_tests::client::DEVICE;
use daybook_tests::database::Database;
use serde_json::json;

/// Texts that occur nowhere else, one for each way in.
const CANARIES: [&str; 36] = [
    "Canary-Name",
    "Canary-Alias",
    "canary@mail.example",
    "canary2@mail.example",
    "555-0142-777",
    "10.77.66.55",
    "10.77.66.56",
    "78-Canary-Street",
    "Canary-City",
    "94777-Zip",
    "987-65-2222",
    "data:image/canary;base64,Q0FOQVJZ",
    "canary-supp-user",
    "canary-supp-node",
    "canary-supp-again",
    "Canary-Renamed",
    "CNRYGB2LXXX",
    "GB29NWBK60161331926819",
    "Canary-Bank-Abroad",
    "Canary-Holder",
    "canary-supp-trans",
    "canary-note-node",
    "canary-note-trans",
    "canary-note-fee",
    "canary-note-credit",
    "canary-comment",
    "Canary-Nick",
    "77788899900",
    "Canary-Payee",
    "Canary-Payee-Street",
    "canary-idempotency-key",
    "canary-correspondent",
    "Canary-Subnet-1",
    "Canary-Subnet-2",
    "canary-hook-token-1",
    "canary-hook-token-2",
];

/// Every table of the database as text, a row a line; bytes as hexadecimal digits.
pub(crate) async fn dump(database: &Database) -> Vec<(String, String)> {
    let client = database.pg().client().await.expect("a connection");
    let tables = "select format('%I.%I', schemaname, tablename) from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema') order by 1";
    let mut dumped = Vec::new();
    for row in client.query(tables, &[]).await.expect("tables") {
        let table: String = row.get(0);
        let rows = client.query(&format!("select t::text from {table} t"), &[]).await.expect("rows");
        let text = rows.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>().join("\n");
        dumped.push((table, text));
    }
    dumped
}

pub(crate) fn hex(text: impl AsRef<[u8]>) -> String {
    use std::fmt::Write;
    text.as_ref().iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// In no row is `secret`, in whatever form.
pub(crate) fn assert_nowhere(dumped: &[(String, String)], secret: &str) {
    let lower = secret.to_lowercase();
    // Without the fixed beginnings of keys, too, should somebody have stored only the rest.
    let rest = lower.rsplit('_').next().unwrap_or_default().to_owned();
    let forms = [hex(secret), hex(&lower), lower.clone(), rest.clone(), hex(&rest)];
    for (table, rows) in dumped {
        let rows = rows.to_lowercase();
        for form in forms.iter().filter(|form| form.len() >= 8) {
            assert!(!rows.contains(form.as_str()), "{secret} is in {table}, as {form}");
        }
    }
}

#[tokio::test]
async fn no_table_tells_anything_personal_or_secret() {
    let app = TestApp::start().await;
    let mut user =
        person_with("Canary-Name", &json!([{"document_type": "SSN", "document_value": "987-65-2222"}]));
    user["logins"] = json!([{"email": "canary@mail.example"}]);
    user["phone_numbers"] = json!(["555-0142-777"]);
    user["extra"] = json!({"supp_id": "canary-supp-user"});
    for (field, value) in [
        ("email", "canary2@mail.example"),
        ("alias", "Canary-Alias"),
        ("ip", "10.77.66.55"),
        ("address_street", "78-Canary-Street"),
        ("address_city", "Canary-City"),
        ("address_postal_code", "94777-Zip"),
    ] {
        user["documents"][0][field] = json!(value);
    }
    user["documents"][0]["physical_docs"] =
        json!([{"document_type": "GOVT_ID", "document_value": "data:image/canary;base64,Q0FOQVJZ"}]);
    let made = app.client.call("POST", "/users").header("X-SP-USER", format!("|{DEVICE}"));
    let made = made.key("canary-idempotency-key").json(&user).send().await.ok();
    let id = made["_id"].as_str().expect("an id");
    let us = app.client.session(id).await;
    assert_eq!(app.client.reviewed(id).await["permission"], "SEND-AND-RECEIVE");

    let ach = json!({
        "type": "ACH-US", "extra": {"supp_id": "canary-supp-node", "note": "canary-note-node"},
        "info": {"nickname": "Canary-Nick", "account_num": "77788899900", "routing_num": "021000021",
            "type": "PERSONAL", "class": "CHECKING"},
    });
    let _ = us.create_node(&ach).await.ok();
    let wire = json!({
        "type": "WIRE-US",
        "info": {"nickname": "Canary-Nick", "account_num": "77788899900", "routing_num": "021000021",
            "correspondent_info": {"bank_name": "canary-correspondent", "address": "canary-correspondent"}},
    });
    let _ = us.create_node(&wire).await.ok();
    let abroad = json!({
        "type": "WIRE-INT",
        "info": {"nickname": "Canary-Nick", "account_num": "GB29NWBK60161331926819", "swift": "CNRYGB2LXXX",
            "bank_name": "Canary-Bank-Abroad", "address": "Canary-Bank-Abroad", "name_on_account": "Canary-Holder",
            "correspondent_info": {"swift": "CNRYGB2LXXX", "address": "canary-correspondent"}},
    });
    let abroad = us.create_node(&abroad).await.ok()["nodes"][0]["_id"].as_str().expect("an id").to_owned();
    let labels = json!({"nickname": "Canary-Renamed", "supp_id": "canary-supp-again"});
    let _ = us.call("PATCH", &format!("/nodes/{abroad}")).json(&labels).send().await.ok();
    let mut check = daybook_tests::bodies::node("CHECK-US");
    check["info"]["payee_name"] = json!("Canary-Payee");
    check["info"]["payee_address"]["address_street"] = json!("Canary-Payee-Street");
    let _ = us.create_node(&check).await.ok();
    let (from, to, ledger) =
        (us.node("DEPOSIT-US").await, us.node("DEPOSIT-US").await, us.node("LEDGER-US").await);
    let credit = json!({"amount": {"amount": 100, "currency": "USD"}, "note": "canary-note-credit"});
    let call = app.client.call("POST", &format!("/sandbox/nodes/{from}/credit"));
    let _ = call.json(&credit).send().await.ok();
    let mut transfer = daybook_tests::bodies::transfer(&to, "1");
    transfer["extra"] =
        json!({"ip": "10.77.66.56", "supp_id": "canary-supp-trans", "note": "canary-note-trans"});
    transfer["fees"] = json!([{"fee": 0.5, "note": "canary-note-fee", "to": {"id": ledger}}]);
    let call =
        us.transfer(&from, &transfer).key("canary-idempotency-key").header("X-SP-USER-IP", "10.77.66.56");
    let trans = call.send().await.ok();
    let trans = trans["_id"].as_str().expect("an id");
    let call = us.call("PATCH", &format!("/nodes/{from}/trans/{trans}"));
    let _ = call.json(&json!({"comment": "canary-comment"})).send().await.ok();
    us.when(&from, trans, "SETTLED").await;
    let call =
        us.call("POST", &format!("/nodes/{from}/subnets")).json(&json!({"nickname": "Canary-Subnet-1"}));
    let subnet = call.send().await.ok();
    let path = format!("/nodes/{from}/subnets/{}", subnet["_id"].as_str().expect("an id"));
    let _ = us.call("PATCH", &path).json(&json!({"nickname": "Canary-Subnet-2"})).send().await.ok();
    let hook = json!({"url": "https://a.example/?canary-hook-token-1", "scope": ["TRANS|POST"]});
    let hook = app.client.call("POST", "/subscriptions").json(&hook).send().await.ok();
    let path = format!("/subscriptions/{}", hook["_id"].as_str().expect("an id"));
    let moved = json!({"url": "https://a.example/?canary-hook-token-2"});
    let _ = app.client.call("PATCH", &path).json(&moved).send().await.ok();
    let device = json!({"refresh_token": made["refresh_token"], "validation_pin": "123456"});
    let second = app.client.oauth_from("canary-device", id, &device).await.ok();

    let generated = [
        us.oauth_key.clone(),
        second["oauth_key"].as_str().expect("a key").to_owned(),
        made["refresh_token"].as_str().expect("a token").to_owned(),
        app.client.client_secret.clone(),
        "canary-device".to_owned(),
        DEVICE.to_owned(),
        subnet["account_num"].as_str().expect("a number").to_owned(),
    ];
    let dumped = dump(&app.database).await;
    assert!(dumped.len() > 10 && dumped.iter().any(|(_, rows)| rows.contains(id) || rows.len() > 1_000));
    for secret in CANARIES.iter().map(|text| (*text).to_owned()).chain(generated) {
        assert_nowhere(&dumped, &secret);
    }
}

#[tokio::test]
async fn the_search_would_find_what_is_there() {
    let app = TestApp::start().await;
    let dumped = dump(&app.database).await;
    // The platform's client id is no secret, and is kept in the clear; of its secret there is a hash, in bytes.
    assert!(dumped.iter().any(|(_, rows)| rows.contains(&app.client.client_id)));
    let client = app.database.pg().client().await.expect("a connection");
    let hash = client.query_one("select encode(secret_hash, 'hex') from platform", &[]).await.expect("a row");
    let hash: String = hash.get(0);
    assert!(dumped.iter().any(|(_, rows)| rows.contains(&hash)));
}
