//! Every statement touches one shard: `shard = $1` holds for each table in it, also in sub-selects and for the target
//! of an update. A distributed engine runs such a statement as one task on one host.
//!
//! The oracle needs no such engine: each table with a shard is partitioned by it, and a plan with the parameters of
//! shard 1 must not name a partition of shard 2.

use std::path::{Path, PathBuf};

use daybook_tests::app::TestApp;
use tokio_postgres::Client;

use crate::architecture::{root, sources};
use crate::plans::{is_of_older_version, of_new_database};

/// Statements of several shards on purpose, and of the catalog.
const EXEMPT: [&str; 9] = [
    // The list of shards, to which an operator's command adds one.
    "postgres/sql/list_shards.sql",
    "postgres/sql/lock_shards.sql",
    "postgres/sql/add_shard.sql",
    // Platforms and states of shards are global.
    "shard/sql/named_shards.sql",
    // All shards are what it checks.
    "reconcile/sql/shard.sql",
    // A number of a version means one fold in every shard, and an operator's command chooses it.
    "store/version/list_of_model.sql",
    // The catalog.
    "store/version/is_there.sql",
    "comparison/columns.sql",
    "subject/sql/uuid_columns.sql",
];

/// Folders with statements.
const FOLDERS: [&str; 5] = ["log", "projector", "engine", "vault", "cli"];

/// Tables that have a shard. The table of platforms is global: its column says where a platform is.
const TABLES: &str = "
    select c.oid::regclass::text as name
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'shard' and not a.attisdropped
     where c.relkind = 'r' and c.relname not in ('platform', 'shard_state') and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
     order by 1";

/// Unique indexes of a table, as columns; with the predicate of a partial one left out, as it may not have one here.
const UNIQUE: &str = "
    select (select string_agg(quote_ident(a.attname), ', ' order by k.n)
              from unnest(i.indkey::smallint[]) with ordinality k(attnum, n)
              join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum) as columns
      from pg_index i
     where i.indrelid = $1::text::regclass and i.indisunique and i.indpred is null";

/// Partitions every table that has a shard: what there is becomes the partition of shard 1.
async fn partition(client: &Client) {
    for row in client.query(TABLES, &[]).await.expect("tables") {
        let name: String = row.get("name");
        let unique = client.query(UNIQUE, &[&name]).await.expect(&name);
        let short = name.rsplit('.').next().unwrap_or(&name).to_owned();
        let (one, two) = (format!("{name}_shard_1"), format!("{name}_shard_2"));
        let sql = format!(
            "alter table {name} rename to {short}_shard_1;
             create table {two} (like {one} including all);
             create table {name} (like {one} including defaults) partition by list (shard);
             alter table {name} attach partition {one} for values in (1);
             alter table {name} attach partition {two} for values in (2);"
        );
        let indexes = unique
            .iter()
            .map(|row| format!("create unique index on {name} ({});", row.get::<_, String>("columns")));
        let sql = indexes.fold(sql, |sql, index| sql + &index);
        client.batch_execute(&sql).await.unwrap_or_else(|error| panic!("{name}: {error:?}"));
    }
}

/// A literal of a type of PostgreSQL, of shard 1 where it is a number.
fn literal(kind: &str) -> String {
    if let Some(of) = kind.strip_suffix("[]") {
        return format!("array[{}]::{kind}", literal(of));
    }
    let value = match kind {
        "smallint" | "integer" | "bigint" | "numeric" => "1",
        "uuid" => "'00000000-0000-0000-0000-000000000001'",
        "boolean" => "true",
        "date" => "'2026-03-01'",
        "timestamp with time zone" => "'2026-03-01 12:00Z'",
        "json" | "jsonb" => "'{}'",
        _ => "''",
    };
    format!("{value}::{kind}")
}

/// Plan of a statement with the parameters of shard 1.
async fn plan(client: &Client, sql: &str) -> Result<String, tokio_postgres::Error> {
    client.batch_execute("deallocate all").await?;
    client.batch_execute(&format!("prepare asked as {sql}")).await?;
    let types = "select unnest(parameter_types)::text from pg_prepared_statements where name = 'asked'";
    let types = client.query(types, &[]).await?;
    let values: Vec<_> = types.iter().map(|row| literal(row.get(0))).collect();
    let values = if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
    let lines = client.query(&format!("explain (costs off) execute asked{values}"), &[]).await?;
    Ok(lines.iter().map(|row| row.get::<_, String>(0)).collect::<Vec<_>>().join("\n"))
}

fn first_word(sql: &str) -> &str {
    let first = sql.lines().find(|line| !line.trim_start().starts_with("--") && !line.trim().is_empty());
    first.and_then(|line| line.split_whitespace().next()).unwrap_or_default()
}

/// Statements that read or write rows, with the names of the tables of a new database.
fn statements() -> Vec<(PathBuf, String)> {
    let all = FOLDERS.iter().flat_map(|name| sources(&format!("crates/{name}/src"), "sql"));
    let is_checked = |(path, sql): &(PathBuf, String)| {
        let path = path.strip_prefix(root()).unwrap_or(path).display().to_string();
        let is_of_rows = ["select", "insert", "update", "delete", "with"].contains(&first_word(sql));
        is_of_rows
            && !is_of_older_version(Path::new(&path))
            && EXEMPT.iter().all(|exempt| !path.contains(exempt))
    };
    all.filter(is_checked).map(|(path, sql)| (path, of_new_database(sql))).collect()
}

fn told(path: &Path, what: &str) -> String {
    format!("{}:\n{what}", path.strip_prefix(root()).unwrap_or(path).display())
}

#[tokio::test]
async fn statement_plans_touch_one_shard() {
    let app = TestApp::start().await;
    let client = app.database.patient_client().await;
    partition(&client).await;
    client
        .batch_execute("set plan_cache_mode = force_custom_plan; set enable_seqscan = on")
        .await
        .expect("is set");
    let mut wrong = vec![];
    for (path, sql) in statements() {
        match plan(&client, &sql).await {
            Ok(plan) if plan.contains("_shard_2") => wrong.push(told(&path, &plan)),
            Ok(_) => {}
            Err(error) => wrong.push(told(&path, &format!("{error:?}"))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// In a WITH before INSERT the distributed table keeps its own name inside the task of Citus, which it does not have
/// there.
#[test]
fn inserts_begin_without_with() {
    let all = FOLDERS.iter().flat_map(|name| sources(&format!("crates/{name}/src"), "sql"));
    let inserts_late = |sql: &str| first_word(sql) == "with" && sql.contains("\ninsert into");
    let wrong: Vec<_> = all.filter(|(_, sql)| inserts_late(sql)).map(|(path, _)| path).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}
