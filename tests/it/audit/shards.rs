//! Shards have origins of their own: what one shard signs is not valid for another.

use std::path::Path;
use std::sync::Arc;

use daybook_cli::anchor::Folder;
use daybook_engine::{Audit, ShardAudit};
use daybook_log::postgres::{NotRegistered, PostgresLog};
use daybook_log::{Batch, Error, Log, Shard, Signers};
use daybook_proof::{Checkpoint, Key, Signer};
use daybook_tests::app::{PUBLIC_KEY, signer};
use daybook_tests::database::Database;
use daybook_tests::process::run;
use uuid::Uuid;

use super::SHARD;
use super::proofs::event;

const OTHER: Shard = 2;

/// Creates a database with two shards.
async fn two_shards() -> Database {
    let database = Database::create().await;
    database.execute("insert into shard values (2, gen_random_uuid())").await;
    database
}

/// Returns a log that signs, and its audit, with the keys of both shards registered.
async fn signing(database: &Database) -> (PostgresLog, Audit) {
    let log = PostgresLog::new(database.pg()).signed_by(Arc::new(signer()));
    for shard in [SHARD, OTHER] {
        log.register_keys(shard, &keys_of(shard), 0).await.expect("they may sign");
    }
    (log.clone(), Audit::new(log, signer().into()))
}

fn keys_of(shard: Shard) -> Vec<Key> {
    Signers::from(signer()).of(shard).expect("has an origin").keys()
}

async fn append(log: &PostgresLog, shard: Shard) {
    let mut appender = log.appender(shard, Uuid::from_u128(1)).await.expect("opens");
    appender.lock(&[], 0).await.expect("locks");
    let events = (1..=3).map(event).collect();
    let batch = Batch { id: Uuid::from_u128(9), recorded_at_ms: 1_700_000_000_000, events, keys: vec![] };
    appender.append(batch).await.expect("appends");
}

fn of(audit: &Audit, shard: Shard) -> ShardAudit {
    audit.of(shard).expect("has an origin")
}

#[tokio::test]
async fn proof_of_other_shard_is_refused() {
    let database = two_shards().await;
    let (log, audit) = signing(&database).await;
    for (shard, other) in [(SHARD, OTHER), (OTHER, SHARD)] {
        append(&log, shard).await;
        let audit = of(&audit, shard);
        let (receipt, _) = audit.receipt(2).await.expect("proves").expect("is there");
        assert_eq!((receipt.root.shard, receipt.root.origin.as_str()), (shard, keys_of(shard)[0].name()));
        receipt.verify(&keys_of(shard)).expect("is promised");
        assert!(receipt.verify(&keys_of(other)).is_err(), "shard {shard}");
        let proved = audit.event(2).await.expect("proves").expect("is there");
        assert_eq!(proved.included.shard, shard);
        let note = proved.checkpoint.as_bytes();
        let checkpoint = Checkpoint::open(note, &keys_of(shard)).expect("is signed");
        assert_eq!(checkpoint.origin, keys_of(shard)[0].name());
        assert!(Checkpoint::open(note, &keys_of(other)).is_err(), "shard {shard}");
    }
    assert_eq!(
        [SHARD, OTHER].map(|shard| keys_of(shard)[0].name().to_owned()),
        ["daybook.example/1", "daybook.example/2"]
    );
}

#[tokio::test]
async fn keys_of_each_shard_are_registered() {
    let database = two_shards().await;
    let log = PostgresLog::new(database.pg());
    let refused = log.register_keys(OTHER, &keys_of(SHARD), 0).await;
    assert!(matches!(refused, Err(NotRegistered::OtherShard { shard: OTHER, .. })), "{refused:?}");
    let (log, audit) = signing(&database).await;
    for shard in [SHARD, OTHER] {
        assert_eq!(log.signing_keys(shard).await.expect("reads"), keys_of(shard));
        assert_eq!(of(&audit, shard).keys().await.expect("reads"), keys_of(shard));
    }
}

/// Commits without a root, such as copied ones, are signed later under the origin of their shard as well.
#[tokio::test]
async fn backfilled_commits_name_their_shard() {
    let database = two_shards().await;
    append(&PostgresLog::new(database.pg()), OTHER).await;
    let (log, audit) = signing(&database).await;
    database
        .execute(
            "alter table commit disable trigger all;
             update commit set root = null, frontier = null, signature = null;
             alter table commit enable trigger all",
        )
        .await;
    log.backfill_roots(OTHER).await.expect("signs");
    let (receipt, _) = of(&audit, OTHER).receipt(2).await.expect("proves").expect("is there");
    receipt.verify(&keys_of(OTHER)).expect("is promised");
}

/// Verifies all shards of the database by the command, with an anchor. Returns its text about the second shard.
fn verify_second(database: &Database, anchor: &Path) -> String {
    let (url, anchor) = (database.url(), anchor.display().to_string());
    let args = ["log", "verify", "--key", PUBLIC_KEY, "--database-url", &url, "--anchor", &anchor];
    let told = String::from_utf8_lossy(&run(args).stdout).into_owned();
    told.split_once("Shard 2\n").expect("is verified").1.to_owned()
}

#[tokio::test]
async fn lost_shards_are_found_by_anchor() {
    let database = two_shards().await;
    let (log, audit) = signing(&database).await;
    let anchor = tempfile::tempdir().expect("a folder");
    let keep = async |shard| {
        append(&log, shard).await;
        let made = of(&audit, shard).make_checkpoint().await.expect("makes");
        let of_shard =
            anchor.path().join(if shard == SHARD { String::new() } else { format!("shards/{shard}") });
        Folder::new(of_shard).expect("is made").keep(&made).expect("keeps");
    };
    keep(SHARD).await;
    // The second shard has neither events nor checkpoints yet.
    assert!(verify_second(&database, anchor.path()).contains("Nothing is wrong"));
    keep(OTHER).await;
    assert!(!verify_second(&database, anchor.path()).contains("the log was cut"));
    let remove = |table: &str| format!("delete from {table} where shard = 2");
    let emptied = ["event", "commit", "tile", "checkpoint"].map(remove).join("; ");
    for cut in [emptied, remove("shard")] {
        let sql = format!("set local session_replication_role = replica; {cut}");
        database.execute(&sql).await;
        let told = verify_second(&database, anchor.path());
        assert!(told.contains("the log was cut"), "{cut}: {told}");
    }
}

#[tokio::test]
async fn origin_without_shard_signs_shard_one_only() {
    let database = two_shards().await;
    let lone = Signer::new("daybook.test", &[3; 32]).expect("a name");
    let log = PostgresLog::new(database.pg()).signed_by(Arc::new(lone.clone()));
    append(&log, SHARD).await;
    let refused = log.appender(OTHER, Uuid::from_u128(1)).await.err();
    assert!(matches!(refused, Some(Error::Refused(_))), "{refused:?}");
    assert!(matches!(log.backfill_roots(OTHER).await, Err(Error::Refused(_))));
    let audit = Audit::new(log, lone.into());
    assert!(audit.of(SHARD).is_ok() && audit.of(OTHER).is_err());
}
