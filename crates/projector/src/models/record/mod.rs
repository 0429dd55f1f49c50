//! Record read models: the aggregate itself, kept by the domain's own `evolve`, with the columns that lists need.
//! Transactions are none: their streams are short, and their rows the most.
//!
//! All of them are one projection; a [`Record`] says only which table it is and which columns stand beside the state.
//! A row never copies a mutable field of another aggregate.

use std::fmt;

use bytes::{BufMut, BytesMut};
use daybook_domain::aggregate::Aggregate;
use daybook_domain::{Key, Kind, State};
use daybook_log::Shard;
use futures::try_join;
use serde::Serialize;
use tokio_postgres::Statement;
use tokio_postgres::types::{IsNull, ToSql, Type, accepts, to_sql_checked};
use uuid::Uuid;

use crate::error::Error;
use crate::models::projection::Changed;
use crate::store::fold::Versioned;
use crate::store::sql::{self, Column, Target};

/// An aggregate with a table of its own.
pub(crate) trait Record: Aggregate + fmt::Debug + Sync {
    /// The table.
    const TABLE: &'static str;
    /// Reads rows by id: `id, version, position, state`.
    const LOAD: &'static str;
    /// Writes rows: shard, ids, versions, positions and states, then the columns.
    const SAVE: &'static str;
    /// What stands beside the state, column by column.
    type Columns: Default + Send + Sync;

    /// Adds one row's columns.
    fn columns(&self, into: &mut Self::Columns);
    /// The columns in the order in which the table's `save.sql` takes them.
    fn params<'a>(columns: &'a Self::Columns, into: &mut Vec<&'a dyn Column>);
    /// The aggregate inside `state`, if it is of this kind.
    fn of(state: &State) -> Option<&Self>;
    /// The state with this aggregate inside.
    fn into_state(self) -> State;
}

/// One row of a record read model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Position of the first event: the order of creation.
    pub(crate) position: u64,
    /// The state that it holds.
    pub(crate) current: Versioned,
}

/// Reads the rows of those of `keys` that are of this kind.
pub(crate) async fn load<R: Record>(
    db: &tokio_postgres::Client,
    statement: &Statement,
    shard: Shard,
    keys: &[Key],
) -> Result<Vec<(Key, Row)>, Error> {
    let ids = ids_of::<R>(keys);
    let rows = db.query(statement, &[&shard, &ids]).await?;
    let parse = |row: &tokio_postgres::Row| {
        let key = Key { kind: R::KIND, id: row.try_get::<_, Uuid>(0)?.as_u128() };
        let state = serde_json::from_str::<R>(row.try_get(3)?)
            .map_err(|source| Error::Row { table: R::TABLE, source })?
            .into_state();
        let current = Versioned { version: sql::to_u32(row.try_get(1)?), state };
        Ok((key, Row { position: sql::to_u64(row.try_get(2)?), current }))
    };
    rows.iter().map(parse).collect()
}

/// Whether one of `keys` is of this kind.
pub(crate) fn any_of<R: Record>(keys: &[Key]) -> bool {
    keys.iter().any(|key| key.kind == R::KIND)
}

/// Whether the aggregate is folded, and has a row of its own. The state of an account or attestation is its last event; an
/// attachment never changes.
pub(crate) fn is_record(key: Key) -> bool {
    match key.kind {
        Kind::Platform
        | Kind::User
        | Kind::Node
        | Kind::Transaction
        | Kind::Custody
        | Kind::Operation
        | Kind::Subnet
        | Kind::Subscription => true,
        Kind::Account | Kind::Attachment | Kind::Attestation => false,
    }
}

fn ids_of<R: Record>(keys: &[Key]) -> Vec<Uuid> {
    keys.iter().filter(|key| key.kind == R::KIND).map(|key| Uuid::from_u128(key.id)).collect()
}

/// Writes those of `changed` that are of this kind.
pub(crate) async fn save<R: Record>(to: &Target<'_, '_>, changed: &[Changed]) -> Result<(), Error> {
    let new = Rows::<R>::of(changed.iter().filter(|one| one.is_new));
    let old = Rows::<R>::of(changed.iter().filter(|one| !one.is_new));
    let (new_columns, old_columns) = (new.params(), old.params());
    try_join!(
        sql::insert(to, R::SAVE, &new_columns, new.ids.len()),
        sql::write(to, R::SAVE, &old_columns, old.ids.len()),
    )?;
    Ok(())
}

/// A state as its column holds it: JSON, made where it is sent from, so that a page of them is never in memory.
#[derive(Debug)]
pub(crate) struct Json<'a, T>(pub(crate) &'a T);

impl<T: fmt::Debug + Serialize> ToSql for Json<'_, T> {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        serde_json::to_writer(out.writer(), self.0)?;
        Ok(IsNull::No)
    }
    accepts!(TEXT);
    to_sql_checked!();
}

/// Rows of one kind, column by column.
struct Rows<'a, R: Record> {
    ids: Vec<Uuid>,
    versions: Vec<i32>,
    positions: Vec<i64>,
    states: Vec<Json<'a, R>>,
    columns: R::Columns,
}

impl<'a, R: Record> Rows<'a, R> {
    fn of(changed: impl Iterator<Item = &'a Changed>) -> Self {
        let columns = R::Columns::default();
        let mut rows = Self { ids: vec![], versions: vec![], positions: vec![], states: vec![], columns };
        for Changed { key, row, .. } in changed {
            let Some(record) = R::of(&row.current.state) else { continue };
            rows.ids.push(Uuid::from_u128(key.id));
            rows.versions.push(sql::to_i32(row.current.version));
            rows.positions.push(sql::to_i64(row.position));
            rows.states.push(Json(record));
            record.columns(&mut rows.columns);
        }
        rows
    }

    fn params(&self) -> Vec<&dyn Column> {
        let mut params: Vec<&dyn Column> = vec![&self.ids, &self.versions, &self.positions, &self.states];
        R::params(&self.columns, &mut params);
        params
    }
}
