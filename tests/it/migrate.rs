//! Migrations: applied once, in order, by whoever comes first; a schema that is newer than the binary is left alone.

use daybook_pg::{Error, migrate};
use daybook_tests::database::Database;

/// What refinery keeps its history in.
const HISTORY: &str = "refinery_schema_history";
const HISTORY_TABLE: &str = "create table refinery_schema_history (version int4 primary key, name varchar(255), \
     applied_on varchar(255), checksum varchar(255))";

async fn execute(database: &Database, sql: &str) {
    database
        .pg()
        .client()
        .await
        .expect("a connection")
        .batch_execute(sql)
        .await
        .expect("the statement passes");
}

#[tokio::test]
async fn the_second_run_has_nothing_to_do() {
    let database = Database::empty().await;
    assert!(migrate::run(&database.pg()).await.expect("they pass") >= 3);
    assert_eq!(migrate::run(&database.pg()).await.expect("they pass"), 0);
}

#[tokio::test]
async fn of_runs_at_once_one_migrates_and_the_others_find_it_done() {
    let database = Database::empty().await;
    let (pg, other, third) = (database.pg(), database.pg(), database.pg());
    let applied = tokio::try_join!(migrate::run(&pg), migrate::run(&other), migrate::run(&third));
    let (a, b, c) = applied.expect("all pass");
    let mut applied = [a, b, c];
    applied.sort_unstable();
    assert_eq!(applied[..2], [0, 0]);
    assert!(applied[2] >= 3);
}

#[tokio::test]
async fn a_schema_newer_than_the_binary_is_refused() {
    let database = Database::create().await;
    execute(&database, &format!("insert into {HISTORY} values (999, 'future', '2030-01-01T00:00:00Z', '1')"))
        .await;
    let refused = migrate::run(&database.pg()).await.expect_err("the binary is too old");
    assert!(matches!(refused, Error::Migration(_)));
    let said = refused.to_string();
    assert!(said.contains("V999__future") && said.contains("newer daybook"), "{said}");
}

#[tokio::test]
async fn a_migration_that_was_changed_after_the_fact_is_refused() {
    let database = Database::create().await;
    execute(&database, &format!("update {HISTORY} set checksum = '1' where version = 1")).await;
    let refused = migrate::run(&database.pg()).await.expect_err("the history is not ours");
    assert!(refused.to_string().contains("V1__log"), "{refused}");
}

#[tokio::test]
async fn an_older_schema_is_upgraded() {
    let newest = Database::create().await;
    let client = newest.pg().client().await.expect("a connection");
    let all: i64 =
        client.query_one(&format!("select count(*) from {HISTORY}"), &[]).await.expect("an answer").get(0);
    let first = format!(
        "select format('insert into {HISTORY} values (%s, %L, %L, %L)', version, name, applied_on, checksum) \
         from {HISTORY} where version = 1"
    );
    let record = client.query_one(&first, &[]).await.expect("the first migration is on record");

    let older = Database::empty().await;
    execute(&older, HISTORY_TABLE).await;
    execute(&older, include_str!("../../migrations/V1__log.sql")).await;
    execute(&older, record.get(0)).await;

    let applied = migrate::run(&older.pg()).await.expect("they pass");
    assert_eq!(i64::try_from(applied).expect("a small number"), all - 1);
    execute(&older, "select from platform, vault.subject_key").await;
}
