//! A bank connected by a folder: outgoing files are written there, and transactions settle by its statements.

use std::time::Duration;

use daybook_tests::bodies;
use daybook_tests::client::{Client, Session, until};
use daybook_tests::database::Database;
use daybook_tests::http::Call;
use daybook_tests::operator::Operator;
use daybook_tests::process::{Daybook, run};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::restart::{credentials, folder_with_key};

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().expect("text").to_owned()
}

/// A deployment whose bank is a folder, and the session of a production platform.
pub(super) struct Deployment {
    pub(super) database: Database,
    pub(super) folder: TempDir,
    pub(super) service: Daybook,
    pub(super) ada: Operator,
    us: Session,
    pub(super) platform: String,
    /// Command line of the service.
    pub(super) args: Vec<String>,
}

impl Deployment {
    pub(super) async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts with further options of `serve`.
    async fn start_with(options: &[&str]) -> Self {
        let (database, folder) = (Database::create().await, folder_with_key());
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (url, key, bank) = (database.url().clone(), path("master.key"), path("bank"));
        let on = ["--database-url", &url, "--master-key", &key];
        let made = credentials(&run([&["client", "create", "Acme", "--json"], &on[..]].concat()));
        let ada = credentials(&run([&["operator", "create", "--name", "Ada", "--json"], &on[..]].concat()));
        let serve = ["serve", "--listen", "127.0.0.1:0", "--settle-after", "300ms", "--bank-folder", &bank];
        let names =
            ["--bank-name", "First Bank", "--bank-routing-num", "021000021", "--company-id", "1234567890"];
        let args = [&serve[..], &names, &["--bank-account-num", "555000111"], &on, options].concat();
        let args: Vec<String> = args.into_iter().map(ToOwned::to_owned).collect();
        let service = Daybook::start(&args);
        let address = service.address();
        let (client_id, client_secret) = (text(&made, "client_id"), text(&made, "client_secret"));
        let platform = client_id.clone();
        let client = Client { address, client_id, client_secret, user_id: text(&made, "user_id") };
        let (operator_id, operator_secret) = (text(&ada, "operator_id"), text(&ada, "operator_secret"));
        let ada = Operator { address, operator_id, operator_secret };
        let us = client.own_session().await;
        Self { database, folder, service, ada, us, platform, args }
    }

    pub(super) fn ops(&self, rest: &str) -> String {
        format!("/platforms/{}/{rest}", self.platform)
    }

    /// Returns a new node with an opening balance of 50, posted by a journal entry.
    pub(super) async fn funded(&self) -> String {
        let node = self.us.node("DEPOSIT-US").await;
        let lines = json!([{"account": "suspense", "amount": 50}, {"account": format!("node:{node}"), "amount": -50}]);
        let act = json!({"kind": "journal", "currency": "USD", "lines": lines});
        let body = json!({"act": act, "reason": "What was there before us."});
        let _ = self.ada.call("POST", &self.ops("operations")).json(&body).send().await.ok();
        node
    }

    /// Sends `amount` from `node` by wire and returns the id of the transaction.
    pub(super) async fn wire(&self, node: &str, amount: &str) -> String {
        self.push(node, "WIRE-US", amount).await
    }

    /// Sends `amount` from `node` to a new external account of `kind` and returns the id of the transaction.
    async fn push(&self, node: &str, kind: &str, amount: &str) -> String {
        let body = bodies::transfer_to(kind, &self.us.node(kind).await, amount);
        text(&self.us.transfer(node, &body).send().await.ok(), "_id")
    }

