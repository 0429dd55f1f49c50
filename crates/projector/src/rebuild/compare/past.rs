//! Comparing with the past: what is read of a position, beside what the log says up to there.
//!
//! Entries are compared row by row up to the position; a balance is its account's last entry up to there; a record is
//! the fold of its own stream, as whoever asks about the past gets it, and here it meets the fold of the whole log.

use daybook_domain::Key;
use daybook_log::{Position, Shard};
use uuid::Uuid;

use super::super::NotChosen;
use super::table::Table;
use super::{Compared, Difference};
use crate::Reads;
use crate::error::Error;
use crate::read::Model;
use crate::version::Version;

/// How many records are looked at together.
const PAGE: i64 = 500;

/// Makes of `table` what is told of `at`.
pub(super) fn narrow(
    table: &mut Table,
    scratch: &Version,
    entries: &Version,
    at: Position,
) -> Result<(), Error> {
    let [served, folded] = &table.versions;
    let up_to_there = format!("(select * from {served} where position <= {at}) served");
    let rows = if scratch.model == Model::Entries {
        up_to_there
    } else if scratch.model == Model::Balances {
        let number = entries.number;
        let columns = table.columns.iter().map(|(_, name)| match &**name {
            "shard" | "account" => format!("f.{name}"),
            "posted" | "held" | "pending_in" | "position" => format!("e.{name}"),
            // How many entries there are is the number of the last.
            "n" | "entries" => format!("e.n as {name}"),
            // What an account has from its beginning.
            _ => format!("b.{name}"),
        });
        // Every account that the log has: what only the table has is a surplus of entries.
        format!(
            "(select {}
                from {folded} f
               cross join lateral (
                     select n, position, posted, held, pending_in
                       from entries_v{number}
                      where shard = f.shard and account = f.account and position <= {at}
                      order by position desc
                      limit 1) e
                left join {served} b on b.shard = f.shard and b.account = f.account) served",
            columns.collect::<Vec<_>>().join(", ")
        )
    } else if scratch.model.is_record() {
        // The state is compared with what its stream tells, and whatever stands beside it follows from that.
        let is_compared = |name: &str| matches!(name, "shard" | "id" | "position");
        let names = table.columns.iter().map(|(_, name)| name.clone());
        let is_beside = |name: &String| !is_compared(name) && !matches!(&**name, "version" | "state");
        table.skipped.extend(names.filter(is_beside));
        table.columns.retain(|(_, name)| is_compared(name));
        table.numbers.retain(|name| is_compared(name));
        up_to_there
    } else {
        return Err(NotChosen::NoPast(scratch.model).into());
    };
    table.versions[0] = rows;
    Ok(())
}

impl Reads {
    /// Compares the states in `scratch` with those that the streams of its records tell, up to `at`.
    pub(super) async fn compare_states(
        &self,
        shard: Shard,
        scratch: &Version,
        at: Position,
        limit: u64,
    ) -> Result<Compared, Error> {
        let table = scratch.model.name();
        let (column, json) = if scratch.model.holds_states() {
            ("state", "state")
        } else {
            ("status", "to_json(status)::text")
        };
        let columns = vec!["version".to_owned(), column.to_owned()];
        let mut found = Compared { table, columns, ..Compared::default() };
        let db = self.pg.client().await?;
        let text = format!(
            "select id, version, {json} from {table}_v{} where shard = $1 and id > $2 order by id limit $3",
            scratch.number
        );
        let statement = db.prepare_cached(&text).await?;
        let mut after = Uuid::nil();
        loop {
            let rows = db.query(&statement, &[&shard, &after, &PAGE]).await?;
            let Some(last) = rows.last() else { break };
            after = last.try_get(0)?;
            let mut page = vec![];
            for row in &rows {
                let key = Key { kind: scratch.model.kinds()[0], id: row.try_get::<_, Uuid>(0)?.as_u128() };
                page.push((key, row.try_get::<_, i32>(1)?, row.try_get::<_, &str>(2)?));
            }
            let keys: Vec<Key> = page.iter().map(|(key, ..)| *key).collect();
            let told = self.records_at(shard, &keys, at).await?;
            found.slices.0 += 1;
            let before = found.differing;
            for (key, version, state) in page {
                let row = |source| Error::Row { table, source };
                let folded: serde_json::Value = serde_json::from_str(state).map_err(row)?;
                let told =
                    told.get(key).map(|told| Ok((told.version, inner(&told.state, column)?))).transpose();
                let told = told.map_err(row)?;
                found.rows = (found.rows.0 + u64::from(told.is_some()), found.rows.1 + 1);
                if told
                    .as_ref()
                    .is_some_and(|(told, inner)| *told == version.unsigned_abs() && *inner == folded)
                {
                    continue;
                }
                found.differing += 1;
                if (found.differences.len() as u64) < limit {
                    let shown = |version: u32, state: &serde_json::Value| {
                        let id = Uuid::from_u128(key.id).to_string();
                        serde_json::json!({ "id": id, "version": version, column: state }).to_string()
                    };
                    let old = told.map(|(version, state)| shown(version, &state));
                    let new = Some(shown(version.unsigned_abs(), &folded));
                    found.differences.push(Difference { old, new });
                }
            }
            found.slices.1 += u64::from(found.differing > before);
        }
        Ok(found)
    }
}

/// What the column of a row holds of a state: all of it without its kind, or its status.
fn inner(state: &daybook_domain::State, column: &str) -> Result<serde_json::Value, serde_json::Error> {
    let mut value = serde_json::to_value(state)?;
    let inner =
        value.as_object_mut().and_then(|kinds| kinds.values_mut().next().map(serde_json::Value::take));
    let mut inner = inner.unwrap_or(value);
    Ok(if column == "state" { inner } else { inner[column].take() })
}
