//! Tiles of the Merkle tree that several processes and callers fill at once, and damaged tiles.

use std::sync::Arc;

use daybook_engine::Audit;
use daybook_log::postgres::PostgresLog;
use daybook_log::raw::RawTile;
use daybook_random::Random;
use daybook_tests::app::signer;
use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::process::Daybook;
use daybook_tests::shard;

use super::anchored::Anchored;
use super::proofs::{append, log};
use crate::restart::{dev_args, folder_with_key};
use crate::writers::fresh;

/// Number of events: ten full tiles and a rest.
const EVENTS: u64 = 2_700;

/// The rows of `tile`.
async fn rows(log: &PostgresLog) -> Vec<(i16, i64, Vec<u8>)> {
    let rows = log.raw_tiles(shard(), (-1, -1)).await.expect("reads");
    rows.into_iter().map(|RawTile { level, n, hashes }| (level, n, hashes)).collect()
}

/// Returns the rows of one complete fill and empties the table.
async fn filled(database: &Database, log: &PostgresLog) -> Vec<(i16, i64, Vec<u8>)> {
    assert_eq!(log.fill_more(shard(), 0, EVENTS).await.expect("fills"), Some(2_560));
    let expected = rows(log).await;
    assert_eq!(expected.len(), 11);
    database.execute("delete from tile").await;
    expected
}

