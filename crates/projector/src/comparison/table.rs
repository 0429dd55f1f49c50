//! The columns of a table that are compared. They are read from the database's catalog, so that none is forgotten.

use daybook_pg::Client;

use super::Compared;
use crate::error::Error;
use crate::store::version::Version;

/// A column, as the catalog describes it.
struct Column {
    name: String,
    r#type: String,
    is_key: bool,
}

/// One table in two versions.
pub(super) struct Table {
    name: &'static str,
    /// The old and the new version: names of tables, or subqueries on them.
    pub(super) versions: [String; 2],
    /// Columns of the key without the shard, with their types.
    pub(super) key: Vec<(String, String)>,
    /// Expression over the columns of the old version, and name of the column in the new version.
    pub(super) columns: Vec<(String, String)>,
    /// Names of the columns that are integers. Their sums are compared as well.
    pub(super) numbers: Vec<String>,
    pub(super) skipped: Vec<String>,
}

impl Table {
    /// Reads the columns that `old` and `new` have in common in the table `name`.
    pub(super) async fn describe(
        db: &Client,
        name: &'static str,
        old: &Version,
        new: &Version,
    ) -> Result<Self, Error> {
        let versions = [old, new].map(|version| format!("{name}_v{}", version.number));
        let (before, after) = (columns(db, &versions[0]).await?, columns(db, &versions[1]).await?);
        let reshaped = (new.model.definition().reshaped)(old.fold, new.fold);
        let (mut shared, mut skipped, mut numbers) = (vec![], vec![], vec![]);
        for Column { name, r#type, .. } in &after {
            let same = before.iter().any(|old| old.name == *name && old.r#type == *r#type);
            let from = reshaped.iter().find(|(column, _)| column == name).map(|(_, old)| *old);
            match from.or(same.then_some(name.as_str())) {
                Some(from) => {
                    shared.push((from.to_owned(), name.clone()));
                    if matches!(r#type.as_str(), "bigint" | "integer" | "numeric") {
                        numbers.push(name.clone());
                    }
                }
                None => skipped.push(name.clone()),
            }
        }
        let is_used = |old: &Column| shared.iter().any(|(from, _)| words(from).any(|word| word == old.name));
        skipped.extend(before.iter().filter(|old| !is_used(old)).map(|old| old.name.clone()));
        let versions = match (new.model.definition().compared)(name, old.fold, new.fold) {
            Some(rows) => versions.map(|table| format!("(select * from {table} where {rows}) {table}")),
            None => versions,
        };
        let key = after.into_iter().filter(|column| column.is_key && column.name != "shard");
        let key = key.map(|column| (column.name, column.r#type)).collect();
        Ok(Self { name, versions, key, columns: shared, numbers, skipped })
    }

    /// Returns the result of a comparison of no rows.
    pub(super) fn begin(&self) -> Compared {
        let columns = self.columns.iter().map(|(_, name)| name.clone()).collect();
        Compared { table: self.name, columns, skipped: self.skipped.clone(), ..Compared::default() }
    }
}

/// Returns the names in an SQL expression.
fn words(sql: &str) -> impl Iterator<Item = &str> {
    sql.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

async fn columns(db: &Client, table: &str) -> Result<Vec<Column>, Error> {
    let statement = db.prepare_cached(include_str!("columns.sql")).await?;
    let rows = db.query(&statement, &[&table]).await?;
    let column = |row: &tokio_postgres::Row| {
        Ok(Column { name: row.try_get(0)?, r#type: row.try_get(1)?, is_key: row.try_get(2)? })
    };
    rows.iter().map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expression_is_split_into_column_names() {
        let named: Vec<_> = words("coalesce(n_in, n)").filter(|word| !word.is_empty()).collect();
        assert_eq!(named, ["coalesce", "n_in", "n"]);
    }
}
