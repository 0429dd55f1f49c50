//! `daybook bench load`: a history made by the engine is one that the ledger's own checks accept.

use std::process::Output;

use daybook_domain::Kind;
use daybook_engine::SHARD;
use daybook_log::Log;
use daybook_log::postgres::PostgresLog;
use daybook_projector::Happened;
use daybook_tests::database::Database;
use daybook_tests::process::run;
use serde_json::Value;

use crate::restart::folder_with_key;

struct Shell {
    database: Database,
    folder: tempfile::TempDir,
}

impl Shell {
    async fn new() -> Self {
        Self { database: Database::create().await, folder: folder_with_key() }
    }

    fn run(&self, args: &[&str]) -> Output {
        let (url, key) = (self.database.url(), self.folder.path().join("master.key").display().to_string());
        run(args.iter().copied().chain(["--database-url", &url, "--master-key", &key]))
    }

    fn load(&self, events: &str) -> Output {
        self.run(&["bench", "load", "--events", events, "--nodes", "24", "--platforms", "2", "--json"])
    }

    async fn log(&self) -> Vec<Happened> {
        let log = PostgresLog::new(self.database.pg());
        let (head, mut events) = (log.head(SHARD).await.expect("a head").position, vec![]);
        while (events.len() as u64) < head {
            let page = log.read(SHARD, events.len() as u64, head).await.expect("a page");
            events.extend(page.iter().map(|one| Happened::decode(one).expect("an event")));
        }
        events
    }
}

fn result(said: &Output) -> Value {
    assert!(said.status.success(), "{said:?}");
    serde_json::from_slice(&said.stdout).expect("JSON")
}

fn users(events: &[Happened]) -> usize {
    events.iter().filter(|event| event.key.kind == Kind::User && event.version == 1).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_made_history_balances_and_goes_on_where_it_stopped() {
    let shell = Shell::new().await;
    let first = result(&shell.load("2500"));
    let events = shell.log().await;
    assert!(events.len() >= 2500 && first["events"] == events.len(), "{first}");
    for name in ["settled", "canceled", "queued", "released", "returned", "submitted", "commented"] {
        let (schema, _) = daybook_domain::Event::schemas()
            .find(|(_, found)| *found == format!("transaction.{name}"))
            .expect("an event");
        let happened = |event: &&Happened| event.event.encode().schema == schema;
        assert!(events.iter().any(|event| happened(&event)), "nothing was {name}");
    }
    assert!(shell.run(&["ledger", "trial-balance", "--json"]).status.success());
    assert!(shell.run(&["ledger", "custody", "--json"]).status.success());
    let more = result(&shell.load("4000"));
    let later = shell.log().await;
    assert_eq!(later[..events.len()], events, "history stays as it is");
    assert_eq!(more["added"], later.len() - events.len());
    assert_eq!(users(&later), users(&events), "everybody is found again");
    assert_eq!(result(&shell.load("4000"))["added"], 0, "there is enough");
    assert!(shell.run(&["ledger", "trial-balance", "--json"]).status.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_of_somebody_else_is_left_alone() {
    let shell = Shell::new().await;
    assert!(shell.run(&["client", "create", "Acme"]).status.success());
    let before = shell.log().await;
    let refused = shell.load("1000");
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert_eq!(shell.log().await, before);
}
