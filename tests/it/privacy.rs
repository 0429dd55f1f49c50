//! Privacy: personal data and secrets are in no table, neither as text nor as bytes.

pub(crate) mod ways_in;

use daybook_tests::app::TestApp;
use daybook_tests::client::DEVICE;
use daybook_tests::database::Database;
use serde_json::json;

use self::ways_in::{changes, has_a_subnet, outside, pays, person, subscribes};
use crate::bank_login::secrecy::spellings;

/// Texts that occur nowhere else, one for each input field. For files, the content of their bytes.
const CANARIES: [&str; 52] = [
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
    "canary-image-bytes",
    "image/canary",
    "canary-image-again",
    "image/x-canary",
    "canary-paper-bytes",
    "application/canary",
    "canary-password-1",
    "canary-password-2",
    "canary3@mail.example",
    "555-0142-888",
    "Canary-Legal-Name",
    "Canary-New-Name",
    "79-Canary-Street",
    "987-65-3333",
    "canary-supp-user",
    "canary-supp-node",
    "canary-supp-trans",
    "canary-note-node",
    "canary-note-trans",
    "canary-note-fee",
    "canary-note-credit",
    "canary-comment",
    "Canary-Nick",
    "Canary-Nick-2",
    "canary-supp-node-2",
    "77788899900",
    "Canary-Holder",
    "Canary-Holder-Abroad",
    "DE39777788889999000011",
    "CNRYDEFFCAN",
    "CNRYGB2LCAN",
    "canary-bank-name",
    "canary-bank-address",
    "Canary-Payee",
    "Canary-Payee-Street",
    "canary-idempotency-key",
    "canary-correspondent",
    "Canary-Subnet-1",
    "Canary-Subnet-2",
    "canary-hook-token-1",
    "canary-hook-token-2",
];

/// Returns every table of the database with its rows as text, one row per line. Bytes are hexadecimal digits.
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

/// Checks that no row contains `secret` as text, as hexadecimal digits or as base64, also inside bytes of files.
pub(crate) fn assert_nowhere(dumped: &[(String, String)], secret: &str) {
    // Also search without the fixed prefix of a key, in case only the rest is stored.
    let rest = secret.rsplit('_').next().unwrap_or_default();
    let forms: Vec<String> = [secret, rest].into_iter().flat_map(|text| spellings(text.as_bytes())).collect();
    for (table, rows) in dumped {
        let rows = rows.to_lowercase();
        for form in &forms {
            assert!(!rows.contains(form.as_str()), "{secret} is in {table}, as {form}");
        }
    }
}

#[tokio::test]
async fn no_table_contains_personal_or_secret_data() {
    let app = TestApp::start().await;
    let made = app.client.call("POST", "/users").header("X-SP-USER", format!("|{DEVICE}"));
    let made = made.key("canary-idempotency-key").json(&person()).send().await.ok();
    let id = made["_id"].as_str().expect("an id");
    let us = app.client.session(id).await;
    assert_eq!(app.client.reviewed(id).await["permission"], "SEND-AND-RECEIVE");
    for body in outside() {
        let _ = us.create_node(&body).await.ok();
    }
    let from = pays(&app, &us).await;
    let number = has_a_subnet(&us, &from).await;
    subscribes(&app.client).await;
    changes(&us, &from).await;
    let device = json!({"refresh_token": made["refresh_token"], "validation_pin": "123456"});
    let second = app.client.oauth_from("canary-device", id, &device).await.ok();

    let generated = [
        us.oauth_key.clone(),
        second["oauth_key"].as_str().expect("a key").to_owned(),
        made["refresh_token"].as_str().expect("a token").to_owned(),
        app.client.client_secret.clone(),
        "canary-device".to_owned(),
        DEVICE.to_owned(),
        number,
    ];
    let dumped = dump(&app.database).await;
    assert!(dumped.len() > 10 && dumped.iter().any(|(_, rows)| rows.contains(id) || rows.len() > 1_000));
    for secret in CANARIES.iter().map(|text| (*text).to_owned()).chain(generated) {
        assert_nowhere(&dumped, &secret);
    }
}

#[tokio::test]
async fn table_search_finds_existing_data() {
    let app = TestApp::start().await;
    let dumped = dump(&app.database).await;
    // The client id is public and stored in clear. The client secret is stored as a hash, in bytes.
    assert!(dumped.iter().any(|(_, rows)| rows.contains(&app.client.client_id)));
    let client = app.database.pg().client().await.expect("a connection");
    let hash = "select encode(secret_hash, 'hex') from client_secret";
    let hash = client.query_one(hash, &[]).await.expect("a row");
    let hash: String = hash.get(0);
    assert!(dumped.iter().any(|(_, rows)| rows.contains(&hash)));
}
