//! A bank that is a folder: what leaves stands there as a file, and settles when a statement says that it left.

use daybook_tests::bodies;
use daybook_tests::client::{Client, until};
use daybook_tests::database::Database;
use daybook_tests::operator::Operator;
use daybook_tests::process::{Daybook, run};
use serde_json::{Value, json};

use crate::restart::{credentials, folder_with_key};

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().expect("text").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wire_is_a_file_in_the_folder_and_settles_by_the_statement() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (url, key, bank) = (database.url().clone(), path("master.key"), path("bank"));
    let on = ["--database-url", &url, "--master-key", &key];
    let made = credentials(&run([&["client", "create", "Acme", "--json"], &on[..]].concat()));
    let ada = credentials(&run([&["operator", "create", "--name", "Ada", "--json"], &on[..]].concat()));
    let serve = ["serve", "--listen", "127.0.0.1:0", "--settle-after", "300ms", "--bank-folder", &bank];
    let names =
        ["--bank-name", "First Bank", "--bank-routing-num", "021000021", "--company-id", "1234567890"];
    let service = Daybook::start([&serve[..], &names, &["--bank-account-num", "555000111"], &on].concat());
    let address = service.address();
    let (client_id, client_secret) = (text(&made, "client_id"), text(&made, "client_secret"));
    let client = Client { address, client_id, client_secret, user_id: text(&made, "user_id") };
    let (operator_id, operator_secret) = (text(&ada, "operator_id"), text(&ada, "operator_secret"));
    let ada = Operator { address, operator_id, operator_secret };
    let ops = |rest: &str| format!("/platforms/{}/{rest}", client.client_id);

    let us = client.own_session().await;
    let (node, wire) = (us.node("DEPOSIT-US").await, us.node("WIRE-US").await);
    let lines =
        json!([{"account": "suspense", "amount": 50}, {"account": format!("node:{node}"), "amount": -50}]);
    let act = json!({"kind": "journal", "currency": "USD", "lines": lines});
    let body = json!({"act": act, "reason": "What was there before us."});
    let _ = ada.call("POST", &ops("operations")).json(&body).send().await.ok();
    let mut body = bodies::transfer(&wire, "12.34");
    body["to"]["type"] = json!("WIRE-US");
    let pushed = us.transfer(&node, &body).send().await.ok();
    let pushed = text(&pushed, "_id");

    let file = until("the wire is in the folder", async || {
        let mut files = std::fs::read_dir(folder.path().join("bank/out")).ok()?;
        files.find_map(|file| std::fs::read_to_string(file.ok()?.path()).ok())
    })
    .await;
    assert!(file.contains("{2000}000000001234") && file.contains("{3100}021000021FIRST BANK"), "{file}");
    let listed = ada.get(&ops("files")).await.ok();
    let id = text(&listed["files"][0], "_id");
    assert_eq!(ada.get(&ops(&format!("files/{id}"))).await.text(), file);
    us.when(&node, &pushed, "PROCESSING-CREDIT").await;

    let day = daybook_domain::calendar::Day::of(daybook_engine::Clock.now()).to_string();
    let statement = super::statements::statement(&day, "0", "-12.34", &[("1", "-12.34", &pushed, "WIRE")]);
    let booked = ada.call("POST", &ops("statements")).json(&json!({"file": statement})).send().await.ok();
    assert_eq!(booked["lines"][0]["explains"]["account"], "rail.out.wire", "{booked}");
    us.when(&node, &pushed, "SETTLED").await;
    assert!(service.terminate().success());
}
