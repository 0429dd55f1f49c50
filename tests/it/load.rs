//! `daybook-bench load`: the generated history passes all checks of the ledger.

use clap::Parser;
use daybook_bench::error::Error;
use daybook_bench::options::Bench;
use daybook_cli::commands;
use daybook_cli::config::Cli;
use daybook_domain::{Event, Kind};
use daybook_log::Log;
use daybook_log::postgres::PostgresLog;
use daybook_projector::RecordedEvent;
use daybook_tests::database::Database;
use daybook_tests::shard;

use crate::restart::folder_with_key;

struct Shell {
    database: Database,
    folder: tempfile::TempDir,
}

impl Shell {
    async fn new() -> Self {
        Self { database: Database::create().await, folder: folder_with_key() }
    }

    /// Runs a `daybook` command with these arguments.
    async fn run(&self, args: &[&str]) -> Result<(), Error> {
        let command = Cli::try_parse_from(self.line("daybook", args)).expect("a command line");
        Ok(commands::run(command).await?)
    }

    /// Command line of a program on this database.
    fn line(&self, program: &str, args: &[&str]) -> Vec<String> {
        let (url, key) = (self.database.url(), self.folder.path().join("master.key").display().to_string());
        let all = [&[program], args, &["--database-url", &url, "--master-key", &key]].concat();
        all.into_iter().map(str::to_owned).collect()
    }

    async fn load(&self, events: &str) -> Result<(), Error> {
        let args = ["load", "--events", events, "--nodes", "24", "--platforms", "2", "--json"];
        let options = Bench::try_parse_from(self.line("daybook-bench", &args)).expect("a command line");
        daybook_bench::run(options).await
    }

    async fn log(&self) -> Vec<RecordedEvent> {
        let log = PostgresLog::new(self.database.pg());
        let (head, mut events) = (log.head(shard()).await.expect("a head").position, vec![]);
        while (events.len() as u64) < head {
            let page = log.read(shard(), events.len() as u64, head).await.expect("a page");
            events.extend(page.iter().map(|one| RecordedEvent::decode(one).expect("an event")));
        }
        events
    }
}

fn users(events: &[RecordedEvent]) -> usize {
    events.iter().filter(|event| event.key.kind == Kind::User && event.version == 1).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn generated_history_balances_and_can_be_continued() {
    let shell = Shell::new().await;
    shell.load("2500").await.expect("a history");
    let events = shell.log().await;
    assert!(events.len() >= 2500, "{}", events.len());
    for name in ["settled", "canceled", "queued", "released", "returned", "submitted", "commented"] {
        let name = format!("transaction.{name}");
        let (schema, _) = Event::schemas().find(|(_, found)| *found == name).expect("an event");
        let happened = events.iter().filter(|event| event.event.schema() == schema).count();
        assert!(happened > 0, "there is no {name}");
    }
    shell.run(&["ledger", "trial-balance"]).await.expect("debits are credits");
    shell.run(&["ledger", "custody"]).await.expect("the bank has what is owed");
    shell.load("4000").await.expect("more of it");
    let later = shell.log().await;
    assert!(later.len() >= 4000 && later[..events.len()] == events, "history stays as it is");
    assert_eq!(users(&later), users(&events), "the same users continue");
    shell.load("4000").await.expect("nothing to do");
    assert_eq!(shell.log().await.len(), later.len());
    shell.run(&["ledger", "trial-balance"]).await.expect("debits are credits");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn load_refuses_a_foreign_log() {
    let shell = Shell::new().await;
    shell.run(&["client", "create", "Acme"]).await.expect("a platform");
    let before = shell.log().await;
    let refused = shell.load("1000").await;
    assert!(matches!(refused, Err(Error::Usage(_))), "{refused:?}");
    assert_eq!(shell.log().await, before);
}
