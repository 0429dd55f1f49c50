//! Folds: a read model with deliberately changed columns is rebuilt with the new ones, while the old version is kept up
//! to date.

use std::collections::HashMap;
use std::sync::Arc;

use daybook_domain::testing::fixture;
use daybook_projector::{
    Allowed, Comparison, Error, Model, NotChosen, Reads, Rebuild, RebuildError, Runner, Stage,
};
use daybook_tests::database::Database;
use daybook_tests::process;
use serde_json::json;
use tokio_postgres::Row;
use uuid::Uuid;

use super::{FIRST, MEMORY, build, differing, installed, lived, more, older, run};
use crate::projector::count;
use crate::read_models::story::{SHARD, Story, project, run_to_end};

/// Table of fold 1.
const FOLD_1: &str = include_str!("../../../crates/projector/src/models/balances/schema.sql");
/// Returns number, fold and stage of each version of balances.
async fn versions(reads: &Reads) -> Vec<(u16, u16, Stage)> {
    let versions = reads.versions().all(SHARD).await.expect("reads");
    let own = versions.iter().filter(|version| version.model == Model::BALANCES);
    own.map(|version| (version.number, version.fold, version.stage)).collect()
}

async fn compare(reads: &Reads) -> Comparison {
    reads.comparisons().compare(SHARD, Model::BALANCES, 100, |_| {}).await.expect("compares")
}

/// Allows the comparison to skip the column that fold 2 adds.
fn platform_is_new() -> Allowed {
    Allowed { not_compared: vec!["balances.platform".to_owned()], ..Allowed::default() }
}

/// Returns the number of accounts whose row in `table` differs from their entries. `n` is the column that counts them.
async fn wrong(story: &Story, database: &Database, table: &str, n: &str) -> usize {
    let mut expected: HashMap<u128, (i64, i32)> = HashMap::new();
    for (happened, entry) in story.entries().await {
        let (posted, n) = expected.entry(happened.key.id).or_default();
        (*posted, *n) = (*posted + entry.delta, *n + 1);
    }
    let client = database.pg().client().await.expect("connects");
    let rows = client.query(&format!("select account, posted, {n} from {table}"), &[]).await.expect("reads");
    let mut is_right =
        |row: &&Row| expected.remove(&row.get::<_, Uuid>(0).as_u128()) == Some((row.get(1), row.get(2)));
    let right = rows.iter().filter(|row| is_right(row)).count();
    rows.len() - right + expected.len()
}

#[tokio::test]
async fn new_database_uses_the_newest_fold() {
    let story = lived().await;
    let (reads, database) = story.projected().await;
    for version in reads.versions().all(SHARD).await.expect("reads") {
        let newest = version.model.fold();
        assert_eq!((version.number, version.fold, version.stage), (newest, newest, Stage::Active));
    }
    assert_eq!(count(&database, "select count(*) from pg_class where relname = 'balances_v1'").await, 0);
    assert_eq!(wrong(&story, &database, "balances_v2", "entries").await, 0);
    // The sum of a platform's accounts needs no other table, and equals the ledger.
    let differing = "select count(*)
        from (select platform, currency, sum(posted) sum from balances_v2 group by platform, currency) b
        full join (select platform, currency, credits - debits sum from ledger_v1 where account = 'nodes') l
             using (platform, currency)
       where b.sum is distinct from l.sum";
    assert_eq!(count(&database, differing).await, 0);
    assert!(count(&database, "select count(*) from balances_v2 where posted <> 0").await > 1);
}

#[tokio::test]
async fn database_older_than_versions_keeps_its_fold() {
    let mut story = lived().await;
    let (_, database) = older(&story, Model::BALANCES, FOLD_1).await;
    run(&database, "delete from projection where name = 'balances'").await;
    more(&mut story, 3_000_000).await;
    let reads = installed(&story, &database).await;
    project(&reads).await;
    assert_eq!(versions(&reads).await, [(1, 1, Stage::Active)]);
    assert_eq!(wrong(&story, &database, "balances_v1", "n").await, 0);
    assert_eq!(build(&reads, Model::BALANCES).await.version.fold, 2);
    assert_eq!(differing(&reads, Model::BALANCES).await, 0);
}

