//! The protocol of a rebuild: planned, bulk, tail, verify, active, retired, dropped.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::testing::fixture;
use daybook_domain::{AccountId, Currency};
use daybook_log::postgres::PostgresLog;
use daybook_pg::{Config, Pg};
use daybook_projector::{
    Allowed, Model, Moment, NotChosen, NotDropped, Page, Reads, Rebuild, RebuildError, Runner, Stage,
};
use daybook_tests::database::Database;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::{FIRST, MEMORY, build, build_within, differing, lived, more, run};
use crate::projector::count;
use crate::read_models::story::{SHARD, project, run_to_end};

#[tokio::test]
async fn rebuild_of_every_model_is_equal() {
    let story = lived().await;
    let (reads, _database) = story.projected().await;
    for model in Model::ALL {
        build(&reads, model).await;
        let comparison = reads.comparisons().compare(SHARD, model, 100, |_| {}).await.expect("compares");
        let found = comparison.tables.iter().map(|table| (&table.skipped, &table.differences));
        assert!(found.clone().all(|(skipped, all)| skipped.is_empty() && all.is_empty()), "{comparison:?}");
        let rows: Vec<_> = comparison.tables.iter().map(|table| table.rows).collect();
        assert!(rows.iter().all(|(old, new)| old == new), "{model}: {rows:?}");
    }
}

/// Covers a log of many pages and a log of less than one page.
#[tokio::test]
async fn rebuilt_version_has_the_same_indexes() {
    let story = lived().await;
    for memory in [MEMORY, 256 << 20] {
        let (reads, database) = story.projected().await;
        for model in Model::ALL {
            let built = build_within(&reads, model, memory).await.version;
            for table in model.tables() {
                let [old, new] = [model.fold(), built.number].map(|number| format!("_v{number}"));
                let (before, after) = (
                    indexes(&database, &format!("{table}{old}"), &old).await,
                    indexes(&database, &format!("{table}{new}"), &new).await,
                );
                assert_eq!(before, after, "{built}, {memory} bytes");
            }
        }
    }
}