#[tokio::test]
async fn overtaken_tile_fill_writes_nothing() {
    let database = Database::create().await;
    let log = log(&database, EVENTS).await;
    let expected = filled(&database, &log).await;
    for _ in 0..2 {
        // Each fill starts from position 0, as if it had begun before any tile existed.
        for end in [512, 256, 1_024, EVENTS] {
            log.fill_more(shard(), 0, end).await.expect("fills");
        }
        let tiled = log.tiled(shard()).await.expect("reads");
        log.fill_more(shard(), tiled, EVENTS).await.expect("fills");
        assert!(rows(&log).await == expected, "the tiles are not those of one fill");
        database.execute("delete from tile").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_tile_fills_equal_one_fill() {
    let database = Database::create().await;
    let log = log(&database, EVENTS).await;
    let expected = filled(&database, &log).await;
    for round in 0..4 {
        let processes = (0..6).map(|process| {
            let log = PostgresLog::new(fresh(&database));
            tokio::spawn(async move {
                let mut random = Random::of_test(&format!("fill {round} {process}"));
                loop {
                    let tiled = log.tiled(shard()).await.expect("reads");
                    let end = tiled + 256 * random.up_to(4);
                    if log.fill_more(shard(), tiled, end.min(EVENTS)).await.expect("fills").is_none() {
                        break;
                    }
                }
            })
        });
        for process in processes.collect::<Vec<_>>() {
            process.await.expect("it ends");
        }
        assert!(rows(&log).await == expected, "round {round}: the tiles are not those of one fill");
        database.execute("delete from tile").await;
    }
}

/// Damage to tiles, as left by overlapping fills, by a faulty disk, or by a manual change.
const DAMAGES: [&str; 7] = [
    "delete from tile where level = 1",
    "update tile set hashes = substring(hashes for 32) where level = 1",
    "update tile set hashes = hashes || substring(hashes for 32) where level = 1",
    "delete from tile where level = 0 and n = 3",
    "delete from tile where level = 0 and n between 0 and 6",
    "update tile set hashes = substring(hashes for 320) where level = 0 and n = 4",
    "delete from tile where level = 0 and n = 2 or level = 1",
];

#[tokio::test]
async fn damaged_tiles_are_rebuilt() {
    let database = Database::create().await;
    let log = log(&database, EVENTS).await;
    log.fill_tiles(shard()).await.expect("fills");
    let expected = rows(&log).await;
    assert_eq!(log.mend_tiles(shard()).await.expect("looks"), 0, "all is well");
    for damage in DAMAGES {
        database.execute(damage).await;
        assert!(log.mend_tiles(shard()).await.expect("mends") > 0, "{damage}");
        assert!(rows(&log).await == expected, "{damage}");
    }
}

#[tokio::test]
async fn proofs_work_with_damaged_tiles() {
    let database = Database::create().await;
    let log = log(&database, EVENTS).await;
    log.fill_tiles(shard()).await.expect("fills");
    for damage in DAMAGES.into_iter().chain(["delete from tile"]) {
        database.execute(damage).await;
        // A new instance, because one that just mended tiles waits before it mends again.
        let log = PostgresLog::new(fresh(&database)).signed_by(Arc::new(signer()));
        let audit = Audit::new(log.clone(), signer().into()).of(shard()).expect("is the first");
        for from in [1, 300, 1_000, 2_600] {
            let proof = audit.consistency(from, EVENTS).await;
            assert!(proof.is_ok_and(|proof| proof.is_some()), "{damage}, from {from}");
        }
        log.mend_tiles(shard()).await.expect("mends");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_proof_requests_leave_consistent_tiles() {
    const STRANGERS: u64 = 48;
    let database = Database::create().await;
    let writer = log(&database, 300).await;
    let processes = [(); 2].map(|()| PostgresLog::new(fresh(&database)).signed_by(Arc::new(signer())));
    let mut end = 300;
    for _ in 0..4 {
        let grown = end + 1_500;
        let strangers: Vec<_> = (0..STRANGERS)
            .map(|number| {
                let at = usize::from(number % 2 == 0);
                let audit =
                    Audit::new(processes[at].clone(), signer().into()).of(shard()).expect("is the first");
                tokio::spawn(async move {
                    let to = end - end.min(number * 256) + 1;
                    audit.consistency(1, to).await.expect("proves");
                })
            })
            .collect();
        append(&writer, end, grown).await;
        for stranger in strangers {
            stranger.await.expect("it is answered");
        }
        end = grown;
        let audit = Audit::new(processes[0].clone(), signer().into()).of(shard()).expect("is the first");
        assert!(audit.consistency(1, end).await.expect("proves").is_some());
        audit.make_checkpoint().await.expect("makes");
        assert!(audit.event(end).await.expect("proves").is_some());
    }
    writer.fill_tiles(shard()).await.expect("fills");
    let found = rows(&writer).await;
    database.execute("delete from tile").await;
    PostgresLog::new(fresh(&database)).fill_tiles(shard()).await.expect("fills");
    assert!(rows(&writer).await == found, "the tiles are not those of one fill");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starting_service_repairs_damaged_tiles() {
    let (anchored, keys) = (Anchored::new().await, folder_with_key());
    let verified = async || anchored.verify(false).await.findings;
    for damage in [
        "delete from tile where level = 1",
        "update tile set hashes = substring(hashes for 320) where level = 0 and n = 0",
    ] {
        anchored.database.execute(damage).await;
        let found = verified().await;
        assert!(found.iter().any(|finding| finding.place.starts_with("tile")), "{damage}: {found:?}");
        let service = Daybook::start(dev_args(&anchored.database, keys.path()));
        until("tiles fit again", async || verified().await.is_empty().then_some(())).await;
        assert!(service.terminate().success());
    }
}

#[tokio::test]
async fn verification_finds_short_upper_tile() {
    let anchored = Anchored::new().await;
    // The result of two overlapping fills: two tiles of leaves, and above them the hash of only one.
    anchored.log.fill_tiles(shard()).await.expect("fills");
    let sql = "insert into tile select shard, 0, 1, hashes from tile where level = 0";
    anchored.database.execute(sql).await;
    let found = anchored.verify(false).await.findings;
    let what: Vec<_> = found.iter().map(|finding| (finding.place.as_str(), finding.what.as_str())).collect();
    assert!(what.contains(&("tile 0 of level 1", "it lacks hashes of full tiles below it")), "{what:?}");
}