#[tokio::test]
async fn fold_is_rebuilt_while_payments_continue() {
    let mut story = lived().await;
    let (reads, database) = older(&story, Model::BALANCES, FOLD_1).await;
    let runner = Runner::new(reads.store(), SHARD);
    let mut rebuild = Rebuild::begin(reads.versions(), SHARD, Model::BALANCES, MEMORY).await.expect("begins");
    let mut steps = 0;
    while rebuild.step().await.expect("steps").version.stage.is_building() {
        story.tell(fixture::pay(10_000 + steps, 1)).await;
        story.tell(fixture::debit(10_000 + steps)).await;
        run_to_end(&runner).await;
        steps += 1;
    }
    assert!(steps > 2, "{steps} steps");
    assert_eq!(versions(&reads).await, [(1, 1, Stage::Active), (2, 2, Stage::Verify)]);
    assert_eq!(differing(&reads, Model::BALANCES).await, 0);

    // Both versions stay complete: before the switch, after it, after the rollback, and after the second switch.
    let both = async |story: &mut Story, first| {
        more(story, first).await;
        run_to_end(&runner).await;
        assert_eq!(wrong(story, &database, "balances_v1", "n").await, 0);
        assert_eq!(wrong(story, &database, "balances_v2", "entries").await, 0);
        assert_eq!(differing(&reads, Model::BALANCES).await, 0);
    };
    both(&mut story, 3_000_000).await;
    reads.comparisons().switch(SHARD, Model::BALANCES, &platform_is_new()).await.expect("switches");
    assert_eq!(versions(&reads).await, [(1, 1, Stage::Retired), (2, 2, Stage::Active)]);
    both(&mut story, 4_000_000).await;
    reads.comparisons().roll_back(SHARD, Model::BALANCES).await.expect("goes back");
    assert_eq!(versions(&reads).await, [(1, 1, Stage::Active), (2, 2, Stage::Retired)]);
    both(&mut story, 5_000_000).await;
    reads.comparisons().roll_back(SHARD, Model::BALANCES).await.expect("goes back to what it went back from");
    both(&mut story, 6_000_000).await;

    // After the old version is dropped, only the new one is written.
    reads.versions().drop(SHARD, Model::BALANCES, None).await.expect("drops");
    assert_eq!(versions(&reads).await, [(1, 1, Stage::Dropped), (2, 2, Stage::Active)]);
    story.tell_all((FIRST + 5..FIRST + 10).map(fixture::settle)).await;
    run_to_end(&runner).await;
    assert_eq!(wrong(&story, &database, "balances_v2", "entries").await, 0);
}

