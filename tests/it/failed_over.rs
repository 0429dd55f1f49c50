//! Failover to a standby that lacks commits, seen by a process that keeps running: the process detects the loss, stops,
//! and never continues from a lost commit.

use std::sync::Arc;
use std::time::Duration;

use daybook_log::conformance::{self, NOON_MS, SHARD, append, event, holds, writer};
use daybook_log::postgres::PostgresLog;
use daybook_log::{Batch, Error, Head, Log};
use daybook_pg::embedded::{Cluster, Options, StopMode};
use daybook_pg::{Pg, migrate};
use daybook_tests::app::TestApp;
use daybook_tests::bodies::{person, transfer};
use daybook_tests::client::until;
use daybook_tests::database::Database;
use tokio::time::timeout;

use crate::restart::{DataDir, at, dev_client, dev_on, folder_with_key};

/// A batch of one event in a stream of its own.
pub(crate) fn batch(number: u128) -> Batch {
    conformance::batch(number, NOON_MS, vec![event(number, 1)])
}

/// Deletes the newest commits with their idempotency keys, as a failover to a lagging standby does.
pub(crate) async fn lose(database: &Database, commits: u32) {
    let lost = format!("(select max(commit_no) - {commits} from commit)");
    let sql = format!(
        "begin; set local session_replication_role = replica;
         delete from idempotency where recorded_at > (select recorded_at from commit where commit_no = {lost});
         delete from event where position >
             coalesce((select last_position from commit where commit_no = {lost}), 0);
         delete from commit where commit_no > {lost}; commit"
    );
    database.pg().client().await.expect("connects").batch_execute(&sql).await.expect("they go");
}

#[tokio::test]
async fn writer_stops_when_its_commit_is_lost() {
    for by_another in [0, 1, 2] {
        let database = Database::create().await;
        let log = PostgresLog::new(database.pg());
        let shared: Arc<dyn Log> = Arc::new(log.clone());
        let mut own = writer(&shared).await;
        for number in 1..=3 {
            append(&mut *own, batch(number)).await;
        }
        lose(&database, 1).await;
        let other: Arc<dyn Log> = Arc::new(PostgresLog::new(database.pg()));
        let mut another = writer(&other).await;
        for number in 0..by_another {
            append(&mut *another, batch(10 + number)).await;
        }
        let refused = own.lock(&[], NOON_MS).await;
        assert!(matches!(refused, Err(Error::Replaced { position: 3 })), "{by_another}: {refused:?}");
        // The writer's cache of its own commits is not served after the loss.
        let remembered = log.read(SHARD, 2, 3).await;
        assert!(matches!(remembered, Err(Error::Replaced { .. })), "{by_another}: {remembered:?}");
        assert_eq!(timeout(Duration::from_secs(1), log.replaced()).await, Ok(3));
        holds(&other, 2 + u64::try_from(by_another).expect("fits")).await;
    }
}

#[tokio::test]
async fn reader_detects_a_replaced_commit() {
    let database = Database::create().await;
    let reader = PostgresLog::new(database.pg());
    let other: Arc<dyn Log> = Arc::new(PostgresLog::new(database.pg()));
    let mut another = writer(&other).await;
    append(&mut *another, batch(1)).await;
    assert_eq!(reader.head(SHARD).await.expect("a head").position, 1);
    lose(&database, 1).await;
    append(&mut *writer(&(Arc::new(PostgresLog::new(database.pg())) as Arc<dyn Log>)).await, batch(2)).await;
    let refused = reader.head(SHARD).await;
    assert!(matches!(refused, Err(Error::Replaced { position: 1 })), "{refused:?}");
}