/// Returns the indexes of a table, without the suffix of its version.
async fn indexes(database: &Database, table: &str, suffix: &str) -> Vec<String> {
    let sql = "select replace(indexdef, $2, '') from pg_indexes where tablename = $1 order by 1";
    let client = database.pg().client().await.expect("connects");
    let rows = client.query(sql, &[&table, &suffix]).await.expect("reads");
    assert!(!rows.is_empty(), "{table} has no index");
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn rebuild_keeps_active_version_current() {
    let mut story = lived().await;
    let (reads, _database) = story.projected().await;
    let runner = Runner::new(reads.store(), SHARD);
    for (n, model) in (1_u128..).zip(Model::ALL) {
        let mut rebuild = Rebuild::begin(reads.versions(), SHARD, model, MEMORY).await.expect("begins");
        let mut steps = 0;
        while rebuild.step().await.expect("steps").version.stage.is_building() {
            // Events recorded during the rebuild continue transactions that began before it.
            story.tell(fixture::pay(10_000 * n + steps, 1)).await;
            story.tell(fixture::debit(10_000 * n + steps)).await;
            run_to_end(&runner).await;
            steps += 1;
        }
        assert_eq!(differing(&reads, model).await, 0, "{model}");
    }
    more(&mut story, 3_000_000).await;
    story.tell_all((FIRST + 5..FIRST + 10).map(fixture::settle)).await;
    story.tell_all((FIRST + 10..FIRST + 15).map(fixture::credit)).await;
    run_to_end(&runner).await;
    for model in Model::ALL {
        assert_eq!(differing(&reads, model).await, 0, "{model}");
    }
}

#[tokio::test]
async fn killed_rebuild_resumes_at_its_step() {
    let mut story = lived().await;
    let (reads, _database) = story.projected().await;
    for model in Model::ALL {
        let mut seen = vec![];
        loop {
            // Each step is made by a new process that knows nothing of the previous step.
            let mut rebuild = Rebuild::begin(reads.versions(), SHARD, model, MEMORY).await.expect("begins");
            let built = rebuild.step().await.expect("steps");
            seen.push(built.version.stage);
            if !built.version.stage.is_building() {
                break;
            }
        }
        seen.dedup();
        assert_eq!(seen, [Stage::Bulk, Stage::Tail, Stage::Verify], "{model}");
        assert_eq!(differing(&reads, model).await, 0, "{model}");
    }
    // Two processes that rebuild the same model take turns.
    story.tell(fixture::pay(9_000, 5)).await;
    project(&reads).await;
    reads.versions().drop(SHARD, Model::MEMBERS, None).await.expect("drops");
    let begin =
        async || Rebuild::begin(reads.versions(), SHARD, Model::MEMBERS, MEMORY).await.expect("begins");
    let mut both = [begin().await, begin().await];
    while both[0].version().stage.is_building() || both[1].version().stage.is_building() {
        let [one, other] = &mut both;
        let (one, other) = tokio::join!(one.step(), other.step());
        one.and(other).expect("step");
    }
    assert_eq!(differing(&reads, Model::MEMBERS).await, 0);
}

#[tokio::test]
async fn switch_needs_clean_comparison_and_is_reversible() {
    let mut story = lived().await;
    let (reads, database) = story.projected().await;
    let other = {
        let reads = Reads::new(database.pg(), Arc::clone(&story.log));
        reads.versions().install(SHARD).await.expect("installs");
        reads
    };
    let user = fixture::ANN;
    let refused = |error| matches!(error, Err(RebuildError::NotChosen(_)));
    assert!(
        refused(reads.comparisons().switch(SHARD, Model::USERS, &Allowed::default()).await),
        "nothing to go to"
    );
    let built = build(&reads, Model::USERS).await;
    assert_eq!(built.version.number, 2);
    assert!(
        refused(reads.comparisons().switch(SHARD, Model::USERS, &Allowed::default()).await),
        "not compared"
    );
    run(&database, "update users_v2 set version = version + 1 where id = (select id from users_v2 limit 1)")
        .await;
    assert_eq!(differing(&reads, Model::USERS).await, 1);
    let differs = reads.comparisons().switch(SHARD, Model::USERS, &Allowed::default()).await;
    assert!(matches!(differs, Err(RebuildError::NotChosen(NotChosen::Differs(_, 1)))), "{differs:?}");
    run(&database, "update users_v2 n set version = o.version from users_v1 o where o.id = n.id").await;
    assert_eq!(differing(&reads, Model::USERS).await, 0);
    let before = reads.aggregates().record(SHARD, user.into()).await.expect("reads");

    // Reads use the new version, and the old version is kept up to date.
    assert_eq!(
        reads.comparisons().switch(SHARD, Model::USERS, &Allowed::default()).await.expect("switches").number,
        2
    );
    run(&database, "update users_v1 set state = 'not read any more'").await;
    assert_eq!(reads.aggregates().record(SHARD, user.into()).await.expect("reads"), before);
    run(&database, "update users_v1 o set state = n.state from users_v2 n where o.id = n.id").await;
    more(&mut story, 4_000_000).await;
    story.tell(fixture::person(daybook_domain::UserId::from_u128(77), &["SSN"])).await;
    project(&reads).await;
    assert_eq!(differing(&reads, Model::USERS).await, 0);

    assert_eq!(reads.comparisons().roll_back(SHARD, Model::USERS).await.expect("goes back").number, 1);
    run(&database, "update users_v2 set state = 'not read any more'").await;
    assert_eq!(reads.aggregates().record(SHARD, user.into()).await.expect("reads"), before);
    // Another process notices the change by itself.
    let mut running = Runner::new(other.store(), SHARD);
    run_to_end(&running).await;
    running = Runner::new(other.store(), SHARD);
    story.tell(fixture::pay(5_000, 5)).await;
    run_to_end(&running).await;
    assert_eq!(other.aggregates().record(SHARD, user.into()).await.expect("reads"), before);
}

#[tokio::test]
async fn version_in_use_is_not_dropped() {
    let story = lived().await;
    let (reads, database) = story.projected().await;
    let drop = async |number| reads.versions().drop(SHARD, Model::ENTRIES, number).await;
    assert!(matches!(drop(Some(2)).await, Err(RebuildError::NotDropped(NotDropped::Active(_)))));
    assert!(matches!(drop(None).await, Err(RebuildError::NotDropped(NotDropped::None(_)))));
    build(&reads, Model::ENTRIES).await;
    assert_eq!(differing(&reads, Model::ENTRIES).await, 0);
    reads.comparisons().switch(SHARD, Model::ENTRIES, &Allowed::default()).await.expect("switches");
    // A process that reads, and has not noticed the switch.
    run(&database, "insert into reader values (1, gen_random_uuid(), 1, now())").await;
    assert!(matches!(drop(None).await, Err(RebuildError::NotDropped(NotDropped::Awaited(_, 1)))));
    run(&database, "update reader set generation = 1000000").await;
    let dropped = drop(None).await.expect("drops");
    assert_eq!(dropped.iter().map(|version| version.number).collect::<Vec<_>>(), [2]);
    let client = database.pg().client().await.expect("connects");
    let row = client.query_one("select to_regclass('entries_v2') is null", &[]).await.expect("looks");
    assert!(row.get::<_, bool>(0));
    // The number of a dropped version is never used again.
    assert_eq!(build(&reads, Model::ENTRIES).await.version.number, 4);
}

#[tokio::test]
async fn stale_process_reloads_versions_after_drop() {
    let story = lived().await;
    let (reads, database) = story.projected().await;
    let silent = Reads::new(database.pg(), Arc::clone(&story.log));
    silent.versions().install(SHARD).await.expect("installs");
    for model in Model::ALL {
        build(&reads, model).await;
        reads.comparisons().compare(SHARD, model, 0, |_| {}).await.expect("compares");
        reads.comparisons().switch(SHARD, model, &Allowed::default()).await.expect("switches");
        reads.versions().drop(SHARD, model, None).await.expect("drops");
        let ann = fixture::ANN;
        // Each of these queries reads other tables.
        assert!(silent.aggregates().record(SHARD, ann.into()).await.expect("reads").is_some(), "{model}");
        let account = AccountId::of(fixture::ANNS, Currency::USD);
        let at = Moment::Position(story.head().await);
        let balance =
            silent.balances().balance_at(SHARD, account, at).await.expect("reads").expect("is there");
        assert!(balance.n > 0, "{model}");
        let page = Page { number: 1, size: 10 };
        let users = silent.lists().users_of_platform(SHARD, fixture::PLATFORM, page).await.expect("reads");
        assert!(users.total > 0, "{model}");
        silent.lists().open_item_count(SHARD, fixture::PLATFORM).await.expect("reads");
    }
}

#[tokio::test]
async fn process_reports_its_version_during_slow_page() {
    let (_, database) = lived().await.projected().await;
    let patient = format!("{} options='-c lock_timeout=30s -c statement_timeout=30s'", database.url());
    let patient = Pg::new(Config::from_url(&patient).expect("is one")).expect("a pool");
    let reads = Reads::new(database.pg(), Arc::new(PostgresLog::new(patient)));
    let mut locker = database.pg().client().await.expect("connects");
    let locked = locker.transaction().await.expect("begins");
    locked.batch_execute("lock table commit in access exclusive mode").await.expect("locks");
    let (stop, stopped) = watch::channel(false);
    let running = tokio::spawn(Runner::new(reads.store(), SHARD).run(stopped));
    let told = async |generation: i64| {
        let sql = format!("select count(*) from reader where generation = {generation}");
        let wait = async {
            while count(&database, &sql).await == 0 {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(Duration::from_secs(4), wait).await.expect("is told");
    };
    let newest = count(&database, "select max(generation) from projection").await;
    told(newest).await;
    run(&database, "update projection set generation = generation + 1").await;
    told(newest + 1).await;
    locked.rollback().await.expect("gives back");
    stop.send_replace(true);
    running.await.expect("ends");
    assert_eq!(count(&database, "select count(*) from reader").await, 0);
}

#[tokio::test]
async fn failing_new_version_does_not_stop_projection() {
    let mut story = lived().await;
    let (reads, database) = story.projected().await;
    build(&reads, Model::TO_DOS).await;
    run(&database, "delete from to_dos_v2").await;
    story.tell(fixture::settle(FIRST + 5)).await;
    project(&reads).await;
    assert_eq!(reads.store().position(SHARD).await.expect("reads"), story.head().await);
    let versions = reads.versions().all(SHARD).await.expect("reads");
    let left = versions.iter().find(|version| (version.model, version.number) == (Model::TO_DOS, 2));
    assert_eq!(left.map(|version| version.stage), Some(Stage::Tail));
    // The failed version is dropped and built again from the beginning.
    reads.versions().drop(SHARD, Model::TO_DOS, Some(2)).await.expect("drops");
    build(&reads, Model::TO_DOS).await;
    assert_eq!(differing(&reads, Model::TO_DOS).await, 0);
}

#[tokio::test]
async fn new_model_is_filled_before_reads() {
    let mut story = lived().await;
    let (reads, database) = story.projected().await;
    // Simulates a database of a binary that has none of these models.
    let unknown = "delete from projection where name in ('subnets', 'balances', 'members', 'parties');
        drop table subnets_v1, balances_v2, members_v3, counters_v3, parties_v1, lasts_v1";
    database.pg().client().await.expect("connects").batch_execute(unknown).await.expect("is unknown");
    drop(reads);
    more(&mut story, 3_000_000).await;
    let made = [(); 3].map(|()| Reads::new(database.pg(), Arc::clone(&story.log)));
    for installed in futures::future::join_all(made.iter().map(|reads| reads.versions().install(SHARD))).await
    {
        installed.expect("installs");
    }
    let reads = made.into_iter().next().expect("three");
    let runner = Runner::new(reads.store(), SHARD);
    run_to_end(&runner).await;
    let versions = reads.versions().all(SHARD).await.expect("reads");
    assert!(versions.iter().all(|version| version.stage == Stage::Active), "{versions:?}");
    for model in [Model::SUBNETS, Model::BALANCES, Model::MEMBERS, Model::PARTIES] {
        build(&reads, model).await;
        assert_eq!(differing(&reads, model).await, 0, "{model}");
    }
}
