//! Users: the record equals the request, documents are reviewed afterwards, and users of other platforms are hidden.

mod documents;
mod permission;
mod profile;
mod search;

use daybook_tests::app::TestApp;
use daybook_tests::bodies::{person, person_with};
use daybook_tests::client::{Client, Session};
use daybook_tests::http::Answer;
use serde_json::{Value, json};

/// Returns the review results of a user's first document, as `(document_type, status)`.
fn verdicts(user: &Value) -> Vec<(&str, &str)> {
    let document = &user["documents"][0];
    ["social_docs", "virtual_docs", "physical_docs"]
        .into_iter()
        .flat_map(|group| document[group].as_array().expect("a list"))
        .map(|part| (part["document_type"].as_str().expect("text"), part["status"].as_str().expect("text")))
        .collect()
}

fn is_id_of_document(id: &Value) -> bool {
    id.as_str().is_some_and(|id| id.len() == 64 && id.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// Changes of a user by itself.
trait Patch {
    async fn patch(&self, body: &Value) -> Answer;
}

impl Patch for Session {
    async fn patch(&self, body: &Value) -> Answer {
        self.call("PATCH", "").json(body).send().await
    }
}

/// Creates a user and returns it after its review.
async fn reviewed(client: &Client, body: &Value) -> Value {
    let made = client.create_user(body).await.ok();
    client.reviewed(made["_id"].as_str().expect("an id")).await
}

#[tokio::test]
async fn user_record_has_every_documented_field() {
    let app = TestApp::start().await;
    let mut body = person("Ada Lovelace");
    body["extra"] = json!({"supp_id": "my-1", "cip_tag": 3, "is_business": true});
    let made = app.client.create_user(&body).await;
    assert_eq!(made.headers["cache-control"], "no-store");
    assert_eq!(made.headers["x-content-type-options"], "nosniff");
    assert!(made.headers.get("server").is_none());

    let mut user = made.ok();
    let id = user["_id"].as_str().expect("an id").to_owned();
    let (document, extra) = (user["documents"][0].take(), user["extra"].take());
    let refresh_token = user["refresh_token"].take();
    assert!(refresh_token.as_str().is_some_and(|token| token.len() >= 32), "{refresh_token}");
    let href = format!("http://{}/v3.1/users/{id}", app.address);
    let expected = json!({
        "_id": id,
        "_links": {"self": {"href": href}},
        "client": {"id": app.client.client_id, "name": "Sandbox"},
        "doc_status": {"physical_doc": "MISSING|INVALID", "virtual_doc": "MISSING|INVALID"},
        "documents": [null],
        "emails": [],
        "error_code": "0",
        "extra": null,
        "http_code": "200",
        "is_hidden": false,
        "legal_names": ["Ada Lovelace"],
        "logins": [{"email": "Ada.Lovelace@example.com", "scope": "READ_AND_WRITE"}],
        "permission": "UNVERIFIED",
        "phone_numbers": ["901.111.1111"],
        "photos": [],
        "refresh_token": null,
    });
    assert_eq!(user, expected);

    let joined = extra["date_joined"].as_i64().expect("milliseconds");
    assert!(joined > 1_600_000_000_000, "{joined}");
    let expected = json!({
        "cip_tag": 3, "date_joined": joined, "extra_security": false, "is_business": true, "last_updated": joined,
        "public_note": null, "supp_id": "my-1",
    });
    assert_eq!(extra, expected);

    assert!(is_id_of_document(&document["id"]), "{document}");
    assert_eq!(document["name"], "Ada Lovelace");
    assert_eq!(document["permission_scope"], "UNVERIFIED");
    assert_eq!(document["physical_docs"], json!([]));
    for part in document["social_docs"].as_array().expect("a list") {
        assert!(is_id_of_document(&part["id"]) && part["last_updated"].is_i64(), "{part}");
        assert_eq!(part["status"], "SUBMITTED|REVIEWING", "{part}");
        assert_eq!(part.as_object().map(serde_json::Map::len), Some(4), "{part}");
    }
    let types: Vec<_> = document["social_docs"].as_array().expect("a list").iter().collect();
    let types: Vec<_> = types.iter().map(|part| part["document_type"].as_str().expect("text")).collect();
    assert_eq!(types, ["EMAIL", "PHONE_NUMBER", "IP", "ADDRESS", "DATE"]);
    assert_eq!(document["virtual_docs"][0]["document_type"], "SSN");
    assert_eq!(document["virtual_docs"][0]["status"], "SUBMITTED|REVIEWING");
}

#[tokio::test]
async fn optional_fields_have_defaults_and_accept_null() {
    let app = TestApp::start().await;
    for extra in [json!(null), json!({}), json!({"supp_id": null, "cip_tag": null, "is_business": null})] {
        let mut body = person("Ada");
        body["extra"] = extra.clone();
        let user = app.client.create_user(&body).await.ok();
        assert_eq!(user["extra"]["supp_id"], json!(null), "{extra}");
        assert_eq!(user["extra"]["cip_tag"], 1, "{extra}");
        assert_eq!(user["extra"]["is_business"], false, "{extra}");
    }
    let without_documents = json!({
        "logins": [{"email": "a@example.com", "scope": "READ", "unknown": [1]}], "phone_numbers": ["1"],
        "legal_names": ["A"], "ignored": {"deep": true},
    });
    let user = app.client.create_user(&without_documents).await.ok();
    assert_eq!(user["documents"], json!([]));
    assert_eq!(user["logins"], json!([{"email": "a@example.com", "scope": "READ"}]));
}

#[tokio::test]
async fn user_with_valid_documents_sends_and_receives() {
    let app = TestApp::start().await;
    let user = reviewed(&app.client, &person("Ada Lovelace")).await;
    assert_eq!(user["permission"], "SEND-AND-RECEIVE");
    assert_eq!(
        user["doc_status"],
        json!({"physical_doc": "MISSING|INVALID", "virtual_doc": "SUBMITTED|VALID"})
    );
    assert_eq!(user["documents"][0]["permission_scope"], "SEND-AND-RECEIVE");
    assert!(verdicts(&user).iter().all(|(_, status)| *status == "SUBMITTED|VALID"), "{user}");
    assert!(user["extra"]["last_updated"].as_i64() > user["extra"]["date_joined"].as_i64());
    assert!(user["refresh_token"].is_string());
}

#[tokio::test]
async fn document_images_stay_out_of_read_models() {
    let app = TestApp::start().await;
    let mut body = person("Ada");
    let image = format!("data:image/png;base64,{}", "iVBORw0K".repeat(256 * 1024));
    body["documents"][0]["physical_docs"] = json!([{"document_type": "GOVT_ID", "document_value": image}]);
    let user = reviewed(&app.client, &body).await;
    assert_eq!(user["permission"], "SEND-AND-RECEIVE");
    assert_eq!(user["documents"][0]["physical_docs"][0]["status"], "SUBMITTED|VALID");
    let db = app.database.pg().client().await.expect("a connection");
    let row = db.query_one("select max(length(state)) from users_v1", &[]).await.expect("rows");
    assert!(row.get::<_, i32>(0) < 8_192, "a row that everybody reads is as large as an image");
}

#[tokio::test]
async fn sandbox_review_follows_documented_values() {
    let app = &TestApp::start().await;
    let ssn = |digits: &str| json!([{"document_type": "SSN", "document_value": digits}]);
    let spoiled = |field: &str, value: Value| {
        let mut body = person("Ada");
        body["documents"][0][field] = value;
        body
    };
    let (valid, invalid, pending) = ("SUBMITTED|VALID", "SUBMITTED|INVALID", "SUBMITTED|MFA_PENDING");
    let table = [
        ("no ssn", person_with("Ada", &json!([])), "RECEIVE", None),
        ("no ssn, null", person_with("Ada", &json!(null)), "RECEIVE", None),
        (
            "passport only",
            { person_with("Ada", &json!([{"document_type": "PASSPORT", "document_value": "P1"}])) },
            "RECEIVE",
            Some(("PASSPORT", valid)),
        ),
        ("2222", person_with("Ada", &ssn("111-11-2222")), "SEND-AND-RECEIVE", Some(("SSN", valid))),
        ("anything else", person_with("Ada", &ssn("123456789")), "SEND-AND-RECEIVE", Some(("SSN", valid))),
        ("1111", person_with("Ada", &ssn("111-11-1111")), "UNVERIFIED", Some(("SSN", invalid))),
        ("3333", person_with("Ada", &ssn("111-11-3333")), "UNVERIFIED", Some(("SSN", pending))),
        (
            "phone",
            spoiled("phone_number", json!("541-754-3010")),
            "UNVERIFIED",
            Some(("PHONE_NUMBER", invalid)),
        ),
        ("ip", spoiled("ip", json!("255.255.255.0")), "UNVERIFIED", Some(("IP", invalid))),
        (
            "street",
            spoiled("address_street", json!("123 Fail Address")),
            "UNVERIFIED",
            Some(("ADDRESS", invalid)),
        ),
        ("no date", spoiled("day", json!(null)), "UNVERIFIED", Some(("DATE", invalid))),
        ("no e-mail", spoiled("email", json!(null)), "UNVERIFIED", Some(("EMAIL", invalid))),
    ];
    let checks = table.map(async |(name, body, permission, verdict)| {
        let user = reviewed(&app.client, &body).await;
        assert_eq!(user["permission"], permission, "{name}: {user}");
        if let Some(verdict) = verdict {
            assert!(verdicts(&user).contains(&verdict), "{name}: {user}");
        }
    });
    futures::future::join_all(checks).await;
}

#[tokio::test]
async fn production_does_not_use_sandbox_numbers() {
    let app = TestApp::start().await;
    let production = app.platform("Production", false).await;
    let user = production.create_user(&person("Ada")).await.ok();
    let sandboxed = app.client.create_user(&person("Ada")).await.ok();
    app.client.reviewed(sandboxed["_id"].as_str().expect("an id")).await;
    assert_eq!(production.user(user["_id"].as_str().expect("an id")).await["permission"], "UNVERIFIED");
}

#[tokio::test]
async fn platform_has_its_own_user() {
    let app = TestApp::start().await;
    let own = app.client.user(&app.client.user_id).await;
    assert_eq!(own["permission"], "SEND-AND-RECEIVE");
    let nodes = app.client.own_session().await.call("GET", "/nodes").send().await;
    assert_eq!(nodes.ok()["node_count"], 1);
    assert_eq!(nodes.raw("nodes.0.type"), r#""RESERVE-US""#);
    assert_eq!(nodes.raw("nodes.0.info.balance.amount"), "1000000.00");
}

#[tokio::test]
async fn platform_call_requires_valid_credentials() {
    let app = TestApp::start().await;
    let client = &app.client;
    let path = format!("/users/{}", client.user_id);
    let call = || client.anonymous("GET", &path);
    let gateway = client.gateway();
    let wrong = [
        String::new(),
        "|".to_owned(),
        gateway.replace('|', ""),
        format!("{}|", client.client_id),
        format!("{}|{}x", client.client_id, client.client_secret),
        format!("{}x|{}", client.client_id, client.client_secret),
        format!("{}|{}", client.client_secret, client.client_id),
        client.client_id.clone(),
    ];
    call().send().await.refused(401, "100");
    for header in wrong {
        call().header("X-SP-GATEWAY", &header).send().await.refused(401, "100");
    }
    // Header names are case-insensitive, credentials are not.
    let _ = call().header("x-sp-gateway", &gateway).send().await.ok();
    call().header("X-SP-GATEWAY", gateway.to_uppercase()).send().await.refused(401, "100");
    // A user's key and the other headers are ignored on this path.
    let odd = [
        ("X-SP-USER", "oauth_wrong|x"),
        ("X-SP-USER", "|"),
        ("X-SP-USER-IP", ""),
        ("X-SP-LANG", "EN"),
        ("X-SP-PROD", "NO"),
        ("Content-Type", "application/json"),
    ];
    for (name, value) in odd {
        let _ = call().header("X-SP-GATEWAY", &gateway).header(name, value).send().await.ok();
    }
}

#[tokio::test]
async fn user_of_another_platform_looks_missing() {
    let app = TestApp::start().await;
    let other = app.platform("Other", true).await;
    let foreign = other.create_user(&person("Eve")).await.ok();
    let get = async |id: &str| app.client.call("GET", &format!("/users/{id}")).send().await;
    let theirs = get(foreign["_id"].as_str().expect("an id")).await;
    let nobodys = get("00000000000000000000000000").await;
    assert_eq!(theirs.refused(404, "404"), nobodys.refused(404, "404"));
    get(&other.user_id).await.refused(404, "404");
    get("7ZZZZZZZZZZZZZZZZZZZZZZZZZ").await.refused(404, "404");
}

#[tokio::test]
async fn missing_or_invalid_field_is_named() {
    let app = TestApp::start().await;
    let without = |field: &str| {
        let mut body = person("Ada");
        body.as_object_mut().expect("an object").remove(field);
        body
    };
    let with = |field: &str, value: Value| {
        let mut body = person("Ada");
        body[field] = value;
        body
    };
    let table = [
        ("logins", without("logins")),
        ("phone_numbers", without("phone_numbers")),
        ("legal_names", without("legal_names")),
        ("logins", with("logins", json!([]))),
        ("phone_numbers", with("phone_numbers", json!("901"))),
        ("legal_names[0]", with("legal_names", json!([7]))),
        ("legal_names[0]", with("legal_names", json!(["x".repeat(1_001)]))),
        ("logins[0].email", with("logins", json!([{"email": {}}]))),
        ("documents", with("documents", json!({}))),
        ("documents[0].day", with("documents", json!([{"day": "second"}]))),
        ("extra.cip_tag", with("extra", json!({"cip_tag": "one"}))),
        ("extra.supp_id", with("extra", json!({"supp_id": "x".repeat(1_001)}))),
    ];
    for (field, body) in table {
        let error = app.client.create_user(&body).await.refused(400, "200");
        assert_eq!(error["field"], field, "{error}");
    }
}

#[tokio::test]
async fn user_creation_accepts_an_idempotency_key() {
    let app = TestApp::start().await;
    let create = async |body: &Value| app.client.call("POST", "/users").key("k1").json(body).send().await;
    let made = create(&person("Ada")).await.ok();
    let again = create(&person("Ada")).await.refused(409, "400");
    assert_eq!((&again["original_id"], &again["same_payload"]), (&made["_id"], &json!(true)));
    let other = create(&person("Bob")).await.refused(409, "400");
    assert_eq!((&other["original_id"], &other["same_payload"]), (&made["_id"], &json!(false)));
    // Idempotency keys are separate for each platform.
    let foreign = app.platform("Other", true).await;
    let _ = foreign.call("POST", "/users").key("k1").json(&person("Ada")).send().await.ok();
}
