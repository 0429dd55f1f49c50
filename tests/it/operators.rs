//! Operators: their credentials open the operator paths only, and no other credentials open those paths.

use daybook_engine::access::parse_operator_id;
use daybook_tests::app::TestApp;
use daybook_tests::database::Database;
use daybook_tests::http::Call;
use daybook_tests::operator::Operator;
use daybook_tests::process::{Daybook, run};
use serde_json::{Value, json};

use crate::privacy::{assert_nowhere, dump};
use crate::restart::{DataDir, credentials, dev_client, folder_with_key};
use crate::routes::{By, ROUTES, Route};

/// Path that returns the calling operator.
const ME: &str = "/operators/me";

/// Returns one call for each operator path. Credentials are checked before ids, so any id is good enough.
fn ops(operator: &Operator) -> impl Iterator<Item = Call> {
    let call = |route: &Route| {
        let any_id = |part: &'static str| if part.starts_with('{') { "x" } else { part };
        let path: Vec<_> = route.path().split('/').map(any_id).collect();
        let call = Call::new(operator.address, route.method(), &path.join("/"));
        call.header("X-SP-OPERATOR", operator.credentials())
    };
    ROUTES.iter().filter(|route| route.by == By::Operator).map(call)
}

async fn revoke(app: &TestApp, operator: &Operator) {
    let access = app.service.engine.access();
    let id = parse_operator_id(&operator.operator_id).expect("an id");
    assert!(access.revoke_operator(id, app.service.engine.clock().now()).await.expect("it is there"));
}

#[tokio::test]
async fn operator_can_read_its_own_record() {
    let app = TestApp::start().await;
    let ada = app.operator("Ada Lovelace").await;
    let expected = json!({
        "_id": ada.operator_id, "name": "Ada Lovelace", "error_code": "0", "http_code": "200",
        "_links": {"self": {"href": format!("http://{}/v3.1/ops/operators/me", app.address)}},
    });
    assert_eq!(ada.get(ME).await.ok(), expected);
    let bob = app.operator("Bob").await;
    assert_eq!(bob.get(ME).await.ok()["name"], "Bob");
}

#[tokio::test]
async fn revoked_operator_is_refused_on_next_call() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.operator("Ada").await, app.operator("Bob").await);
    let _ = ada.get(ME).await.ok();
    revoke(&app, &ada).await;
    for call in ops(&ada) {
        call.send().await.refused(401, "100");
    }
    let _ = bob.get(ME).await.ok();
}

#[tokio::test]
async fn operator_revocation_is_permanent() {
    let app = TestApp::start().await;
    let ada = app.operator("Ada").await;
    let access = app.service.engine.access();
    let listed = async || access.operators().await.expect("a list").remove(0);
    assert_eq!(listed().await.revoked_at, None);
    revoke(&app, &ada).await;
    let first = listed().await;
    let revoked_at = first.revoked_at.expect("it is revoked");
    assert!(access.revoke_operator(first.operator.id, revoked_at.plus_ms(5_000)).await.expect("an answer"));
    access.store_operator(&first.operator, &ada.operator_secret).await.expect("an answer");
    assert_eq!(listed().await, first);
    ada.get(ME).await.refused(401, "100");
    let nobody = daybook_domain::id::OperatorId::from_u128(0);
    assert!(!access.revoke_operator(nobody, revoked_at).await.expect("an answer"));
}

#[tokio::test]
async fn operator_secret_is_in_no_table() {
    let app = TestApp::start().await;
    let ada = app.operator("Ada Lovelace").await;
    let _ = ada.get(ME).await.ok();
    let dumped = dump(&app.database).await;
    // The search works: it finds the name, which is stored in clear.
    assert!(dumped.iter().any(|(table, rows)| table.ends_with("operator") && rows.contains("Ada Lovelace")));
    assert_nowhere(&dumped, &ada.operator_secret);
}

