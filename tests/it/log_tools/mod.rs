//! `daybook log`: tail, stats, export, import and verify.

mod bundle;
mod commands;
pub(crate) mod damage;
mod forged;
mod matched;
mod tamper;
mod verify;

use std::sync::Arc;

use daybook_checker::{Report, Trust, Walk, walk};
use daybook_domain::testing::fixture;
use daybook_log::postgres::PostgresLog;
use daybook_log::raw::{RawCommit, RawEvent};
use daybook_log::{Head, Log};
use daybook_tests::app::signer;
use daybook_tests::database::Database;
use uuid::Uuid;

use crate::read_models::all_sorts;
use crate::read_models::story::{SHARD, Story};

/// A log with events of all kinds, in a database and as rows.
struct Ledger {
    database: Database,
    log: PostgresLog,
    story: Story,
}

impl Ledger {
    /// Appends events of all kinds.
    async fn small() -> Self {
        let database = Database::create().await;
        let mut story =
            Story::on(Arc::new(PostgresLog::new(database.pg()).signed_by(Arc::new(signer())))).await;
        story.tell_all(all_sorts()).await;
        let log = PostgresLog::new(database.pg());
        Self { database, log, story }
    }

    /// Appends events of all kinds, and payments in different stages.
    async fn new() -> Self {
        let mut ledger = Self::small().await;
        let story = &mut ledger.story;
        story.tell_all((3_000..3_040).map(|number| fixture::pay(number, 5))).await;
        for (step, last) in
            [(fixture::debit as fn(u128) -> _, 3_030), (fixture::credit, 3_020), (fixture::settle, 3_010)]
        {
            story.tell_all((3_000..last).map(step)).await;
        }
        story.tell_all((3_000..3_004).map(|number| fixture::bounce(number, "R01").into())).await;
        story.tell_all((3_032..3_036).map(|number| fixture::cancel(number).into())).await;
        ledger
    }

    async fn rows(&self) -> (Vec<RawEvent>, Vec<RawCommit>) {
        let head = self.log.head(SHARD).await.expect("a head");
        let mut events = vec![];
        while (events.len() as u64) < head.position {
            let page = self.log.raw_events(SHARD, events.len() as u64, head.position, true).await;
            events.extend(page.expect("events"));
        }
        (events, self.log.raw_commits(SHARD, 0).await.expect("commits"))
    }

    /// A copy of the log in a database of its own.
    async fn copy(&self) -> (Database, PostgresLog) {
        let (events, commits) = self.rows().await;
        let database = Database::without_read_models().await;
        let log = PostgresLog::new(database.pg());
        log.adopt(SHARD, Uuid::from_u128(7)).await.expect("is empty");
        log.copy_in(SHARD, Head::default(), &events, &commits).await.expect("is copied");
        (database, log)
    }
}

/// Trust in the key that signs the test logs, and in no other.
fn trusted() -> Trust {
    Trust { keys: vec![signer().key().clone()], ..Trust::default() }
}

async fn verified(log: &PostgresLog) -> Report {
    walk(log, Walk { shard: SHARD, from: 1, boxes: true, trust: Trust::default() }, |_| {})
        .await
        .expect("is read")
}

/// Runs SQL with all triggers disabled, as only the owner of the tables can.
async fn behind_the_back(database: &Database, sql: &str) {
    let client = database.pg().client().await.expect("connects");
    let sql = format!(
        "alter table event disable trigger all; alter table commit disable trigger all; {sql};
         alter table event enable trigger all; alter table commit enable trigger all"
    );
    client.batch_execute(&sql).await.expect("is done");
}
