//! The log: one conformance suite for the memory log and the PostgreSQL log.

use std::sync::Arc;

use daybook_log::conformance::{self, LARGE_PAYLOADS, NOON_MS, SHARD, append, batch, event, writer};
use daybook_log::memory::MemoryLog;
use daybook_log::postgres::PostgresLog;
use daybook_log::{EncodedEvent, Error, KindFilter, Log, Recorded, StreamKind};
use daybook_pg::Pg;
use daybook_tests::database::Database;

#[tokio::test]
async fn memory_log_passes_conformance_suite() {
    conformance::run(async || Arc::new(MemoryLog::new().omit_boxes_of(&[LARGE_PAYLOADS])) as Arc<dyn Log>)
        .await;
}

#[tokio::test]
async fn postgres_log_passes_conformance_suite() {
    conformance::run(async || {
        let log = PostgresLog::new(Database::create().await.pg());
        Arc::new(log.omit_boxes_of(&[LARGE_PAYLOADS])) as Arc<dyn Log>
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn racing_processes_lose_nothing() {
    let database = Database::create().await;
    let process = || {
        let pg = Pg::new(database.config()).expect("the pool is well configured");
        Arc::new(PostgresLog::new(pg)) as Arc<dyn Log>
    };
    conformance::race(&[process(), process(), process()]).await;
}

#[tokio::test]
async fn missing_position_is_reported_as_corruption() {
    for (gone, good) in [(3, 2), (1, 0), (5, 4)] {
        let database = Database::create().await;
        let log: Arc<dyn Log> = Arc::new(PostgresLog::new(database.pg()));
        let mut writer = writer(&log).await;
        append(&mut *writer, batch(1, NOON_MS, (1..=5).map(|version| event(1, version)).collect())).await;
        database.execute("alter table event disable trigger event_append_only").await;
        database.execute(&format!("delete from event where shard = 1 and position = {gone}")).await;

        let found = log.read(SHARD, 0, 9).await;
        assert!(
            matches!(found, Err(Error::Corrupt { position, .. }) if position == good),
            "{gone}: {found:?}"
        );
        writer.lock(&[], NOON_MS).await.expect("the lock is free");
        let found = writer.read(0, 9).await;
        assert!(
            matches!(found, Err(Error::Corrupt { position, .. }) if position == good),
            "{gone}: {found:?}"
        );
    }
}

#[tokio::test]
async fn filtered_read_detects_a_missing_position() {
    let sealed = Some(b"box".to_vec());
    // The kinds at positions 1 to 5 alternate: 7, `LARGE_PAYLOADS`, 7, `LARGE_PAYLOADS`, 7.
    let of = |version: u32| {
        let stream_kind = if version.is_multiple_of(2) { LARGE_PAYLOADS } else { 7 };
        EncodedEvent { stream_kind, sealed: sealed.clone(), ..event(1, version) }
    };
    for gone in 1..=5 {
        let database = Database::create().await;
        let log =
            || Arc::new(PostgresLog::new(database.pg()).omit_boxes_of(&[LARGE_PAYLOADS])) as Arc<dyn Log>;
        append(&mut *writer(&log()).await, batch(1, NOON_MS, (1..=5).map(of).collect())).await;
        // A second log instance with empty caches, as in another process.
        let log = log();
        let read = async |kinds: &[_], later: &[_]| {
            let left_out = KindFilter { kinds: kinds.to_vec(), later: later.to_vec() };
            log.read_filtered(SHARD, 0, 5, &left_out).await
        };
        let boxes = |events: Vec<Recorded>| {
            events.iter().map(|event| (event.position, event.event.sealed.is_some())).collect::<Vec<_>>()
        };
        assert_eq!(
            boxes(read(&[LARGE_PAYLOADS], &[]).await.expect("a page")),
            [(1, true), (3, true), (5, true)]
        );
        assert_eq!(boxes(read(&[7], &[]).await.expect("a page")), [(2, false), (4, false)]);
        assert_eq!(boxes(read(&[7, LARGE_PAYLOADS], &[]).await.expect("a page")), []);
        assert_eq!(boxes(read(&[LARGE_PAYLOADS], &[7]).await.expect("a page")), [(1, true)]);

        database.execute("alter table event disable trigger event_append_only").await;
        database.execute(&format!("delete from event where shard = 1 and position = {gone}")).await;
        let all_sorts: [(&[StreamKind], &[StreamKind]); 5] = [
            (&[], &[]),
            (&[7], &[]),
            (&[LARGE_PAYLOADS], &[]),
            (&[7, LARGE_PAYLOADS], &[]),
            (&[], &[7, LARGE_PAYLOADS]),
        ];
        for (kinds, later) in all_sorts {
            let found = read(kinds, later).await;
            let is_told = matches!(found, Err(Error::Corrupt { position, .. }) if position == gone - 1);
            assert!(is_told, "{gone}, without {kinds:?} {later:?}: {found:?}");
        }
    }
}

#[tokio::test]
async fn boxes_are_stored_with_their_hash() {
    let database = Database::create().await;
    let log: Arc<dyn Log> = Arc::new(PostgresLog::new(database.pg()));
    let mut sealed = event(1, 1);
    sealed.sealed = Some(b"ciphertext".to_vec());
    append(&mut *writer(&log).await, batch(1, NOON_MS, vec![sealed, event(1, 2)])).await;

    let client = database.pg().client().await.expect("a connection");
    let as_expected =
        "select array_agg(sealed_hash is not distinct from sha256(sealed) order by position) from event";
    let answer: Vec<bool> = client.query_one(as_expected, &[]).await.expect("an answer").get(0);
    assert_eq!(answer, [true, true]);
}

#[tokio::test]
async fn unknown_shard_is_refused() {
    let log: Arc<dyn Log> = Arc::new(PostgresLog::new(Database::create().await.pg()));
    let refused = log.appender(SHARD + 1, uuid::Uuid::from_u128(1)).await.map(drop);
    assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
}
