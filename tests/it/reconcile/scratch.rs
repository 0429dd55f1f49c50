//! Scratch versions: removed after every run, and never mistaken for a rebuild by an operator.

use daybook_projector::{Allowed, Model, NotChosen, Rebuild, RebuildError, Stage, Version};
use daybook_tests::app::TestApp;
use daybook_tests::shard;

use super::{lived, reconcile, reconciled, same, sql};

async fn versions(app: &TestApp) -> Vec<Version> {
    let mut versions = app.service.engine.reads().versions().all(shard()).await.expect("reads");
    versions.retain(|version| version.stage != Stage::Dropped);
    versions
}

async fn tables(app: &TestApp) -> i64 {
    let db = app.database.pg().client().await.expect("connects");
    let count = "select count(*) from pg_tables where schemaname = 'public'";
    db.query_one(count, &[]).await.expect("counts").get(0)
}

/// Begins a version and makes `steps` steps.
async fn begun(app: &TestApp, model: Model, is_scratch: bool, steps: usize) -> Version {
    let reads = app.service.engine.reads().clone();
    let begun = if is_scratch {
        Rebuild::scratch(reads.versions(), shard(), model, 0, None).await
    } else {
        Rebuild::begin(reads.versions(), shard(), model, 0).await
    };
    let mut rebuild = begun.expect("begins");
    for _ in 0..steps {
        rebuild.step().await.expect("steps");
    }
    rebuild.version()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scratch_versions_are_dropped_after_each_run() {
    let app = lived().await;
    let (before, count) = (versions(&app).await, tables(&app).await);
    for _ in 0..3 {
        same(&app, &["--model", "users", "--model", "members"]);
        assert_eq!((versions(&app).await, tables(&app).await), (before.clone(), count));
    }
    let all = app.service.engine.reads().versions().all(shard()).await.expect("reads");
    assert_eq!(all.len(), before.len() + 2, "one row for the scratch of each: {all:?}");
    sql(&app, "update ledger_v1 set debits = debits + 1").await;
    assert_eq!(reconciled(&app, &["--model", "ledger"]).1, Some(1));
    assert_eq!((versions(&app).await, tables(&app).await), (before, count));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scratch_of_killed_run_blocks_no_other() {
    let app = lived().await;
    let before = versions(&app).await;
    for steps in [0, 1, 2, 3, 5, 50] {
        let left = begun(&app, Model::USERS, true, steps).await;
        let other = begun(&app, Model::MEMBERS, true, steps).await;
        assert!(left.is_scratch && other.is_scratch);
        same(&app, &["--model", "users"]);
        assert_eq!(versions(&app).await, before, "after {steps} steps");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn running_rebuild_and_scratch_versions_stay_separate() {
    let app = lived().await;
    let reads = app.service.engine.reads();
    let theirs = begun(&app, Model::USERS, false, 1).await;
    same(&app, &["--model", "users"]);
    let found = versions(&app).await;
    assert!(found.iter().any(|one| (one.number, one.is_scratch) == (theirs.number, false)), "{found:?}");
    // The rebuild continues with its own version.
    assert_eq!(begun(&app, Model::USERS, false, 50).await.number, theirs.number);

    let scratch = begun(&app, Model::NODES, true, 50).await;
    assert_eq!(scratch.stage, Stage::Verify);
    let anything = Allowed { differences: true, ..Allowed::default() };
    let switched = reads.comparisons().switch(shard(), Model::NODES, &anything).await;
    assert!(matches!(switched, Err(RebuildError::NotChosen(NotChosen::None(_)))), "{switched:?}");
    let compared = reads.comparisons().compare(shard(), Model::NODES, 10, |_| {}).await;
    assert!(matches!(compared, Err(RebuildError::NotChosen(NotChosen::None(_)))), "{compared:?}");
    assert_ne!(begun(&app, Model::NODES, false, 0).await.number, scratch.number);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn second_concurrent_reconciliation_is_refused() {
    let app = lived().await;
    let other = app.database.pg().dedicated().await.expect("connects");
    other.batch_execute("select pg_advisory_lock(x'7265636f6e63696c'::bigint)").await.expect("locks");
    let said = reconcile(&app, &["--model", "users"]);
    assert_eq!(said.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&said.stderr).contains("another reconciliation runs"), "{said:?}");
    drop(other);
}
