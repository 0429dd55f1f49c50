//! Plans of statements: what is looked for is found by an index, also where the plan was made before there was anything.

use daybook_pg::Pg;
use daybook_tests::app::TestApp;

use crate::architecture::sources;

/// Statements that are about all rows of a shard, about its newest, or join one row with another.
const ABOUT_ALL: &[&str] = &[
    "access/sql/delete_oauth_keys.sql",
    "webhook/sql/read_backlogs.sql",
    "postgres/sql/fill_tiles.sql",
    // Its index is found as soon as there is more than a page of events.
    "postgres/sql/find_event.sql",
    "sql/last/drop_parts.sql",
    "sql/last/forget_parts.sql",
    "sql/last/forget_trees.sql",
    "sql/last/read_trees.sql",
    "sql/last/read_unattested.sql",
    "sql/raw_cursors.sql",
    "sql/raw_head.sql",
    "sql/read_ends.sql",
    "sql/read_head.sql",
    "sql/read_last_checkpoint.sql",
    "sql/read_last_proved.sql",
    "sql/read_signing_keys.sql",
    "sql/read_tree.sql",
    "src/cursor/place.sql",
    "src/holdings/accounts.sql",
    "read/ledger/rows.sql",
    "read/members/forget.sql",
    "read/members/list.sql",
    "read/nodes/list.sql",
    "read/platforms/clocks.sql",
    "read/subscriptions/ids.sql",
    "rebuild/awaited.sql",
    "rebuild/compare/columns.sql",
    "version/list.sql",
    "version/save.sql",
    "version/tell.sql",
];

/// What a plan says that looks at rows in vain.
const IN_VAIN: [&str; 4] = ["Seq Scan", "Join Filter", "Materialize", "Index Cond: (shard = $1)"];

/// The plan of a statement for whatever it is asked later.
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

/// Lines of `plan` that look at rows in vain; the shard's own row is found by the shard.
fn in_vain(plan: &str) -> Vec<&str> {
    let lines: Vec<&str> = plan.lines().map(str::trim).collect();
    let is_shards_own = |index: usize| index > 0 && lines[index - 1].contains("using shard_pkey");
    let suspicious = |line: &str| IN_VAIN.iter().any(|what| line.contains(what));
    let found = lines.iter().enumerate().filter(|(index, line)| suspicious(line) && !is_shards_own(*index));
    found.map(|(_, line)| *line).collect()
}

#[tokio::test]
async fn every_row_is_found_by_an_index_though_tables_were_empty_when_it_was_planned() {
    let app = TestApp::start().await;
    let pg = app.database.pg();
    let mut wrong = vec![];
    let folders = ["log", "projector", "engine", "vault"].map(|name| format!("crates/{name}/src"));
    for (path, sql) in folders.iter().flat_map(|folder| sources(folder, "sql")) {
        let begin = sql.lines().find(|line| !line.trim_start().starts_with("--")).unwrap_or_default().trim();
        let is_planned =
            ["select", "insert", "update", "delete", "with"].iter().any(|verb| begin.starts_with(verb));
        // Versions of read models that this database has not, and text that the program completes.
        let is_older =
            ["read/balances/save.sql", "read/entries/v1/insert.sql", "read/transactions/v1/save.sql"]
                .iter()
                .any(|sql| path.ends_with(sql));
        let is_elsewhere = is_older || sql.contains('<');
        if !is_planned || is_elsewhere || ABOUT_ALL.iter().any(|all| path.ends_with(all)) {
            continue;
        }
        // The tables of these read models in a new database.
        let newest = sql.replace("balances_v1", "balances_v2").replace("members_v1", "members_v2");
        let plan = plan(&pg, &newest).await;
        if !in_vain(&plan).is_empty() {
            wrong.push(format!("{}:\n{plan}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    app.stop().await;
}

#[tokio::test]
async fn what_is_due_is_found_by_an_index_however_much_waits() {
    let app = TestApp::start().await;
    let pg = app.database.pg();
    // As the server comes to know them: it looked at the table while it was nearly empty, then again.
    let waits = "insert into to_dos_v1
                 select 1, 2, now() + interval '1 day', gen_random_uuid(), 1, gen_random_uuid()
                   from generate_series(1, 20000)";
    let client = pg.client().await.expect("connects");
    for happens in ["vacuum analyze to_dos_v1", waits, "vacuum analyze to_dos_v1"] {
        client.batch_execute(happens).await.expect(happens);
        for (path, sql) in sources("crates/projector/src/read/to_dos", "sql") {
            if !sql.contains("create table") {
                let plan = plan(&pg, &sql).await;
                assert_eq!(in_vain(&plan), Vec::<&str>::new(), "{}:\n{plan}", path.display());
            }
        }
    }
    app.stop().await;
}