#[tokio::test]
async fn connection_to_incomplete_log_is_refused() {
    let database = Database::create().await;
    let pg = Pg::new(database.config()).expect("the pool is well configured");
    let log = PostgresLog::new(pg.clone());
    log.fence();
    let shared: Arc<dyn Log> = Arc::new(log.clone());
    append(&mut *writer(&shared).await, batch(1)).await;
    append(&mut *writer(&shared).await, batch(2)).await;
    lose(&database, 1).await;
    // Connections that are already open are not checked again, and the pool may hold one. The loop takes connections
    // until a new one is needed.
    let mut kept = Vec::new();
    let refused = loop {
        match pg.client().await {
            Ok(open) => kept.push(open),
            Err(refused) => break refused,
        }
    };
    assert!(matches!(refused, daybook_pg::Error::Replaced(_)), "{refused:?}");
    let refused = pg.dedicated().await.map(drop);
    assert!(matches!(refused, Err(daybook_pg::Error::Replaced(_))), "{refused:?}");
    assert_eq!(timeout(Duration::from_secs(1), log.replaced()).await, Ok(2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_exits_and_next_continues_remaining_log() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let process = dev_on(&database, folder.path());
    let ada = dev_client(process.address()).verified("Ada Lovelace").await;
    let (from, to) = (ada.funded("100").await, ada.node("DEPOSIT-US").await);
    let pay = |amount| transfer(&to, amount);
    let kept = ada.sent(&from, &to, "1.00").await;
    let _ = ada.when(&from, &kept, "SETTLED").await;
    // A failover removes the commits from the read models too. Here a lock keeps the projector from reading them.
    let holder = database.pg().dedicated().await.expect("connects");
    holder.batch_execute("begin; select from cursor where name = 'reads' for update").await.expect("is held");
    let lost = ada.transfer(&from, &pay("2.00")).key("lost").send().await.ok()["_id"].clone();
    lose(&database, 1).await;
    holder.batch_execute("rollback").await.expect("is given back");

    until("the process says that it cannot go on", async || {
        let answer = ada.transfer(&from, &pay("4.00")).try_send().await;
        answer.map_or(Some(()), |answer| (answer.status == 503).then_some(()))
    })
    .await;
    until("it has ended", async || ada.call("GET", "/nodes").try_send().await.is_err().then_some(())).await;
    assert_eq!(process.terminate().code(), Some(3));

    let process = dev_on(&database, folder.path());
    let ada = at(&ada, process.address());
    // The lost transaction has no effect: its idempotency key is free and its money was not moved.
    let made = ada.transfer(&from, &pay("2.00")).key("lost").send().await.ok()["_id"].clone();
    assert_ne!(made, lost);
    let all = ada.ended().await;
    assert!(all.iter().all(|one| one["_id"] != lost));
    assert_eq!((ada.balance(&from).await, ada.balance(&to).await), ("97.00".into(), "3.00".into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn caller_gets_503_until_process_ends() {
    let app = TestApp::start().await;
    let _ = app.client.create_user(&person("Ada Lovelace")).await.ok();
    lose(&app.database, 1).await;
    until("the writer has stopped", async || {
        assert_eq!(app.client.create_user(&person("Bob")).await.status, 503);
        (!app.service.engine.is_writing(SHARD)).then_some(())
    })
    .await;
    let answer = app.client.create_user(&person("Cy")).await;
    assert_eq!((answer.status, &answer.json()["error"]["code"]), (503, &"unavailable".into()));
    assert!(answer.headers.contains_key("retry-after"));
    let found = app.service.engine.readiness().await;
    assert_eq!(
        found.shards[&SHARD].writer.as_deref(),
        Some("it has stopped: the log was replaced, and this process ends")
    );
}

/// A PostgreSQL server of its own, for settings that other tests must not have.
async fn server(folder: &DataDir) -> (Cluster, Pg) {
    let options = Options {
        data_dir: folder.text().into(),
        pg_bin: daybook_tests::database::pg_bin(),
        settings: vec![],
    };
    let cluster = Cluster::prepare(options).await.expect("the folder is usable");
    cluster.start().await.expect("it starts");
    let pg = Pg::new(cluster.config()).expect("the pool is well configured");
    migrate::run(&pg).await.expect("the migrations pass");
    (cluster, pg)
}

/// Makes every commit wait for this standby; "" for none.
pub(crate) async fn wait_for(pg: &Pg, standby: &str) {
    let admin = pg.client().await.expect("connects");
    // Without `local`, this session itself would wait for the standby.
    let sql = format!("alter system set synchronous_standby_names = '{standby}'");
    admin.batch_execute("set synchronous_commit = local").await.expect("it can be set");
    admin.batch_execute(&sql).await.expect("it can be set");
    admin.batch_execute("select pg_reload_conf()").await.expect("it can be read");
    until("the setting is in force", async || {
        let row = admin.query_one("show synchronous_standby_names", &[]).await.expect("an answer");
        (row.get::<_, String>(0) == standby).then_some(())
    })
    .await;
}

/// SQL that cancels the wait of every commit that waits for a standby.
const CANCEL: &str = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'";

/// Waits until commits wait for the standby. The server's background processes read the setting later than its
/// sessions.
async fn until_commits_wait(pg: &Pg) {
    let (probe, admin) = (pg.client().await.expect("connects"), pg.client().await.expect("connects"));
    // The pool may return the session whose commits do not wait.
    probe.batch_execute("set synchronous_commit = on").await.expect("it can be set");
    until("a commit waits", async || {
        let cancelled = async {
            while admin.query(CANCEL, &[]).await.expect("an answer").is_empty() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let commit = probe.batch_execute("select pg_logical_emit_message(true, 'probe', '')");
        tokio::select! { () = cancelled => Some(()), _ = commit => None }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_standby_wait_is_unknown_then_resolved() {
    let folder = DataDir::new();
    let (cluster, pg) = server(&folder).await;
    let log: Arc<dyn Log> = Arc::new(PostgresLog::new(Pg::new(cluster.config()).expect("well configured")));
    let mut own = writer(&log).await;
    let head = own.lock(&[], NOON_MS).await.expect("the lock is free").head;
    wait_for(&pg, "nobody").await;
    until_commits_wait(&pg).await;
    let cancelling = async {
        let admin = pg.client().await.expect("connects");
        until("it waits and is cancelled", async || {
            (!admin.query(CANCEL, &[]).await.expect("an answer").is_empty()).then_some(())
        })
        .await;
    };
    let (lost, ()) = tokio::join!(own.append(batch(1)), cancelling);
    assert!(matches!(lost, Err(Error::Unknown(_))), "the server answers \"done\": {lost:?}");
    // The commit exists on the primary and not on the standby, so the writer must not report it as done.
    let found = own.resolve(head.commit_no + 1, batch(1).id).await;
    assert!(matches!(found, Err(Error::Unavailable(_) | Error::Unknown(_))), "{found:?}");
    wait_for(&pg, "").await;
    let found = own.resolve(head.commit_no + 1, batch(1).id).await.expect("an answer");
    assert_eq!(found, Some(Head { commit_no: 1, position: 1, recorded_at_ms: NOON_MS }));
    cluster.stop(StopMode::Immediate).await.expect("it stops");
}
