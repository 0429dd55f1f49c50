//! The fence of a commit: its row is inserted only where the commit before it is, in the same statement.

use std::sync::Arc;

use daybook_log::conformance::{NOON_MS, append, holds, writer};
use daybook_log::postgres::PostgresLog;
use daybook_log::{Error, Log};
use daybook_tests::app::TestApp;
use daybook_tests::bodies::person;
use daybook_tests::database::Database;
use daybook_tests::http::Call;

use crate::failed_over::{batch, lose};

/// Lets rows of commits vanish, as on a host that is not the one where they are read.
const SWALLOW: &str =
    "create function swallow() returns trigger language plpgsql as 'begin return null; end';
     create trigger swallow before insert on commit for each row execute function swallow()";

#[tokio::test]
async fn append_needs_the_commit_before() {
    for lost in [1, 2] {
        let database = Database::create().await;
        let log: Arc<dyn Log> = Arc::new(PostgresLog::new(database.pg()));
        let mut own = writer(&log).await;
        for number in 1..=3 {
            append(&mut *own, batch(number)).await;
        }
        own.lock(&[], NOON_MS).await.expect("the lock is free");
        lose(&database, lost).await;
        let refused = own.append(batch(4)).await;
        assert!(matches!(refused, Err(Error::Moved)), "{refused:?}");
        let replaced = own.lock(&[], NOON_MS).await;
        assert!(matches!(replaced, Err(Error::Replaced { position: 3 })), "{replaced:?}");
        let other: Arc<dyn Log> = Arc::new(PostgresLog::new(database.pg()));
        holds(&other, 3 - u64::from(lost)).await;
    }
}

#[tokio::test]
async fn append_refuses_another_commit_before() {
    let database = Database::create().await;
    let log: Arc<dyn Log> = Arc::new(PostgresLog::new(database.pg()));
    let mut own = writer(&log).await;
    append(&mut *own, batch(1)).await;
    append(&mut *own, batch(2)).await;
    own.lock(&[], NOON_MS).await.expect("the lock is free");
    let other_root = "begin; set local session_replication_role = replica;
         update commit set root = sha256(root) where commit_no = 2; commit";
    database.execute(other_root).await;
    let refused = own.append(batch(3)).await;
    assert!(matches!(refused, Err(Error::Moved)), "{refused:?}");
}

#[tokio::test]
async fn second_severed_append_is_corrupt() {
    let database = Database::create().await;
    let log: Arc<dyn Log> = Arc::new(PostgresLog::new(database.pg()));
    let mut own = writer(&log).await;
    append(&mut *own, batch(1)).await;
    database.execute(SWALLOW).await;
    own.lock(&[], NOON_MS).await.expect("the lock is free");
    let first = own.append(batch(2)).await;
    assert!(matches!(first, Err(Error::Moved)), "{first:?}");
    own.lock(&[], NOON_MS).await.expect("the commit that was read is there");
    let second = own.append(batch(2)).await;
    assert!(matches!(second, Err(Error::Corrupt { position: 1, .. })), "{second:?}");
}

#[tokio::test]
async fn severed_append_may_pass_later() {
    let database = Database::create().await;
    let log: Arc<dyn Log> = Arc::new(PostgresLog::new(database.pg()));
    let mut own = writer(&log).await;
    append(&mut *own, batch(1)).await;
    for number in [2, 3] {
        database.execute(SWALLOW).await;
        own.lock(&[], NOON_MS).await.expect("the lock is free");
        let severed = own.append(batch(number)).await;
        assert!(matches!(severed, Err(Error::Moved)), "{severed:?}");
        database.execute("drop function swallow cascade").await;
        append(&mut *own, batch(number)).await;
    }
    holds(&log, 3).await;
}

#[tokio::test]
async fn severed_log_stops_the_writer() {
    let app = TestApp::start().await;
    app.database.execute(SWALLOW).await;
    let answer = app.client.create_user(&person("Ada Lovelace")).await;
    assert_eq!(answer.status, 503, "{}", answer.text());
    let ready = Call::new(app.address, "GET", "/health/ready").send().await;
    assert_eq!(ready.status, 503);
    assert!(ready.text().contains("the log is corrupt"), "{}", ready.text());
}
