//! Database dumps of earlier releases: each is upgraded, gives the same answers, accepts new calls, verifies, and can
//! be rebuilt.

use std::collections::BTreeMap;
use std::path::PathBuf;

use daybook_pg::migrate;
use daybook_tests::app::{PUBLIC_KEY, SETTLE_AFTER, TestApp};
use daybook_tests::client::{DEVICE, Session};
use daybook_tests::database::Database;
use daybook_tests::http::Call;
use daybook_tests::operator::Operator;
use daybook_tests::process;
use serde_json::Value;

use super::golden;

/// A release: its newest migration, the user with the most records, and a payment that was not settled at the dump.
struct Left {
    version: &'static str,
    user: &'static str,
    node: &'static str,
    under_way: &'static str,
}

const RELEASES: [Left; 2] = [
    Left {
        version: "V18",
        user: "01M8GYYMEFP0S0TANFSRGF4K3M",
        node: "01M8GYYPSYANTT40N9C90JK0EK",
        under_way: "01M8GYYSZ64GFY97JKBAE5S6PJ",
    },
    Left {
        version: "V19",
        user: "01M8AYG5TX1WZBZ35QB03AZGEQ",
        node: "01M8AYG84JBZ5FM54EPY3Z27V8",
        under_way: "01M8AYG9J82KYBQEC7S20KJ9WN",
    },
];

/// Time in seconds after which every payment of the dump is due.
const AN_HOUR_S: i64 = 60 * 60;

fn path(version: &str, ending: &str) -> PathBuf {
    golden().join(format!("database/{version}.{ending}"))
}

/// Restores a dump into a database of its own. Roles belong to the server and exist because the template of all tests
/// creates them.
async fn restored(version: &str) -> Database {
    let _ = Database::create().await;
    let database = Database::empty().await;
    let dump = std::fs::read(path(version, "sql.zst")).expect("a dump");
    let dump = String::from_utf8(zstd::decode_all(&dump[..]).expect("a frame")).expect("text");
    let client = database.pg().dedicated().await.expect("connects");
    client.batch_execute(&dump).await.expect("the dump is restored");
    database
}

/// Answers of the release, by path.
fn answers(version: &str) -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(path(version, "answers.json")).expect("answers");
    serde_json::from_str(&text).expect("JSON")
}

/// Sends the calls of the release's answers: as its platform, its first user, or an operator.
struct Asker<'a> {
    app: &'a TestApp,
    operator: Operator,
    session: Session,
}

impl<'a> Asker<'a> {
    async fn new(app: &'a TestApp, user: &str) -> Self {
        Self { app, operator: app.operator("Ada Lovelace").await, session: app.client.session(user).await }
    }

    async fn ask(&self, path: &str) -> String {
        let call = Call::new(self.app.address, "GET", path);
        let call = if path.starts_with("/v3.1/ops/") {
            call.header("X-SP-OPERATOR", self.operator.credentials())
        } else if path.starts_with(&format!("/v3.1/users/{}/", self.session.user_id)) {
            call.header("X-SP-USER", format!("{}|{DEVICE}", self.session.oauth_key))
        } else {
            call.header("X-SP-GATEWAY", self.app.client.gateway()).header("X-SP-USER", format!("|{DEVICE}"))
        };
        call.send().await.text().replace(&self.app.address.to_string(), "HOST")
    }
}

/// Runs a command on the database and checks its success.
#[track_caller]
fn succeeds(database: &Database, args: &[&str]) {
    let said = process::run([args, &["--database-url", &database.url()]].concat());
    assert!(said.status.success(), "{args:?}: {said:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn database_of_each_release_upgrades_and_works() {
    for Left { version, user, node, under_way } in RELEASES {
        let database = restored(version).await;
        assert!(
            migrate::run(&database.pg()).await.expect("they pass") > 0,
            "{version} is this release's own"
        );
        let app = TestApp::start_on(database.clone(), database.pg(), SETTLE_AFTER).await;
        let asker = Asker::new(&app, user).await;
        for (path, before) in answers(version) {
            let now = asker.ask(&path).await;
            assert_eq!(Value::from(now), before, "{version}: {path}");
        }
        let _ = app.client.advance(AN_HOUR_S).await.ok();
        let _ = asker.session.when(node, under_way, "SETTLED").await;
        let to = asker.session.node("DEPOSIT-US").await;
        let sent = asker.session.sent(node, &to, "1.25").await;
        let _ = asker.session.when(node, &sent, "SETTLED").await;
        drop(asker);
        app.stop().await;
        succeeds(&database, &["log", "verify", "--key", PUBLIC_KEY]);
        succeeds(&database, &["reconcile", "replay"]);
        for work in ["rebuild", "diff", "switch"] {
            succeeds(&database, &["projection", work, "balances"]);
        }
    }
}
