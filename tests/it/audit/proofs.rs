//! Proofs over a log of many tiles: every event is included in every later checkpoint, and every checkpoint is
//! consistent with the earlier ones.

use std::sync::Arc;

use daybook_engine::Audit;
use daybook_log::postgres::PostgresLog;
use daybook_log::{Batch, EncodedEvent, Log};
use daybook_proof::{Checkpoint, Node, Tile, TreeHead, consistency, inclusion, tree};
use daybook_random::Random;
use daybook_tests::app::signer;
use daybook_tests::database::Database;
use daybook_tests::shard;
use uuid::Uuid;

/// Number of events: more than 16 full tiles, which are filled at a time, and a rest.
const EVENTS: u64 = 5_000;

/// A log of `events` events in commits of random sizes.
pub(super) async fn log(database: &Database, events: u64) -> PostgresLog {
    let log = PostgresLog::new(database.pg()).signed_by(Arc::new(signer()));
    log.register_keys(shard(), &[signer().key().clone()], 0).await.expect("it may sign");
    append(&log, 0, events).await;
    log
}

/// Appends events after the first `done`, until the log has `events` events.
pub(super) async fn append(log: &PostgresLog, mut done: u64, events: u64) {
    let mut appender = log.appender(shard(), Uuid::from_u128(1)).await.expect("opens");
    let mut random = Random::of_test("commits");
    while done < events {
        let last = (done + random.up_to(200)).min(events);
        appender.lock(&[], 0).await.expect("locks");
        let batch = Batch {
            id: Uuid::from_u128(last.into()),
            recorded_at_ms: 1_700_000_000_000,
            events: (done + 1..=last).map(|number| event(number.into())).collect(),
            keys: vec![],
        };
        appender.append(batch).await.expect("appends");
        done = last;
    }
}

pub(super) fn event(number: u128) -> EncodedEvent {
    EncodedEvent {
        event_id: Uuid::from_u128(number << 64),
        stream: Uuid::from_u128(number),
        stream_kind: 1,
        version: 1,
        event_type: 1,
        schema_version: 1,
        effective_at_ms: number.is_multiple_of(3).then_some(1_600_000_000_000),
        actor: number.is_multiple_of(2).then_some(Uuid::from_u128(3)),
        cause_id: Uuid::from_u128(4),
        platform: Uuid::from_u128(5),
        data: format!(r#"{{"number":{number}}}"#).into_bytes(),
        sealed: number.is_multiple_of(5).then(|| vec![7; 40]),
    }
}

/// Inclusion proofs and receipts of 100 random events verify, and so do consistency proofs between all adjacent
/// commits.
#[tokio::test]
async fn events_and_commits_have_valid_proofs() {
    let database = Database::create().await;
    let log = log(&database, EVENTS).await;
    let audit = Audit::new(log.clone(), signer().into()).of(shard()).expect("is the first");
    let keys = [signer().key().clone()];
    let mut random = Random::of_test("proofs");
    for _ in 0..100 {
        let position = random.up_to(5_000);
        let proved = audit.event(position).await.expect("proves").expect("is there");
        let checkpoint = Checkpoint::open(proved.checkpoint.as_bytes(), &keys).expect("is signed");
        assert_eq!((checkpoint.head.size, proved.included.event.position), (EVENTS, position));
        let leaf = proved.included.event.leaf(shard()).expect("a leaf").hash();
        inclusion::verify(&leaf, position - 1, &proved.included.path, &checkpoint.head)
            .expect("is in the log");
        let found = audit.position_of(proved.included.event.event_id).await.expect("looks");
        assert_eq!(found, Some(position), "by its id");
        let (receipt, _) = audit.receipt(position).await.expect("proves").expect("is there");
        receipt.verify(&keys).expect("is promised");
        receipt.is_of(&proved.included.event.leaf(shard()).expect("a leaf")).expect("that event");
    }
    let commits = log.raw_commits(shard(), 0).await.expect("reads");
    let head = |commit: &daybook_log::raw::RawCommit| TreeHead {
        size: commit.last_position,
        root: commit.root.as_deref().expect("a root").try_into().expect("32 bytes"),
    };
    let mut old = TreeHead { size: 0, root: tree::empty_root() };
    for new in commits.iter().map(head) {
        let proof = audit.consistency(old.size, new.size).await.expect("proves").expect("both are there");
        consistency::verify(&proof, &old, &new).expect("nothing was changed");
        old = new;
    }
    assert_eq!(audit.event(EVENTS + 1).await.expect("looks").map(|_| ()), None);
    assert_eq!(audit.consistency(1, EVENTS + 1).await.expect("looks"), None);
}

/// Fills tiles up to about leaf `end`. Returns the number of leaves that are in tiles.
async fn fill(log: &PostgresLog, end: u64) -> u64 {
    let mut tiled = log.tiled(shard()).await.expect("reads");
    while let Some(more) = log.fill_more(shard(), tiled, end).await.expect("fills") {
        tiled = more;
    }
    tiled
}

#[tokio::test]
async fn concurrent_tile_fills_match_the_standard() {
    let database = Database::create().await;
    let log = log(&database, EVENTS).await;
    for size in [0, 255, 256, 300, 4_500] {
        let (one, other) = futures::join!(fill(&log, size), fill(&log, size));
        assert_eq!((one, other), (size / 256 * 256, size / 256 * 256));
    }
    let leaves: Vec<_> = log.raw_events(shard(), 0, EVENTS, false).await.expect("reads");
    let leaves: Vec<_> = leaves.iter().map(|row| row.leaf(shard()).expect("a leaf").hash()).collect();
    let grown = daybook_proof::Growth::new(&daybook_proof::Frontier::default(), leaves);
    for size in [1, 255, 256, 257, EVENTS] {
        for tile in Tile::all(size) {
            let expected = tile.bytes(&grown).expect("is there");
            let bytes = log.tile(shard(), size, tile).await.expect("reads").expect("is there");
            assert!(bytes == expected, "{tile:?} of {size}");
        }
    }
    let beyond = Tile { level: 0, index: EVENTS / 256, width: 256 };
    assert_eq!(log.tile(shard(), EVENTS, beyond).await.expect("reads"), None);
    let huge = Tile { level: 7, index: u64::MAX >> 8, width: 256 };
    assert_eq!(
        log.tile(shard(), EVENTS, huge).await.expect("reads"),
        None,
        "{:?}",
        Node { level: 56, index: 0 }
    );
}
