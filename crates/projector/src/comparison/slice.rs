//! A slice: the rows with keys in one range, counted and digested in both versions at one position.

use std::fmt::Write as _;

use daybook_log::Shard;
use daybook_pg::Client;
use tokio_postgres::types::ToSql;

use super::Compared;
use super::table::Table;
use crate::error::Error;
use crate::store::sql;

/// Number of rows of the old version in a slice.
const ROWS_PER_SLICE: i64 = 10_000;

/// A key, each of its columns as text.
type Key = Vec<String>;

/// A row that differs between the versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The row of the active version as JSON; none if only the other version has the row.
    pub old: Option<String>,
    /// The row of the other version as JSON; none if it lacks the row.
    pub new: Option<String>,
}

/// End of a slice, and the position of its comparison.
pub(super) struct Slice {
    /// Last key of the slice; none if it was the last slice.
    pub(super) end: Option<Key>,
    /// Position of the log at which the slice was read.
    pub(super) position: u64,
}

/// Compares the slice after the key `after`, and adds the result to `found`.
pub(super) async fn compare(
    db: &Client,
    shard: Shard,
    table: &Table,
    after: Option<Key>,
    limit: u64,
    found: &mut Compared,
) -> Result<Slice, Error> {
    let end = end_of(db, shard, table, after.as_ref()).await?;
    let bounds: Vec<&Key> = after.iter().chain(&end).collect();
    let mut params: Vec<&(dyn ToSql + Sync)> = vec![&shard];
    params.extend(bounds.iter().flat_map(|key| key.iter()).map(|part| part as &(dyn ToSql + Sync)));
    let sides = sides(table, after.is_some(), end.is_some());
    let digests = db.prepare_cached(&format!("{sides}{}", digests(table))).await?;
    let row = db.query_one(&digests, &params).await?;
    let [old, new] = [row.try_get(1)?, row.try_get(2)?].map(sql::to_u64);
    let (old_digest, new_digest): (&str, &str) = (row.try_get(3)?, row.try_get(4)?);
    found.rows = (found.rows.0 + old, found.rows.1 + new);
    found.slices.0 += 1;
    if (old, old_digest) != (new, new_digest) {
        found.slices.1 += 1;
        let rows = db.prepare_cached(&format!("{sides}{}", differences(table))).await?;
        let left = limit.saturating_sub(found.differences.len() as u64);
        for (n, row) in db.query(&rows, &params).await?.iter().enumerate() {
            found.differing += 1;
            if (n as u64) < left {
                found.differences.push(Difference { old: row.try_get(0)?, new: row.try_get(1)? });
            }
        }
    }
    Ok(Slice { end, position: sql::to_u64(row.try_get(0)?) })
}

/// Returns the key of the last row of the slice after `after`; none if the old version ends within the slice.
async fn end_of(db: &Client, shard: Shard, table: &Table, after: Option<&Key>) -> Result<Option<Key>, Error> {
    let names: Vec<_> = table.key.iter().map(|(name, _)| name.as_str()).collect();
    let texts: Vec<_> = names.iter().map(|name| format!("{name}::text")).collect();
    let (names, texts, from) = (names.join(", "), texts.join(", "), &table.versions[0]);
    let behind =
        if after.is_some() { format!(" and ({names}) > ({})", bound(table, 3)) } else { String::new() };
    // The order is applied in the inner query: it is that of the key, not of its texts.
    let text = format!(
        "select {texts}
           from (select {names} from {from} where shard = $1{behind} order by {names}
                 offset $2::bigint - 1 limit 1) last"
    );
    let mut params: Vec<&(dyn ToSql + Sync)> = vec![&shard, &ROWS_PER_SLICE];
    params.extend(after.into_iter().flatten().map(|part| part as &(dyn ToSql + Sync)));
    let statement = db.prepare_cached(&text).await?;
    let row = db.query_opt(&statement, &params).await?;
    row.map(|row| (0..table.key.len()).map(|column| Ok(row.try_get(column)?)).collect()).transpose()
}

/// Returns the parameters of a key; the first one has the number `first`.
fn bound(table: &Table, first: usize) -> String {
    let part = |(n, (_, r#type)): (usize, &(String, String))| format!("(${}::text)::{type}", first + n);
    table.key.iter().enumerate().map(part).collect::<Vec<_>>().join(", ")
}

/// Returns the common table expressions `a` and `b`: the slice of the old and of the new version.
fn sides(table: &Table, has_begin: bool, has_end: bool) -> String {
    let names: Vec<_> = table.key.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(", ");
    let mut range = String::from("shard = $1");
    let mut next = 2;
    for (is_bounded, compare) in [(has_begin, ">"), (has_end, "<=")] {
        if is_bounded {
            // Writing to a String cannot fail.
            let _ = write!(range, " and ({names}) {compare} ({})", bound(table, next));
            next += table.key.len();
        }
    }
    let columns = |side: usize| {
        let column = |(from, name): &(String, String)| {
            if side == 0 { format!("{from} as {name}") } else { name.clone() }
        };
        table.columns.iter().map(column).collect::<Vec<_>>().join(", ")
    };
    let [old, new] = &table.versions;
    format!(
        "with a as (select {} from {old} where {range}),
              b as (select {} from {new} where {range})
         ",
        columns(0),
        columns(1)
    )
}

/// Returns the statement that counts and digests both sides. The digests do not depend on the order of the rows: they
/// are the sums of the hashes of the rows and of each column of integers.
fn digests(table: &Table) -> String {
    let digest = |side: &str| {
        let sums = table.numbers.iter().map(|name| format!(" || ' ' || coalesce(sum({name}), 0)"));
        let hashes = format!("coalesce(sum(hashtextextended({side}::text, 0)), 0)::text");
        format!("(select {hashes}{} from {side})", sums.collect::<String>())
    };
    format!(
        "select (select position from cursor where shard = $1 and name = 'reads'),
                (select count(*) from a), (select count(*) from b), {}, {}",
        digest("a"),
        digest("b")
    )
}

/// Returns the statement that selects the differing rows, in the order of their keys.
fn differences(table: &Table) -> String {
    let names: Vec<_> = table.key.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(", ");
    format!(
        "select case when a.shard is not null then row_to_json(a)::text end,
                case when b.shard is not null then row_to_json(b)::text end
           from a full join b using ({names})
          where a::text is distinct from b::text
          order by {names}"
    )
}