#[tokio::test]
async fn comparison_maps_renamed_and_lists_new_columns() {
    let story = lived().await;
    let (reads, database) = older(&story, Model::BALANCES, FOLD_1).await;
    build(&reads, Model::BALANCES).await;
    let found = compare(&reads).await;
    let shared = |n: &'static str| {
        ["shard", "account", "node", "currency", n, "position", "posted", "held", "pending_in"]
    };
    assert_eq!(found.tables[0].columns, shared("entries"));
    assert_eq!((&*found.tables[0].skipped, found.differing()), (&["platform".to_owned()][..], 0));
    damage(&reads, &database, "balances_v2", "entries").await;
    reads.comparisons().switch(SHARD, Model::BALANCES, &platform_is_new()).await.expect("switches");
    let found = compare(&reads).await;
    assert_eq!(found.tables[0].columns, shared("n"));
    assert_eq!((&*found.tables[0].skipped, found.differing()), (&["platform".to_owned()][..], 0));
    damage(&reads, &database, "balances_v1", "n").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn switch_requires_naming_uncompared_columns() {
    let story = lived().await;
    let (reads, database) = older(&story, Model::BALANCES, FOLD_1).await;
    build(&reads, Model::BALANCES).await;
    let url = database.url();
    let projection = |args: &[&str]| {
        let said =
            process::run([&["projection"], args, &["balances", "--json", "--database-url", &url]].concat());
        (said.status.code(), String::from_utf8_lossy(&said.stdout).into_owned(), said)
    };
    let (code, told, said) = projection(&["diff"]);
    assert_eq!(code, Some(2), "{said:?}");
    let told: serde_json::Value = serde_json::from_str(told.trim()).expect("a line of JSON");
    assert_eq!((&told["skipped"], &told["rows_differing"]), (&json!(["platform"]), &json!(0)));
    assert!(String::from_utf8_lossy(&said.stderr).contains("--not-compared balances.platform"), "{said:?}");
    for named in [vec![], vec!["balances.node".to_owned()]] {
        let allowed = Allowed { not_compared: named, ..Allowed::default() };
        let refused = reads.comparisons().switch(SHARD, Model::BALANCES, &allowed).await;
        let Err(RebuildError::NotChosen(NotChosen::NotNamed(_, columns))) = &refused else {
            panic!("{refused:?}")
        };
        assert_eq!(*columns, platform_is_new().not_compared);
    }
    assert_eq!(projection(&["switch"]).0, Some(1));
    assert_eq!(projection(&["diff", "--not-compared", "balances.platform"]).0, Some(0));
    assert_eq!(projection(&["switch", "--not-compared", "balances.platform"]).0, Some(0));
    assert_eq!(versions(&reads).await, [(1, 1, Stage::Retired), (2, 2, Stage::Active)]);
}

/// Changes the number of entries in one row of `table`, and checks that the comparison finds it.
async fn damage(reads: &Reads, database: &Database, table: &str, n: &str) {
    let add = async |by: i32| {
        let sql = format!(
            "update {table} set {n} = {n} + {by} where account = (select min(account::text)::uuid from {table})"
        );
        assert_eq!(run(database, &sql).await, 1);
    };
    add(1).await;
    let found = compare(reads).await;
    let [difference] = &*found.tables[0].differences else { panic!("{found:?}") };
    let number = |row: &Option<String>| {
        let row: serde_json::Value =
            serde_json::from_str(row.as_deref().expect("is there")).expect("is JSON");
        row[n].as_i64().expect("is a number")
    };
    assert_eq!(number(&difference.old) + 1, number(&difference.new));
    add(-1).await;
    assert_eq!(differing(reads, Model::BALANCES).await, 0);
}

#[tokio::test]
async fn version_of_newer_binary_is_not_used() {
    let mut story = lived().await;
    let (reads, database) = story.projected().await;
    let position = reads.store().position(SHARD).await.expect("reads");
    story.tell(fixture::pay(9_000, 5)).await;
    let newer = "insert into projection (shard, name, version, fold, stage, position, generation)
        select shard, name, 9, 9, 'verify', 0, 1000 from projection where name = 'balances'";
    run(&database, newer).await;
    let step = Runner::new(reads.store(), SHARD).step().await;
    assert!(matches!(&step, Err(Error::UnknownFold { fold: 9, .. })), "{step:?}");
    assert_eq!(reads.store().position(SHARD).await.expect("reads"), position);
    // A process that starts to read must not read another table instead.
    run(&database, "update projection set stage = 'active' where version = 9").await;
    let other = Reads::new(database.pg(), Arc::clone(&story.log));
    assert!(matches!(other.versions().install(SHARD).await, Err(Error::UnknownFold { .. })));
    run(&database, "update projection set stage = 'dropped' where version = 9").await;
    project(&reads).await;
    assert_eq!(wrong(&story, &database, "balances_v2", "entries").await, 0);
}
