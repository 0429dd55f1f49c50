//! Versions of two shards, which share tables: a number means one fold in both, and each shard builds, switches and
//! drops its versions by itself.

use std::time::Duration;

use daybook_log::{Batch, Shard};
use daybook_projector::{Allowed, Model, NotDropped, Reads, Rebuild, RebuildError, Runner, Stage, Version};
use daybook_tests::database::Database;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::{MEMORY, lived, older, run};
use crate::projector::count;
use crate::read_models::story::{SHARD, Story, run_to_end};

const OTHER: Shard = 2;
/// Table of fold 1.
const BALANCES_1: &str = include_str!("../../../crates/projector/src/models/balances/schema.sql");

/// Adds a second shard with the same history as the first, and projects it.
async fn add_shard(story: &Story, reads: &Reads, database: &Database) {
    run(database, "insert into shard values (2, gen_random_uuid())").await;
    run(database, "insert into duty values (2, 2)").await;
    let recorded = story.log.read(SHARD, 0, story.head().await).await.expect("reads");
    let mut appender = story.log.appender(OTHER, Uuid::nil()).await.expect("opens");
    for commit in recorded.chunk_by(|one, next| one.recorded_at_ms == next.recorded_at_ms) {
        let recorded_at_ms = commit[0].recorded_at_ms;
        let events = commit.iter().map(|recorded| recorded.event.clone()).collect();
        appender.lock(&[], recorded_at_ms).await.expect("locks");
        let batch = Batch {
            id: Uuid::from_u128(u128::from(commit[0].position)),
            recorded_at_ms,
            events,
            keys: vec![],
        };
        appender.append(batch).await.expect("appends");
    }
    reads.versions().install(OTHER).await.expect("installs");
    run_to_end(&Runner::new(reads.store(), OTHER)).await;
}

/// Returns two shards with the same history and the newest folds.
async fn two_shards() -> (Reads, Database) {
    let story = lived().await;
    let (reads, database) = story.projected().await;
    add_shard(&story, &reads, &database).await;
    (reads, database)
}

/// Builds the next version of `model` in `shard` and compares it with the active one.
async fn build(reads: &Reads, shard: Shard, model: Model) -> u16 {
    let mut rebuild = Rebuild::begin(reads.versions(), shard, model, MEMORY).await.expect("begins");
    while !rebuild.is_built() {
        rebuild.step().await.expect("steps");
    }
    let found = reads.comparisons().compare(shard, model, 100, |_| {}).await.expect("compares");
    assert_eq!(found.differing(), 0, "{model} of shard {shard}");
    rebuild.version().number
}

/// Builds the next version of `model` in `shard` and switches to it.
async fn replace(reads: &Reads, shard: Shard, model: Model) -> u16 {
    let number = build(reads, shard, model).await;
    let anything = Allowed { differences: true, ..Allowed::default() };
    reads.comparisons().switch(shard, model, &anything).await.expect("switches");
    number
}

async fn active(reads: &Reads, shard: Shard) -> Vec<(Model, u16, u16)> {
    let mut versions = reads.versions().all(shard).await.expect("reads");
    versions.retain(|version| version.stage == Stage::Active);
    versions.iter().map(|version| (version.model, version.number, version.fold)).collect()
}

async fn rows(database: &Database, table: &str, shard: Shard) -> i64 {
    count(database, &format!("select count(*) from {table} where shard = {shard}")).await
}

async fn tables(database: &Database) -> i64 {
    count(database, "select count(*) from pg_tables where schemaname = 'public'").await
}

async fn scratch(reads: &Reads, shard: Shard) -> Version {
    let begun = Rebuild::scratch(reads.versions(), shard, Model::BALANCES, MEMORY, None).await;
    let mut rebuild = begun.expect("begins");
    while !rebuild.is_built() {
        rebuild.step().await.expect("steps");
    }
    rebuild.version()
}

async fn planned(reads: &Reads, shard: Shard) -> Version {
    Rebuild::begin(reads.versions(), shard, Model::BALANCES, MEMORY).await.expect("begins").version()
}

#[tokio::test]
async fn new_shard_takes_active_versions_of_others() {
    let story = lived().await;
    let (reads, database) = older(&story, Model::BALANCES, BALANCES_1).await;
    // A version 2 by the oldest fold, beside a newest fold with that number.
    run(&database, "alter table balances_v1 rename to balances_v2").await;
    run(&database, "update projection set version = 2 where name = 'balances'").await;
    replace(&reads, SHARD, Model::USERS).await;
    let count = tables(&database).await;
    add_shard(&story, &reads, &database).await;
    assert_eq!(active(&reads, OTHER).await, active(&reads, SHARD).await);
    assert!(active(&reads, OTHER).await.contains(&(Model::BALANCES, 2, 1)));
    assert_eq!(tables(&database).await, count);
    for table in ["users_v2", "balances_v2", "entries_v2"] {
        let expected = rows(&database, table, SHARD).await;
        assert!(expected > 0, "{table}");
        assert_eq!(rows(&database, table, OTHER).await, expected, "{table}");
    }
}