    /// Returns the texts of the finished files in the folder; an empty list if there is no folder.
    pub(super) fn files(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.folder.path().join("bank/out")).into_iter().flatten();
        let paths = files.filter_map(|file| Some(file.ok()?.path()));
        let finished = paths.filter(|path| path.extension().is_none_or(|end| end != "part"));
        finished.filter_map(|path| std::fs::read_to_string(path).ok()).collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wire_file_settles_by_bank_statement() {
    let bank = Deployment::start().await;
    let node = bank.funded().await;
    let pushed = bank.wire(&node, "12.34").await;
    let file = until("the wire is in the folder", async || bank.files().pop()).await;
    assert!(file.contains("{2000}000000001234") && file.contains("{3100}021000021FIRST BANK"), "{file}");
    let listed = bank.ada.get(&bank.ops("files")).await.ok();
    let id = text(&listed["files"][0], "_id");
    assert_eq!(bank.ada.get(&bank.ops(&format!("files/{id}"))).await.text(), file);
    bank.us.when(&node, &pushed, "PROCESSING-CREDIT").await;

    let day = daybook_domain::calendar::Day::of(daybook_engine::Clock.now()).to_string();
    let statement = super::statements::statement(&day, "0", "-12.34", &[("1", "-12.34", &pushed, "WIRE")]);
    let body = json!({"file": statement});
    let booked = bank.ada.call("POST", &bank.ops("statements")).json(&body).send().await.ok();
    assert_eq!(booked["statements"][0]["lines"][0]["explains"]["account"], "rail.out.wire", "{booked}");
    bank.us.when(&node, &pushed, "SETTLED").await;
    assert!(bank.service.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failing_file_delays_no_other_file() {
    let bank = Deployment::start().await;
    // The path is not a folder, so no file can be written and all wait.
    std::fs::create_dir_all(bank.folder.path().join("bank")).expect("a folder");
    let out = bank.folder.path().join("bank/out");
    std::fs::write(&out, "a file, not a folder").expect("written");
    let node = bank.funded().await;
    let mut files = vec![];
    for amount in ["1.00", "2.00"] {
        let _ = bank.wire(&node, amount).await;
        let count = files.len() + 1;
        files = until("the file is cut", async || {
            let listed = bank.ada.get(&bank.ops("files")).await.ok();
            let ids: Vec<_> = listed["files"].as_array()?.iter().map(|file| text(file, "_id")).collect();
            (ids.len() == count).then_some(ids)
        })
        .await;
    }
    // The first file is lost: it cannot be rendered again.
    let client = bank.database.pg().client().await.expect("a connection");
    let lost = client.execute("delete from files_v1 where n = 1", &[]).await.expect("deleted");
    assert_eq!(lost, 1);
    // An attempt in progress may have read the row before it was deleted.
    tokio::time::sleep(Duration::from_millis(500)).await;
    std::fs::remove_file(&out).expect("removed");
    let written = until("the second is in the folder", async || bank.files().pop()).await;
    assert!(written.contains("{2000}000000000200"), "{written}");
    let health = until("the health check tells", async || {
        let ready = Call::new(bank.service.address(), "GET", "/health/ready").send().await.text();
        ready.contains("to-dos fail: 1").then_some(ready)
    })
    .await;
    assert!(health.contains("files"), "{health}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn push_after_cutoff_waits_for_next_file() {
    let minute = daybook_engine::Clock.now().ms() / 60_000 - 1;
    let cut_off = format!("{:02}:{:02}", minute / 60 % 24, minute % 60);
    let bank = Deployment::start_with(&["--cut-off", &cut_off]).await;
    let node = bank.funded().await;
    let late = bank.push(&node, "ACH-US", "1.00").await;
    // Wires leave immediately. When the second wire is there, the process has also considered the ACH push.
    for (count, amount) in [(1, "2.00"), (2, "3.00")] {
        let _ = bank.wire(&node, amount).await;
        until("the wire is in the folder", async || (bank.files().len() == count).then_some(())).await;
    }
    assert!(bank.files().iter().all(|file| file.starts_with('{')), "{:?}", bank.files());
    // The push waits for its file.
    bank.us.when(&node, &late, "PROCESSING-CREDIT").await;
    assert!(bank.service.terminate().success());
}
