//! Every input that accepts personal data or secrets, with a canary in each field.

use daybook_tests::app::TestApp;
use daybook_tests::bodies::{ROUTING_NUMBER, node, person_with, transfer};
use daybook_tests::client::{Client, Session};
use serde_json::{Value, json};

/// Files with the contents `canary-image-bytes`, `canary-image-again` and `canary-paper-bytes`, of unusual media types.
const IMAGE: &str = "data:image/canary;base64,Y2FuYXJ5LWltYWdlLWJ5dGVz";
const NEW_IMAGE: &str = "data:image/x-canary;base64,Y2FuYXJ5LWltYWdlLWFnYWlu";
const PAPER: &str = "data:application/canary;base64,Y2FuYXJ5LXBhcGVyLWJ5dGVz";

/// Returns a user with a canary in every field.
pub(crate) fn person() -> Value {
    let ssn = json!([{"document_type": "SSN", "document_value": "987-65-2222"}]);
    let mut user = person_with("Canary-Name", &ssn);
    user["logins"] = json!([{"email": "canary@mail.example", "password": "canary-password-1"}]);
    user["phone_numbers"] = json!(["555-0142-777"]);
    user["extra"] = json!({"supp_id": "canary-supp-user"});
    let document = json!({
        "email": "canary2@mail.example", "alias": "Canary-Alias", "ip": "10.77.66.55",
        "address_street": "78-Canary-Street", "address_city": "Canary-City", "address_postal_code": "94777-Zip",
        "physical_docs": [{"document_type": "GOVT_ID", "document_value": IMAGE}],
    });
    write(&mut user["documents"][0], document);
    user
}

/// Returns external nodes, each with the fields of its type.
pub(crate) fn outside() -> [Value; 4] {
    let ach = json!({
        "type": "ACH-US", "extra": {"supp_id": "canary-supp-node", "note": "canary-note-node"},
        "info": {"nickname": "Canary-Nick", "account_num": "77788899900", "routing_num": ROUTING_NUMBER,
            "type": "PERSONAL", "class": "CHECKING", "name_on_account": "Canary-Holder"},
    });
    let mut wire = node("WIRE-US");
    let bank = json!({"bank_name": "canary-correspondent", "address": "canary-correspondent"});
    write(&mut wire["info"], json!({"account_num": "77788899900", "correspondent_info": bank}));
    let mut abroad = node("WIRE-INT");
    let info = json!({
        "account_num": "DE39777788889999000011", "swift": "CNRYDEFFCAN", "name_on_account": "Canary-Holder-Abroad",
        "bank_name": "canary-bank-name", "address": "canary-bank-address",
        "correspondent_info": {"swift": "CNRYGB2LCAN", "bank_name": "canary-correspondent"},
    });
    write(&mut abroad["info"], info);
    let mut check = node("CHECK-US");
    check["info"]["payee_name"] = json!("Canary-Payee");
    check["info"]["payee_address"]["address_street"] = json!("Canary-Payee-Street");
    [ach, wire, abroad, check]
}

/// Makes a transaction with notes, an attachment and a comment, and waits until it settles. Returns its sending node.
pub(crate) async fn pays(app: &TestApp, us: &Session) -> String {
    let (from, to, ledger) =
        (us.node("DEPOSIT-US").await, us.node("DEPOSIT-US").await, us.node("LEDGER-US").await);
    let credit = json!({"amount": {"amount": 100, "currency": "USD"}, "note": "canary-note-credit"});
    let call = app.client.call("POST", &format!("/sandbox/nodes/{from}/credit"));
    let _ = call.json(&credit).send().await.ok();
    let mut body = transfer(&to, "1");
    body["extra"] = json!({
        "ip": "10.77.66.56", "supp_id": "canary-supp-trans", "note": "canary-note-trans",
        "other": {"attachments": [PAPER]},
    });
    body["fees"] = json!([{"fee": 0.5, "note": "canary-note-fee", "to": {"id": ledger}}]);
    let call = us.transfer(&from, &body).key("canary-idempotency-key").header("X-SP-USER-IP", "10.77.66.56");
    let trans = call.send().await.ok();
    assert_eq!(trans["extra"]["other"]["attachments"].as_array().map(Vec::len), Some(1));
    let trans = trans["_id"].as_str().expect("an id");
    let call = us.call("PATCH", &format!("/nodes/{from}/trans/{trans}"));
    let _ = call.json(&json!({"comment": "canary-comment"})).send().await.ok();
    us.when(&from, trans, "SETTLED").await;
    from
}

/// Creates and renames a subnet. Returns its account number.
pub(crate) async fn has_a_subnet(us: &Session, node: &str) -> String {
    let path = format!("/nodes/{node}/subnets");
    let made = us.call("POST", &path).json(&json!({"nickname": "Canary-Subnet-1"})).send().await.ok();
    let path = format!("{path}/{}", made["_id"].as_str().expect("an id"));
    let renamed = us.call("PATCH", &path).json(&json!({"nickname": "Canary-Subnet-2"})).send().await.ok();
    assert_eq!(renamed["nickname"], "Canary-Subnet-2");
    made["account_num"].as_str().expect("a number").to_owned()
}

/// Creates a subscription and changes its URL, with a secret in both URLs.
pub(crate) async fn subscribes(client: &Client) {
    let hook = json!({"url": "https://a.example/?key=canary-hook-token-1", "scope": ["TRANS|POST"]});
    let hook = client.call("POST", "/subscriptions").json(&hook).send().await.ok();
    let path = format!("/subscriptions/{}", hook["_id"].as_str().expect("an id"));
    let moved = json!({"url": "https://a.example/?key=canary-hook-token-2"});
    let _ = client.call("PATCH", &path).json(&moved).send().await.ok();
}

/// Changes the data of the user, of its document and of its node.
pub(crate) async fn changes(us: &Session, node: &str) {
    let labels = json!({"nickname": "Canary-Nick-2", "supp_id": "canary-supp-node-2"});
    let labeled = us.call("PATCH", &format!("/nodes/{node}")).json(&labels).send().await.ok();
    assert_eq!(labeled["info"]["nickname"], "Canary-Nick-2");
    let update = json!({
        "login": {"email": "canary3@mail.example", "password": "canary-password-2"},
        "phone_number": "555-0142-888", "legal_name": "Canary-Legal-Name",
    });
    let updated = us.call("PATCH", "").json(&json!({ "update": update })).send().await.ok();
    assert_eq!(updated["logins"][1]["email"], "canary3@mail.example");
    let document = json!({
        "id": updated["documents"][0]["id"], "name": "Canary-New-Name", "address_street": "79-Canary-Street",
        "virtual_docs": [{"document_type": "SSN", "document_value": "987-65-3333"}],
        "physical_docs": [{"document_type": "GOVT_ID", "document_value": NEW_IMAGE}],
    });
    let changed = us.call("PATCH", "").json(&json!({"documents": [document]})).send().await.ok();
    assert_eq!(changed["documents"][0]["name"], "Canary-New-Name");
    us.client.reviewed(&us.user_id).await;
}

/// Copies the fields of `from` into `object`.
fn write(object: &mut Value, from: Value) {
    let Value::Object(fields) = from else { panic!("no fields: {from}") };
    object.as_object_mut().expect("an object").extend(fields);
}