/// Returns the operator that the command line created.
fn made(process: &Daybook, made: &Value) -> Operator {
    let text = |field: &str| made[field].as_str().expect("text").to_owned();
    let (operator_id, operator_secret) = (text("operator_id"), text("operator_secret"));
    assert!(operator_id.starts_with("operator_id_") && operator_secret.starts_with("operator_secret_"));
    Operator { address: process.address(), operator_id, operator_secret }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operator_commands_need_no_running_service() {
    let folder = DataDir::new();
    let data_dir = folder.text();
    let operator = |args: &[&str]| run(["operator"].iter().chain(args).chain(&["--data-dir", &data_dir]));
    // The ledger is created by the first start; `operator create` does not create it.
    assert!(folder.dev().terminate().success());
    let first = credentials(&operator(&["create", "--name", "Ada Lovelace", "--json"]));
    assert_eq!(folder.postgres().await, None, "a server that was not running is stopped again");
    let process = folder.dev();
    let second = credentials(&operator(&["create", "--name", "Bob", "--json"]));
    let (ada, bob) = (made(&process, &first), made(&process, &second));
    assert_eq!(ada.get(ME).await.ok()["name"], "Ada Lovelace");
    let _ = bob.get(ME).await.ok();

    assert!(operator(&["revoke", &ada.operator_id]).status.success());
    ada.get(ME).await.refused(401, "100");
    let _ = bob.get(ME).await.ok();
    assert!(folder.postgres().await.is_some(), "a server that others use is left running");

    let listed = credentials(&operator(&["list", "--json"]));
    let of = |name: &str| {
        let found = listed.as_array().expect("a list").iter().find(|one| one["name"] == name);
        found.unwrap_or_else(|| panic!("{name} in {listed}")).clone()
    };
    assert_eq!(of("Ada Lovelace")["operator_id"], ada.operator_id);
    assert!(of("Ada Lovelace")["revoked_at"].as_i64() >= of("Ada Lovelace")["created_at"].as_i64());
    assert_eq!(of("Bob")["revoked_at"], Value::Null);
    let told = operator(&["list"]);
    let told = String::from_utf8_lossy(&told.stdout);
    assert!(told.contains(&format!("{}  revoked  Ada Lovelace", ada.operator_id)), "{told}");
    assert!(told.contains(&format!("{}  active   Bob", bob.operator_id)), "{told}");
    assert!(!told.contains(&ada.operator_secret) && !listed.to_string().contains("secret"));

    for wrong in [
        &["revoke", "operator_id_00000000000000000000000000"][..],
        &["revoke", "ada"],
        &["create", "--name", " "],
        &["create", "--name", "A\u{1b}[2J"],
        &["create"],
    ] {
        assert_eq!(operator(wrong).status.code(), Some(2), "{wrong:?}");
    }
    assert!(process.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dev_has_two_operators_and_prints_credentials() {
    let folder = DataDir::new();
    let process = folder.dev();
    let lines = process.lines_until(|line| line.starts_with("curl "));
    let header = lines.iter().find_map(|line| line.split_once("X-SP-OPERATOR: ")).expect("a header").1;
    let (operator_id, operator_secret) = header.trim_end_matches('\'').split_once('|').expect("two halves");
    let address = process.address();
    let first = Operator {
        address,
        operator_id: operator_id.to_owned(),
        operator_secret: operator_secret.to_owned(),
    };
    let second = Operator {
        address,
        operator_id: "operator_id_00000000000000000000000002".into(),
        operator_secret: "operator_secret_dev_2".into(),
    };
    let (first, second) = (first.get(ME).await.ok(), second.get(ME).await.ok());
    assert_ne!(first["_id"], second["_id"]);
    assert!(process.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serve_creates_no_operator() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let (url, key) = (database.url(), folder.path().join("master.key").display().to_string());
    let place = ["--database-url", &url, "--master-key", &key];
    let process = Daybook::start(["serve", "--listen", "127.0.0.1:0"].iter().chain(&place));
    let listed = credentials(&run(["operator", "list", "--json"].iter().chain(&place)));
    assert_eq!(listed, json!([]));
    let client = dev_client(process.address());
    for number in [1, 2] {
        let header = format!("operator_id_0000000000000000000000000{number}|operator_secret_dev_{number}");
        let call = client.anonymous("GET", "/ops/operators/me").header("X-SP-OPERATOR", header);
        call.send().await.refused(401, "100");
    }
    assert!(process.terminate().success());
}
