//! Migrations are applied once and in order, by the first process. A schema newer than the binary is refused.

use daybook_pg::{Error, migrate};
use daybook_tests::client::until;
use daybook_tests::database::Database;

/// Name of the table in which refinery records the applied migrations.
const HISTORY: &str = "refinery_schema_history";
const HISTORY_TABLE: &str = "create table refinery_schema_history (version int4 primary key, name varchar(255), \
     applied_on varchar(255), checksum varchar(255))";

#[tokio::test]
async fn second_run_applies_no_migration() {
    let database = Database::empty().await;
    assert!(migrate::run(&database.pg()).await.expect("they pass") >= 3);
    assert_eq!(migrate::run(&database.pg()).await.expect("they pass"), 0);
}

#[tokio::test]
async fn one_of_concurrent_runs_migrates() {
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
async fn schema_newer_than_binary_is_refused() {
    let database = Database::create().await;
    database
        .execute(&format!("insert into {HISTORY} values (999, 'future', '2030-01-01T00:00:00Z', '1')"))
        .await;
    let refused = migrate::run(&database.pg()).await.expect_err("the binary is too old");
    assert!(matches!(refused, Error::Migration(_)));
    let said = refused.to_string();
    assert!(said.contains("V999__future") && said.contains("newer daybook"), "{said}");
}

#[tokio::test]
async fn migration_changed_after_release_is_refused() {
    let database = Database::create().await;
    database.execute(&format!("update {HISTORY} set checksum = '1' where version = 1")).await;
    let refused = migrate::run(&database.pg()).await.expect_err("the history is not ours");
    assert!(refused.to_string().contains("V1__log"), "{refused}");
}

/// Returns a database that has only the first migration, and the number of all migrations.
async fn of_the_first_version() -> (Database, i64) {
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
    older.execute(HISTORY_TABLE).await;
    older.execute(include_str!("../../migrations/V1__log.sql")).await;
    older.execute(record.get(0)).await;
    (older, all)
}

#[tokio::test]
async fn older_schema_is_upgraded() {
    let (older, all) = of_the_first_version().await;
    let applied = migrate::run(&older.pg()).await.expect("they pass");
    assert_eq!(i64::try_from(applied).expect("a small number"), all - 1);
    older.execute("select from platform, vault.subject_key").await;
}

#[tokio::test]
async fn migration_without_lock_yields_and_retries() {
    let (older, all) = of_the_first_version().await;
    let (reader, writer) = (older.pg().client().await, older.pg().client().await);
    let (reader, writer) = (reader.expect("a connection"), writer.expect("a connection"));
    // A database dump takes the same lock on the table.
    reader.batch_execute("begin; select from commit").await.expect("nobody holds it");
    let pg = older.pg();
    let migrating = tokio::spawn(async move { migrate::run(&pg).await });
    let waiting = "select from pg_locks where not granted and relation = 'commit'::regclass";
    for _ in 0..2 {
        let waits = async || reader.query_opt(waiting, &[]).await.expect("one waits at most");
        until("the migration waits", waits).await;
        let append = "set lock_timeout = '1s'; begin; lock table commit in row exclusive mode; commit";
        writer.batch_execute(append).await.expect("a second is long enough");
    }
    reader.batch_execute("commit").await.expect("it has only read");
    let applied = migrating.await.expect("no panic").expect("they pass");
    assert_eq!(i64::try_from(applied).expect("a small number"), all - 1);
}

/// Statements that a migration may not contain: they rewrite or scan every row of a table in use, or remove a column
/// or table that a process of the previous release still reads.
const HOLDS_UP: [&str; 9] = [
    " rename ",
    "drop column",
    "drop table",
    "alter column",
    "truncate table",
    "lock table",
    "vacuum",
    "cluster ",
    "reindex",
];
/// Number of the last migration that is exempt from [`HOLDS_UP`], because it is older than the rule.
const NOT_YET: i32 = 17;

#[test]
fn new_migrations_only_expand_the_schema() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations");
    for file in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let name = file.file_name().into_string().expect("a name in ASCII");
        let version =
            name.split_once("__").and_then(|(version, _)| version.strip_prefix('V')?.parse::<i32>().ok());
        if version.expect("a file is called V<number>__<name>.sql") <= NOT_YET {
            continue;
        }
        let text = std::fs::read_to_string(file.path()).expect("the file can be read").to_lowercase();
        let code: Vec<&str> = text.lines().map(|line| line.split("--").next().unwrap_or_default()).collect();
        let code = code.join("\n");
        for statement in HOLDS_UP {
            assert!(!code.contains(statement), "{name}: {statement}");
        }
        let code = code.replace("create unique index", "create index");
        for index in code.split("create index").skip(1) {
            let table = index.split(" on ").nth(1).and_then(|rest| rest.split([' ', '(']).next());
            let table = table.expect("an index is on a table");
            let is_new = code.contains(&format!("create table {table} "));
            assert!(is_new, "{name}: appends wait for an index on {table}");
        }
    }
}
