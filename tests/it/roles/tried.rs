//! Every role, table and privilege: the catalog agrees with the matrix, and so does the result of trying it.

use std::collections::BTreeMap;

use daybook_pg::{Pg, Role};
use daybook_tests::app::TestApp;
use daybook_tests::database::Database;

use super::DENIED;
use super::matrix::{TableBounds, VERBS, may, right, tables};

/// Returns every table, view and sequence with its columns. A new one that is not in the matrix fails the test.
const COLUMNS: &str = "select n.nspname || '.' || c.relname, a.attname::text
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
    order by c.oid, a.attnum";

/// Starts and stops a service on `database`, which creates the read models. Returns all tables with their columns.
async fn tables_of(database: &Database) -> BTreeMap<String, Vec<String>> {
    let app = TestApp::start_on(database.clone(), database.pg(), std::time::Duration::from_secs(1)).await;
    app.stop().await;
    let client = database.pg().client().await.expect("connects");
    let mut found = BTreeMap::<String, Vec<String>>::new();
    for row in client.query(COLUMNS, &[]).await.expect("reads") {
        found.entry(row.get(0)).or_default().push(row.get(1));
    }
    assert!(found.contains_key("public.users_v1") && found.len() > tables().len() + 15, "{:?}", found.keys());
    for table in tables() {
        assert!(found.contains_key(table), "{table} is in the matrix and not in the database");
    }
    found
}

/// Returns the boolean result of a statement with one row and one column.
async fn says(client: &tokio_postgres::Client, sql: &str) -> bool {
    client.query_one(sql, &[]).await.expect(sql).get(0)
}

#[tokio::test]
async fn catalog_agrees_with_matrix() {
    let database = Database::create().await;
    let tables = tables_of(&database).await;
    let client = database.pg().dedicated().await.expect("connects");
    // A role without own grants has the rights of PUBLIC, which must be none.
    let nobody = client.query_one("select 'nobody_' || current_database()", &[]).await.expect("names");
    let nobody: String = nobody.get(0);
    client.batch_execute(&format!("create role {nobody}")).await.expect("makes it");
    let roles = Role::ALL.map(|role| (role.name(), Some(role)));
    let roles = roles.iter().copied().chain([(nobody.as_str(), None)]);
    for (name, role) in roles.clone() {
        for (table, columns) in &tables {
            for (verb, letter) in VERBS {
                let expected = role.map_or(TableBounds::Nothing, |role| right(table, role, letter));
                let has =
                    says(&client, &format!("select has_table_privilege('{name}', '{table}', '{verb}')"))
                        .await;
                assert_eq!(has, expected == TableBounds::All, "{name}: {verb} on {table}");
                if verb == "DELETE" || verb == "TRUNCATE" {
                    continue;
                }
                for column in columns {
                    let sql =
                        format!("select has_column_privilege('{name}', '{table}', '{column}', '{verb}')");
                    let has = says(&client, &sql).await;
                    assert_eq!(has, expected.has(column), "{name}: {verb} of {column} on {table}");
                }
            }
            for verb in ["REFERENCES", "TRIGGER"] {
                let has =
                    says(&client, &format!("select has_table_privilege('{name}', '{table}', '{verb}')"))
                        .await;
                let owns = role.is_some_and(|role| right(table, role, 'T') == TableBounds::All);
                assert_eq!(has, owns, "{name}: {verb} on {table}");
            }
        }
        for schema in ["public", "vault"] {
            for (verb, letter) in [("USAGE", 'U'), ("CREATE", 'C')] {
                let has =
                    says(&client, &format!("select has_schema_privilege('{name}', '{schema}', '{verb}')"))
                        .await;
                assert_eq!(
                    has,
                    role.is_some_and(|role| may(schema, role, letter)),
                    "{name}: {verb} on {schema}"
                );
            }
        }
        let functions = "select p.oid::regprocedure::text from pg_proc p
            where p.pronamespace in ('public'::regnamespace, 'vault'::regnamespace)";
        let functions = client.query(functions, &[]).await.expect("reads");
        assert_eq!(functions.len(), 3);
        for row in functions {
            let function: &str = row.get(0);
            let sql = format!("select has_function_privilege('{name}', '{function}', 'EXECUTE')");
            assert_eq!(says(&client, &sql).await, role == Some(Role::Owner), "{name}: {function}");
        }
    }
    client.batch_execute(&format!("drop role {nobody}")).await.expect("had nothing");
}

/// Returns true if the statement passed or failed for a reason other than missing rights. Always rolls back.
async fn is_allowed(client: &tokio_postgres::Client, sql: &str) -> bool {
    client.batch_execute("begin").await.expect("begins");
    let done = client.batch_execute(sql).await;
    client.batch_execute("rollback").await.expect("ends");
    let Err(error) = done else { return true };
    let error = error.as_db_error().expect("the database says it");
    // The trigger that refuses a change runs only after the check of rights passed.
    error.code().code() != DENIED || error.message().ends_with(" is append-only")
}

#[tokio::test]
async fn tried_statements_agree_with_matrix() {
    let database = Database::create().await;
    let tables = tables_of(&database).await;
    for role in Role::ALL {
        let pg: Pg = database.pg().acting_as(role);
        let client = pg.dedicated().await.expect("connects");
        let who = client.query_one("select current_user::text", &[]).await.expect("reads");
        assert_eq!(who.get::<_, &str>(0), role.name());
        for (table, columns) in &tables {
            let mut tries = vec![
                ('S', format!("select * from {table} limit 0"), None),
                ('I', format!("insert into {table} default values"), None),
                ('D', format!("delete from {table} where false"), None),
                ('T', format!("truncate {table}"), None),
            ];
            for column in columns {
                tries.push(('S', format!("select {column} from {table} limit 0"), Some(column)));
                tries.push(('U', format!("update {table} set {column} = null where false"), Some(column)));
            }
            for (letter, sql, column) in tries {
                let expected = right(table, role, letter);
                let expected = column.map_or(expected == TableBounds::All, |column| expected.has(column));
                assert_eq!(is_allowed(&client, &sql).await, expected, "{role}: {sql}");
            }
        }
        for schema in ["public", "vault"] {
            let sql = format!("create table {schema}.tried (n int)");
            assert_eq!(is_allowed(&client, &sql).await, may(schema, role, 'C'), "{role}: {sql}");
        }
        for function in ["refuse_change", "refuse_change_but_proof"] {
            let sql = format!("select {function}()");
            assert_eq!(is_allowed(&client, &sql).await, role == Role::Owner, "{role}: {sql}");
        }
    }
}
