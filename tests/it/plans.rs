//! Plans of statements: each statement finds its rows by an index, even if the plan was made while tables were empty.

use std::path::{Path, PathBuf};

use daybook_pg::Pg;
use daybook_tests::app::TestApp;

use crate::architecture::sources;

/// Statements that read all rows of a shard or its newest row, or join one row with another.
const ABOUT_ALL: &[&str] = &[
    "access/sql/delete_oauth_keys.sql",
    "access/sql/list_clients.sql",
    "access/sql/count_platforms.sql",
    "postgres/sql/list_shards.sql",
    "postgres/sql/add_shard.sql",
    "webhook/sql/read_backlogs.sql",
    "postgres/sql/fill_tiles.sql",
    // Its index is chosen as soon as there is more than a page of events.
    "postgres/sql/find_event.sql",
    "sql/keep_signing_key.sql",
    "sql/last/drop_parts.sql",
    "sql/last/forget_parts.sql",
    "sql/last/forget_trees.sql",
    "sql/last/read_trees.sql",
    "sql/last/read_unattested.sql",
    "sql/raw_cursors.sql",
    "sql/raw_head.sql",
    "sql/read_ends.sql",
    "sql/read_first_key_at.sql",
    "sql/read_head.sql",
    "sql/read_last_checkpoint.sql",
    "sql/read_last_proved.sql",
    "sql/read_signing_keys.sql",
    "sql/read_tree.sql",
    "cursor/place.sql",
    "holdings/accounts.sql",
    "models/breaks/ages.sql",
    "models/custodies/stated.sql",
    "models/evidence/destroyed.sql",
    "models/ledger/rows.sql",
    "models/members/forget.sql",
    "models/members/list.sql",
    "models/parties/forget.sql",
    "models/nodes/list.sql",
    "models/platforms/clocks.sql",
    "models/subscriptions/ids.sql",
    "rebuild/awaited.sql",
    "rebuild/sweep.sql",
    "comparison/columns.sql",
    "version/list.sql",
    "version/list_of_model.sql",
    "version/save.sql",
    "version/tell.sql",
];

/// Statements about versions of read models that a new database does not have.
const OLDER_VERSIONS: [&str; 5] = [
    "models/balances/save.sql",
    "models/daily/v1/at.sql",
    "models/daily/v1/save.sql",
    "models/entries/v1/insert.sql",
    "models/transactions/v1/save.sql",
];

/// Tables that statements name, and those of a new database; and the number of a type of events, which the program puts
/// in.
const NEWEST: [(&str, &str); 5] = [
    ("balances_v1", "balances_v2"),
    ("transactions_v1", "transactions_v2"),
    ("records_v1", "users_v1"),
    ("entries_v1", "entries_v2"),
    ("<type>", "1"),
];

/// Parts of a plan that show that rows are read without a suitable index.
const IN_VAIN: [&str; 4] = ["Seq Scan", "Join Filter", "Materialize", "Index Cond: (shard = $1)"];

/// Returns the generic plan of a statement, which is valid for any parameters.
async fn plan(pg: &Pg, sql: &str) -> String {
    let parameters = (1..=30).rev().find(|number| sql.contains(&format!("${number}"))).unwrap_or_default();
    let nothing = vec!["null"; parameters].join(", ");
    let values = if parameters == 0 { String::new() } else { format!("({nothing})") };
    let client = pg.client().await.expect("connects");
    client.batch_execute("deallocate all; set plan_cache_mode = force_generic_plan").await.expect("is set");
    client.batch_execute(&format!("prepare asked as {sql}")).await.expect(sql);
    let explained =
        client.query(&format!("explain (costs off) execute asked{values}"), &[]).await.expect(sql);
    let lines: Vec<String> = explained.iter().map(|row| row.get(0)).collect();
    lines.join("\n")
}

/// Returns the lines of `plan` that read rows without a suitable index. The lookup of a shard's own row is exempt.
fn in_vain(plan: &str) -> Vec<&str> {
    let lines: Vec<&str> = plan.lines().map(str::trim).collect();
    let is_shards_own = |index: usize| index > 0 && lines[index - 1].contains("using shard_pkey");
    let suspicious = |line: &str| IN_VAIN.iter().any(|what| line.contains(what));
    // PostgreSQL 17 and later plan the first or last row of a shard like this, for a column that is never null.
    let is_one_row = |index: usize| index > 1 && lines[index - 2].ends_with("Limit");
    let is_fine = |index| is_shards_own(index) || is_one_row(index);
    let found = lines.iter().enumerate().filter(|(index, line)| suspicious(line) && !is_fine(*index));
    found.map(|(_, line)| *line).collect()
}

/// Returns true if a statement is about a version of a read model that a new database does not have.
pub(crate) fn is_of_older_version(path: &Path) -> bool {
    OLDER_VERSIONS.iter().any(|sql| path.ends_with(sql))
}

/// Returns a statement with the tables of a new database, and with a number where the program puts one in.
pub(crate) fn of_new_database(sql: String) -> String {
    NEWEST.iter().fold(sql, |sql, (old, new)| sql.replace(old, new))
}

/// Returns the statements that look up rows, with the table names of the read models of a new database.
fn statements() -> Vec<(PathBuf, String)> {
    let folders = ["log", "projector", "engine", "vault"].map(|name| format!("crates/{name}/src"));
    let looks_for_rows = |(path, sql): &(PathBuf, String)| {
        let begin = sql.lines().find(|line| !line.trim_start().starts_with("--")).unwrap_or_default().trim();
        let is_planned =
            ["select", "insert", "update", "delete", "with"].iter().any(|verb| begin.starts_with(verb));
        // Not checked: templates, and statements with a comparison.
        let is_checked = is_planned && !is_of_older_version(path) && !sql.contains('<');
        is_checked && ABOUT_ALL.iter().all(|all| !path.ends_with(all))
    };
    let all = folders.iter().flat_map(|folder| sources(folder, "sql")).filter(looks_for_rows);
    all.map(|(path, sql)| (path, of_new_database(sql))).collect()
}

#[tokio::test]
async fn statements_find_rows_by_index() {
    let app = TestApp::start().await;
    let pg = app.database.pg();
    let mut wrong = vec![];
    for (path, sql) in statements() {
        let plan = plan(&pg, &sql).await;
        if !in_vain(&plan).is_empty() {
            wrong.push(format!("{}:\n{plan}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    app.stop().await;
}

/// PostgreSQL may analyze a table while it is nearly empty. The choice between its indexes is left to the server.
#[tokio::test]
async fn early_statistics_cause_no_full_joins() {
    let app = TestApp::start().await;
    let pg = app.database.pg();
    let client = app.database.patient_client().await;
    let many = "insert into to_dos_v1
                select 1, 2, now() + interval '1 day', gen_random_uuid(), 1, gen_random_uuid()
                  from generate_series(1, 20000)";
    let mut wrong = vec![];
    for happened in ["vacuum analyze", many, "vacuum analyze"] {
        client.batch_execute(happened).await.expect(happened);
        for (path, sql) in statements() {
            let plan = plan(&pg, &sql).await;
            // The eraser role may not even read the position of a row (ctid), so this statement needs a join.
            let is_erasing = path.ends_with("vault/src/sql/delete_keys.sql");
            if plan.contains("Join Filter") && !is_erasing {
                wrong.push(format!("{} after {happened:?}:\n{plan}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    app.stop().await;
}
