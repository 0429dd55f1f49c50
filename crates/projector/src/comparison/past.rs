//! Comparison with the past: the answers of queries as of a position, against a fold of the log up to there.
//!
//! Entries are compared row by row up to the position. A balance is the last entry of its account up to there. A record
//! is the fold of its own stream, as a query of the past computes it. The comparison holds these answers against the
//! fold of the whole log.

use daybook_domain::{AccountId, Key, State};
use daybook_log::{Position, Shard};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Comparisons;
use super::table::Table;
use super::{Compared, Difference};
use crate::error::Error;
use crate::projection::rebuild::{NotChosen, RebuildError};
use crate::store::Model;
use crate::store::recorded_event::RecordedEvent;
use crate::store::version::Version;

/// Number of records that are compared at a time.
const RECORDS_PER_QUERY: i64 = 500;

/// Restricts `table` to the rows that exist as of `at`.
pub(super) fn narrow(table: &mut Table, scratch: &Version, at: Position) -> Result<(), RebuildError> {
    let served = &table.versions[0];
    let up_to_there = format!("(select * from {served} where position <= {at}) served");
    if scratch.model.is_record() {
        // The state is compared with the fold of its stream. All other columns follow from the state.
        let is_compared = |name: &str| matches!(name, "shard" | "id" | "position");
        let names = table.columns.iter().map(|(_, name)| name.clone());
        let is_beside = |name: &String| !is_compared(name) && !matches!(&**name, "version" | "state");
        table.skipped.extend(names.filter(is_beside));
        table.columns.retain(|(_, name)| is_compared(name));
        table.numbers.retain(|name| is_compared(name));
    } else if scratch.model != Model::ENTRIES {
        return Err(NotChosen::NoPast(scratch.model).into());
    }
    table.versions[0] = up_to_there;
    Ok(())
}

impl Comparisons {
    /// Compares the states in `scratch` with the folds of their streams up to `at`.
    pub(super) async fn compare_states(
        &self,
        shard: Shard,
        scratch: &Version,
        at: Position,
        limit: u64,
    ) -> Result<Compared, Error> {
        let table = scratch.model.name();
        let (column, json) = if scratch.model.holds_states() {
            ("state", "state::json")
        } else {
            ("status", "to_json(status)")
        };
        let text = format!(
            "select id, json_build_object('id', id, 'version', version, '{column}', {json})::text
               from {table}_v{} where shard = $1 and id > $2 order by id limit $3",
            scratch.number
        );
        let tell = async |ids: &[Uuid]| {
            let key = |id: &Uuid| Key { kind: scratch.model.definition().kinds[0], id: id.as_u128() };
            let keys: Vec<Key> = ids.iter().map(key).collect();
            let told = self.aggregates.records_at(shard, &keys, at).await?;
            let row = |source| Error::Row { table, source };
            let shown = |id: &Uuid| {
                let told = told.get(key(id))?;
                let state = inner(&told.state, column).map_err(row);
                Some(
                    state
                        .map(|state| json!({ "id": id.to_string(), "version": told.version, column: state })),
                )
            };
            ids.iter().map(|id| shown(id).transpose()).collect()
        };
        self.compare_told(shard, table, &["version", column], &text, limit, tell).await
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
        let text = format!(
            "select account, to_json(b)::text from {table}_v{} b
              where shard = $1 and account > $2 order by account limit $3",
            scratch.number
        );
        let tell = async |ids: &[Uuid]| {
            let accounts: Vec<_> = ids.iter().map(|id| (AccountId::from(*id), at)).collect();
            let (_, last) = self.balances.entries_at(shard, &accounts).await?;
            Ok(last.iter().map(|last| balance_after(shard, last.as_ref()?)).collect())
        };
        self.compare_told(shard, table, &columns, &text, limit, tell).await
    }

    /// Compares rows with the answers of queries, page by page. `text` selects an id and the row as JSON; `tell`
    /// returns the answers for these ids, in their order.
    async fn compare_told(
        &self,
        shard: Shard,
        table: &'static str,
        columns: &[&str],
        text: &str,
        limit: u64,
        tell: impl AsyncFn(&[Uuid]) -> Result<Vec<Option<Value>>, Error>,
    ) -> Result<Compared, Error> {
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        let mut found = Compared { table, columns, ..Compared::default() };
        let db = self.store.pg.of(shard).client().await?;
        let statement = db.prepare_cached(text).await?;
        let mut after = Uuid::nil();
        loop {
            let rows = db.query(&statement, &[&shard, &after, &RECORDS_PER_QUERY]).await?;
            let ids = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<Uuid>, _>>()?;
            let Some(last) = ids.last() else { return Ok(found) };
            after = *last;
            let before = found.differing;
            for (row, told) in rows.iter().zip(tell(&ids).await?) {
                let folded = serde_json::from_str(row.try_get(1)?);
                meet(&mut found, told, &folded.map_err(|source| Error::Row { table, source })?, limit);
            }
            found.slices = (found.slices.0 + 1, found.slices.1 + u64::from(found.differing > before));
        }
    }
}

/// Returns the row of an account's balance after its entry `last`.
fn balance_after(shard: Shard, last: &RecordedEvent) -> Option<Value> {
    let entry = last.entry()?;
    let ids = [last.key.id, last.platform.as_u128(), entry.node.as_u128()];
    let [account, platform, node] = ids.map(|id| Uuid::from_u128(id).to_string());
    Some(json!({
        "shard": shard, "account": account, "platform": platform, "node": node, "currency": entry.currency.code(),
        "entries": last.version, "position": last.position, "posted": entry.posted, "held": entry.held,
        "pending_in": entry.pending_in,
    }))
}

/// Compares one row as a query answers it with the row as it was folded.
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

/// Returns the value that `column` has for a state: the whole state without its kind, or its status.
fn inner(state: &State, column: &str) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(state)?;
    let inner = value.as_object_mut().and_then(|kinds| kinds.values_mut().next().map(Value::take));
    let mut inner = inner.unwrap_or(value);
    Ok(if column == "state" { inner } else { inner[column].take() })
}
