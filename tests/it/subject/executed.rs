//! Erasures are executed by every process and repeated: restored keys are deleted again.

use std::time::{Duration, Instant};

use daybook_domain::user::ErasureReason;
use daybook_domain::user::erase::Erase;
use daybook_domain::user::event::ERASED;
use daybook_domain::{Actor, Command, Origin};
use daybook_engine::erasure::POLL_INTERVAL;
use daybook_engine::{Call, Eraser};
use daybook_tests::app::{SETTLE_AFTER, TestApp};
use daybook_tests::client::{Client, Session, until};
use daybook_tests::database::Database;
use daybook_tests::shard;
use uuid::Uuid;

use super::{Desk, close, subject};

/// Rows that a dump of the vault has about a user.
type Rows = Vec<(i16, Vec<u8>)>;

async fn dump(database: &Database, id: Uuid) -> Rows {
    let client = database.pg().client().await.expect("a connection");
    let sql = "select class, wrapped from vault.subject_key where subject = $1";
    client.query(sql, &[&id]).await.expect("rows").iter().map(|row| (row.get(0), row.get(1))).collect()
}

async fn restore(database: &Database, id: Uuid, rows: &Rows) {
    let client = database.pg().client().await.expect("a connection");
    let sql = "insert into vault.subject_key (shard, subject, class, wrapped, created_at) values ($1, $2, $3, $4, now())";
    for (class, wrapped) in rows {
        client.execute(sql, &[&shard(), &id, class, wrapped]).await.expect("a row");
    }
    let sql = "insert into vault.blind_index (shard, token, subject) values ($1, '\\x00', $2)";
    client.execute(sql, &[&shard(), &id]).await.expect("a row");
}

async fn is_known(app: &TestApp, id: Uuid) -> bool {
    app.service.engine.vault().keys(shard(), id).await.expect("reads").is_some()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restored_vault_keys_are_erased_at_start() {
    let desk = Desk::new().await;
    let us = desk.app.client.verified("Maria").await;
    let (id, database) = (subject(&us.user_id), desk.app.database.clone());
    let rows = dump(&database, id).await;
    desk.forget(&us).await;
    assert_eq!((dump(&database, id).await.len(), rows.len()), (0, 2));
    desk.app.stop().await;
    restore(&database, id, &rows).await;
    let app = TestApp::start_on(database.clone(), database.pg(), SETTLE_AFTER).await;
    assert!(!is_known(&app, id).await);
    let traces = app.service.engine.vault().traces(shard(), id).await.expect("reads");
    assert_eq!((traces.keys, traces.tokens), (0, 0));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eraser_executes_old_and_new_erasures_once() {
    let desk = Desk::new().await;
    let (maria, jose) = (desk.app.client.verified("Maria").await, desk.app.client.verified("Jose").await);
    desk.forget(&maria).await;
    let mut eraser = Eraser::new(desk.app.service.engine.clone(), shard());
    assert_eq!(eraser.execute().await.expect("executes"), 1);
    assert_eq!(eraser.execute().await.expect("executes"), 0);
    desk.forget(&jose).await;
    assert_eq!(eraser.execute().await.expect("executes"), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recorded_erasure_is_executed_without_its_caller() {
    let desk = Desk::new().await;
    let us = desk.app.client.verified("Maria").await;
    close(&us).await;
    let erase = Erase {
        user: super::id(&us.user_id),
        platform: desk.platform.id,
        reason: ErasureReason::Requested,
        accounts: vec![],
        transactions: vec![],
        origin: Origin::of(Actor::Operator(desk.by())),
    };
    let command = Command::EraseUser(Box::new(erase));
    desk.app.service.engine.submit(Call::of(shard()), command).await.expect("recorded");
    until("its keys are gone", async || {
        let rows = dump(&desk.app.database, subject(&us.user_id)).await;
        rows.is_empty().then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn erasures_are_found_by_an_index() {
    let database = Database::create().await;
    let client = database.pg().client().await.expect("a connection");
    let sql = format!(
        "set enable_seqscan = off; prepare found (smallint, bigint) as {};
         set plan_cache_mode = force_generic_plan",
        include_str!("../../../crates/log/src/postgres/sql/read_of_type.sql")
            .replace("<type>", &ERASED.to_string())
    );
    client.batch_execute(&sql).await.expect("prepares");
    let plan = client.query("explain execute found (1, 0)", &[]).await.expect("a plan");
    let plan: Vec<String> = plan.iter().map(|row| row.get(0)).collect();
    assert!(plan.iter().any(|line| line.contains("event_user_erased")), "{plan:?}");
}

/// Returns the same session, with its calls directed to another process.
fn at(session: &Session, app: &TestApp) -> Session {
    let client = Client { address: app.address, ..session.client.clone() };
    Session { client, ..session.clone() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn erasure_reaches_other_process_within_a_second() {
    let desk = Desk::new().await;
    let database = desk.app.database.clone();
    let second = TestApp::start_on(database.clone(), database.pg(), SETTLE_AFTER).await;
    let us = desk.app.client.verified("Maria").await;
    let there = at(&us, &second);
    let id = subject(&us.user_id);
    assert_eq!(there.client.user(&us.user_id).await["legal_names"][0], "Maria");
    let _ = there.call("GET", "/nodes").send().await.ok();
    let vault = second.service.engine.vault();
    assert!(vault.cached(shard(), id).is_some(), "else there is nothing to forget");

    desk.forget(&us).await;
    let erased = Instant::now();
    while vault.cached(shard(), id).is_some() {
        assert!(erased.elapsed() < POLL_INTERVAL + Duration::from_millis(500), "it remembers");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(!is_known(&second, id).await);
    tokio::time::sleep(POLL_INTERVAL).await;
    there.call("GET", "/nodes").send().await.refused(401, "110");
    second.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_read_during_erasure_are_not_cached() {
    let desk = Desk::new().await;
    let us = desk.app.client.verified("Maria").await;
    let (vault, id) = (desk.app.service.engine.vault(), subject(&us.user_id));
    vault.forget_shard(shard());
    let client = desk.app.database.pg().client().await.expect("a connection");
    // This lock delays the read of the keys.
    client
        .batch_execute("begin; lock table vault.subject_key in access exclusive mode")
        .await
        .expect("a lock");
    let reading = vault.keys(shard(), id);
    let forgetting = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        vault.forget(shard(), &[id]);
        client.batch_execute("commit").await.expect("unlocks");
    };
    let (read, ()) = tokio::join!(reading, forgetting);
    assert!(read.expect("reads").is_some());
    assert!(vault.cached(shard(), id).is_none());
}
