//! Damage: any change of a table behind the service's back is found by a comparison, and the row is named.

use daybook_projector::{Difference, Model};
use daybook_random::Random;
use daybook_tests::database::Database;
use tokio_postgres::Client;

use super::{build, lived};
use crate::read_models::story::SHARD;

/// Number of attempts for each kind of damage.
const ITERATIONS: usize = 200;

/// A table with its key columns without the shard, all columns with their types, and its number of rows.
struct Table {
    name: String,
    model: Model,
    key: Vec<String>,
    columns: Vec<(String, String)>,
    rows: usize,
}

const COLUMNS: &str = "
    select a.attname::text, format_type(a.atttypid, a.atttypmod), i.indkey::int2[] @> array[a.attnum]
      from pg_attribute a join pg_index i on i.indexrelid = ($1 || '_pkey')::regclass
     where a.attrelid = $1::text::regclass and a.attnum > 0 and not a.attisdropped";

async fn tables(client: &Client) -> Vec<Table> {
    let mut tables = vec![];
    let all = Model::ALL.iter().flat_map(|model| model.tables().iter().map(|name| (*model, *name)));
    // Only a rebuild fills this table, for its own use.
    for (model, name) in all.filter(|(_, name)| *name != "lasts") {
        let name = format!("{name}_v{}", model.fold());
        let rows: i64 =
            client.query_one(&format!("select count(*) from {name}"), &[]).await.expect("counts").get(0);
        let described = client.query(COLUMNS, &[&name]).await.expect("describes");
        let column = |row: &tokio_postgres::Row| (row.get(0), row.get(1));
        let columns: Vec<(String, String)> = described.iter().map(column).collect();
        let key = described.iter().filter(|row| row.get(2)).map(|row| row.get(0));
        let key = key.filter(|name: &String| name != "shard").collect();
        client.batch_execute(&format!("create table saved_{name} as table {name}")).await.expect("saves");
        tables.push(Table { name, model, key, columns, rows: usize::try_from(rows).expect("few") });
    }
    assert_eq!(
        tables.iter().filter(|table| table.rows == 0).map(|table| &*table.name).collect::<Vec<_>>(),
        [""; 0]
    );
    tables
}

/// Returns an SQL expression for a different value of a column.
fn other(name: &str, r#type: &str) -> String {
    match r#type {
        "smallint" => format!("{name} + 1007"),
        "integer" | "bigint" | "numeric" => format!("coalesce({name}, 0) + 1000003"),
        "text" => format!("{name} || ' '"),
        "boolean" => format!("not {name}"),
        "uuid" => "gen_random_uuid()".to_owned(),
        "timestamp with time zone" => format!("coalesce({name}, '2000-01-01') + interval '1 ms'"),
        other => panic!("no other value of type {other}"),
    }
}

/// Returns a condition that selects one row, picked by `random`.
fn place(table: &Table, random: &mut Random) -> String {
    let row = random.below(table.rows);
    format!("ctid = (select ctid from {0} order by ctid offset {row} limit 1)", table.name)
}

async fn damaged(
    kind: &str,
    damage: impl Fn(&Table, &mut Random) -> String,
    is_it: impl Fn(&[Difference]) -> bool,
) {
    let story = lived().await;
    let (reads, database): (_, Database) = story.projected().await;
    for model in Model::ALL {
        build(&reads, model).await;
    }
    let client = database.pg().client().await.expect("connects");
    let tables = tables(&client).await;
    let mut random = Random::of_test(kind);
    for attempt in 0..ITERATIONS {
        let table = &tables[random.below(tables.len())];
        let sql = damage(table, &mut random);
        assert_eq!(client.execute(&sql, &[]).await.expect(&sql), 1, "{sql}");
        let found = reads.comparisons().compare(SHARD, table.model, 10, |_| {}).await.expect("compares");
        let version = table.model.fold();
        let here = found.tables.iter().find(|found| table.name == format!("{}_v{version}", found.table));
        let differences = &here.expect("is compared").differences;
        assert_eq!(found.differing(), differences.len() as u64, "elsewhere: {sql}");
        assert!(is_it(differences), "{kind}, attempt {attempt}: {sql}: {differences:?}");
        // After the repair the comparison finds no difference.
        let Table { name, .. } = table;
        let undo = format!("truncate {name}; insert into {name} select * from saved_{name}");
        client.batch_execute(&undo).await.expect("puts it right");
    }
    for model in Model::ALL {
        assert_eq!(super::differing(&reads, model).await, 0, "{model}");
    }
}

#[tokio::test]
async fn changed_column_value_is_found() {
    let damage = |table: &Table, random: &mut Random| {
        let column = random.below(table.columns.len());
        let (name, r#type) = &table.columns[column];
        // The shard is not changed: another shard is another database.
        let last = &table.columns[table.columns.len() - 1];
        let (name, r#type) = if name == "shard" { (&last.0, &last.1) } else { (name, r#type) };
        format!("update {} set {name} = {} where {}", table.name, other(name, r#type), place(table, random))
    };
    damaged("changed", damage, |found| match found {
        [Difference { old: Some(old), new: Some(new) }] => old != new,
        // If the key is changed, one row is missing and another is surplus.
        [one, two] => one.old.is_some() == two.new.is_some() && one.new.is_some() == two.old.is_some(),
        _ => false,
    })
    .await;
}

#[tokio::test]
async fn deleted_row_is_found() {
    let damage = |table: &Table, random: &mut Random| {
        format!("delete from {} where {}", table.name, place(table, random))
    };
    damaged("deleted", damage, |found| matches!(found, [Difference { old: None, new: Some(_) }])).await;
}

#[tokio::test]
async fn surplus_row_is_found() {
    let damage = |table: &Table, random: &mut Random| {
        let value = |(name, r#type): &(String, String)| {
            // A new key, and new values for columns under a further unique index.
            let is_own = *name == table.key[0] || ["position", "file"].contains(&name.as_str());
            if is_own { other(name, r#type) } else { name.clone() }
        };
        let values: Vec<String> = table.columns.iter().map(value).collect();
        format!(
            "insert into {0} select {1} from {0} where {2}",
            table.name,
            values.join(", "),
            place(table, random)
        )
    };
    damaged("surplus", damage, |found| matches!(found, [Difference { old: Some(_), new: None }])).await;
}