/// A shard whose log has events and whose read model is new is filled before the version becomes active.
#[tokio::test]
async fn shard_with_a_past_is_filled() {
    let (reads, database) = two_shards().await;
    run(&database, "delete from projection where shard = 2 and name = 'users'").await;
    run(&database, "delete from users_v1 where shard = 2").await;
    reads.versions().install(OTHER).await.expect("installs");
    assert_eq!(rows(&database, "users_v1", OTHER).await, rows(&database, "users_v1", SHARD).await);
    assert_eq!(active(&reads, OTHER).await, active(&reads, SHARD).await);
}

#[tokio::test]
async fn one_number_means_one_fold() {
    let story = lived().await;
    let (reads, database) = older(&story, Model::BALANCES, BALANCES_1).await;
    add_shard(&story, &reads, &database).await;
    // It has the fold of the active version, and the number of the newest fold.
    let left = scratch(&reads, SHARD).await;
    assert_eq!((left.number, left.fold), (2, 1));
    assert_eq!(replace(&reads, OTHER, Model::BALANCES).await, 3);
    assert_eq!(replace(&reads, SHARD, Model::BALANCES).await, 3);
    assert_eq!(active(&reads, OTHER).await, active(&reads, SHARD).await);
    let mixed = "select count(*) from (
        select name, version from projection group by name, version having min(fold) < max(fold)) t";
    assert_eq!(count(&database, mixed).await, 0);
}

#[tokio::test]
async fn drop_keeps_rows_of_other_shard() {
    let (reads, database) = two_shards().await;
    for shard in [SHARD, OTHER] {
        assert_eq!(replace(&reads, shard, Model::MEMBERS).await, 4);
    }
    let before = rows(&database, "members_v3", OTHER).await;
    let dropped = reads.versions().drop(SHARD, Model::MEMBERS, None).await.expect("drops");
    assert_eq!(dropped.iter().map(|version| version.number).collect::<Vec<_>>(), [3]);
    for table in ["members_v3", "counters_v3"] {
        assert_eq!(rows(&database, table, SHARD).await, 0, "{table}");
    }
    assert!(before > 0);
    assert_eq!(rows(&database, "members_v3", OTHER).await, before);
    assert_eq!(reads.comparisons().roll_back(OTHER, Model::MEMBERS).await.expect("goes back").number, 3);
    let found = reads.comparisons().compare(OTHER, Model::MEMBERS, 100, |_| {}).await.expect("compares");
    assert_eq!(found.differing(), 0);
    // The last shard drops the tables.
    reads.comparisons().roll_back(OTHER, Model::MEMBERS).await.expect("goes back");
    reads.versions().drop(OTHER, Model::MEMBERS, None).await.expect("drops");
    let there = "select count(*) from pg_tables where tablename in ('members_v3', 'counters_v3')";
    assert_eq!(count(&database, there).await, 0);
}

#[tokio::test]
async fn killed_sweep_continues_at_next_drop() {
    let (reads, database) = two_shards().await;
    replace(&reads, SHARD, Model::MEMBERS).await;
    // The state that a process leaves which is killed before it deletes the rows.
    run(
        &database,
        "update projection set stage = 'dropped' where shard = 1 and name = 'members' and version = 3",
    )
    .await;
    assert!(rows(&database, "members_v3", SHARD).await > 0);
    let drop = async || reads.versions().drop(SHARD, Model::MEMBERS, None).await;
    assert_eq!(drop().await.expect("drops").len(), 1);
    assert_eq!(rows(&database, "members_v3", SHARD).await, 0);
    assert!(rows(&database, "members_v3", OTHER).await > 0);
    assert!(matches!(drop().await, Err(RebuildError::NotDropped(NotDropped::None(_)))));
}

#[tokio::test]
async fn scratch_tables_belong_to_one_shard() {
    let (reads, database) = two_shards().await;
    let [one, other] = [scratch(&reads, SHARD).await, scratch(&reads, OTHER).await];
    assert_eq!([one.number, other.number], [3, 4]);
    assert_eq!([planned(&reads, OTHER).await.number, planned(&reads, SHARD).await.number], [5, 5]);
    reads.versions().drop_scratch(SHARD).await.expect("drops");
    let there = async |table| {
        count(&database, &format!("select count(*) from pg_tables where tablename = '{table}'")).await
    };
    assert_eq!([there("balances_v3").await, there("balances_v4").await], [0, 1]);
    assert_eq!(scratch(&reads, SHARD).await.number, 3);
}

/// Both plans begin while the numbers are locked, so that neither sees the other's version when it begins.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_plans_see_each_other() {
    let (reads, database) = two_shards().await;
    let mut locker = database.pg().dedicated().await.expect("connects");
    let locked = locker.transaction().await.expect("begins");
    locked.batch_execute("lock table projection in share row exclusive mode").await.expect("locks");
    let plan = |shard| {
        let reads = reads.clone();
        tokio::spawn(async move {
            let begun = Rebuild::scratch(reads.versions(), shard, Model::BALANCES, MEMORY, None).await;
            begun.expect("begins").version().number
        })
    };
    let plans = [plan(SHARD), plan(OTHER)];
    let wait = async {
        let waiting = "select count(*) from pg_locks where relation = 'projection'::regclass and not granted";
        while count(&database, waiting).await < 2 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(10), wait).await.expect("both wait");
    locked.rollback().await.expect("gives back");
    let [one, other] = plans;
    let mut numbers = [one.await.expect("plans"), other.await.expect("plans")];
    numbers.sort_unstable();
    assert_eq!(numbers, [3, 4]);
}
