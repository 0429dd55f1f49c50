//! Comparing with the past: what is read of a position, beside what the log says up to there.
//!
//! Entries are compared row by row up to the position; a balance is its account's last entry up to there, and a record is
//! the fold of its own stream, as whoever asks about the past gets them: here they meet the fold of the whole log.

use daybook_domain::{AccountId, Event, Key, State, account};
use daybook_log::{Position, Shard};
use serde_json::{Value, json};
use tokio_postgres::Row;
use uuid::Uuid;

use super::super::NotChosen;
use super::table::Table;
use super::{Compared, Difference};
use crate::Reads;
use crate::decode::Happened;
use crate::error::Error;
use crate::read::Model;
use crate::version::Version;

/// How many records are looked at together.
const PAGE: i64 = 500;

/// Makes of `table` what is told of `at`.
pub(super) fn narrow(table: &mut Table, scratch: &Version, at: Position) -> Result<(), Error> {
    let served = &table.versions[0];
    let up_to_there = format!("(select * from {served} where position <= {at}) served");
    if scratch.model.is_record() {
        // The state is compared with what its stream tells, and whatever stands beside it follows from that.
        let is_compared = |name: &str| matches!(name, "shard" | "id" | "position");
        let names = table.columns.iter().map(|(_, name)| name.clone());
        let is_beside = |name: &String| !is_compared(name) && !matches!(&**name, "version" | "state");
        table.skipped.extend(names.filter(is_beside));
        table.columns.retain(|(_, name)| is_compared(name));
        table.numbers.retain(|name| is_compared(name));
    } else if scratch.model != Model::Entries {
        return Err(NotChosen::NoPast(scratch.model).into());
    }
    table.versions[0] = up_to_there;
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
            let row = |source| Error::Row { table, source };
            let shown = |key: &Key, version: u32, state| {
                let id = Uuid::from_u128(key.id).to_string();
                json!({ "id": id, "version": version, column: state })
            };
            let before = found.differing;
            for (key, version, state) in page {
                let folded: Value = serde_json::from_str(state).map_err(row)?;
                let folded = shown(&key, version.unsigned_abs(), folded);
                let told =
                    told.get(key).map(|told| Ok(shown(&key, told.version, inner(&told.state, column)?)));
                meet(&mut found, told.transpose().map_err(row)?, &folded, limit);
            }
            found.slices = (found.slices.0 + 1, found.slices.1 + u64::from(found.differing > before));
        }
        Ok(found)
    }

    /// Compares the balances in `scratch` with the last entry of each account up to `at`.
    pub(super) async fn compare_balances(
        &self,
        shard: Shard,
        scratch: &Version,
        at: Position,
        limit: u64,
    ) -> Result<Compared, Error> {
        let table = scratch.model.name();
        let columns = ["platform", "node", "currency", "entries", "position", "posted", "held", "pending_in"];
        let columns = columns.map(str::to_owned).to_vec();
        let mut found = Compared { table, columns, ..Compared::default() };
        let db = self.pg.client().await?;
        let text = format!(
            "select account, to_json(b)::text from {table}_v{} b
              where shard = $1 and account > $2 order by account limit $3",
            scratch.number
        );
        let statement = db.prepare_cached(&text).await?;
        let mut after = Uuid::nil();
        loop {
            let rows = db.query(&statement, &[&shard, &after, &PAGE]).await?;
            let Some(last) = rows.last() else { return Ok(found) };
            after = last.try_get(0)?;
            let account = |row: &Row| Ok((AccountId::from_u128(row.try_get::<_, Uuid>(0)?.as_u128()), at));
            let accounts = rows.iter().map(account).collect::<Result<Vec<_>, Error>>()?;
            let (_, told) = self.entries_at(shard, &accounts).await?;
            let before = found.differing;
            for (row, told) in rows.iter().zip(told) {
                let folded: Value =
                    serde_json::from_str(row.try_get(1)?).map_err(|source| Error::Row { table, source })?;
                meet(&mut found, told.and_then(|last| balance_after(shard, &last)), &folded, limit);
            }
            found.slices = (found.slices.0 + 1, found.slices.1 + u64::from(found.differing > before));
        }
    }
}

/// The row of an account's balance after its entry `last`.
fn balance_after(shard: Shard, last: &Happened) -> Option<Value> {
    let Event::Account(account::Event::Entry(entry)) = &last.event else { return None };
    let ids = [last.key.id, last.platform.as_u128(), entry.node.as_u128()];
    let [account, platform, node] = ids.map(|id| Uuid::from_u128(id).to_string());
    Some(json!({
        "shard": shard, "account": account, "platform": platform, "node": node, "currency": entry.currency.code(),
        "entries": last.version, "position": last.position, "posted": entry.posted, "held": entry.held,
        "pending_in": entry.pending_in,
    }))
}

/// Notes one row, as it is told and as it was folded.
fn meet(found: &mut Compared, told: Option<Value>, folded: &Value, limit: u64) {
    found.rows = (found.rows.0 + u64::from(told.is_some()), found.rows.1 + 1);
    if told.as_ref() == Some(folded) {
        return;
    }
    found.differing += 1;
    if (found.differences.len() as u64) < limit {
        let old = told.map(|row| row.to_string());
        found.differences.push(Difference { old, new: Some(folded.to_string()) });
    }
}

/// What the column of a row holds of a state: all of it without its kind, or its status.
fn inner(state: &State, column: &str) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(state)?;
    let inner = value.as_object_mut().and_then(|kinds| kinds.values_mut().next().map(Value::take));
    let mut inner = inner.unwrap_or(value);
    Ok(if column == "state" { inner } else { inner[column].take() })
}
