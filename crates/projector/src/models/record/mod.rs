//! Record read models: the state of an aggregate, folded by the domain's own `evolve`, with the columns that lists
//! need. Transactions are not among them: their streams are short, and they have the most rows.
//!
//! All of them share one projection. A [`Record`] only names its table and the columns beside the state. A row never
//! copies a mutable field of another aggregate.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use bytes::{BufMut, BytesMut};
use daybook_domain::{InState, Key, Kind};
use daybook_log::Shard;
use daybook_pg::GenericClient;
use futures::try_join;
use serde::Serialize;
use tokio_postgres::types::{IsNull, ToSql, Type, accepts, to_sql_checked};
use uuid::Uuid;

use crate::error::Error;
use crate::models::projection::{ChangedRecord, Projection};
use crate::store::fold::Versioned;
use crate::store::model::{Definition, MadeOf};
use crate::store::sql::{self, Column, Target};
use crate::store::version::Tables;

/// An aggregate with a table of its own.
pub(crate) trait Record: InState + fmt::Debug + Sync {
    /// Name of the table without its version, which is the name of the read model.
    const TABLE: &'static str;
    /// Statements that create the table. A template names it `records_v1`, here and in the two statements below.
    const SCHEMA: &'static str = include_str!("schema.sql");
    /// Query for rows by id: `id, version, position, state`.
    const LOAD: &'static str = include_str!("load.sql");
    /// Statement that writes rows: shard, ids, versions, positions and states, then the columns.
    const SAVE: &'static str = include_str!("save.sql");
    /// Values of the columns beside the state, column by column; `()` if there are none.
    type Columns: Default + Send + Sync;

    /// Adds the values of one row to the columns.
    fn columns(&self, _into: &mut Self::Columns) {}
    /// Returns the columns in the order of the parameters of `SAVE`.
    fn params<'a>(_columns: &'a Self::Columns, _into: &mut Vec<&'a dyn Column>) {}

    /// The table as a list, for the declaration.
    const TABLES: &'static [&'static str] = &[Self::TABLE];
    /// The kind as a list, for the declaration.
    const KINDS: &'static [Kind] = &[Self::KIND];
}

impl Definition {
    /// Returns the declaration of the read model of `R`.
    pub(crate) const fn record<R: Record>() -> Self {
        Self::new(R::TABLES, R::KINDS, MadeOf::Record, |_| named::<R>(R::SCHEMA))
    }
}

/// Replaces the template's table in a statement by the table of `R`.
fn named<R: Record>(sql: &'static str) -> Cow<'static, str> {
    Cow::Owned(sql.replace("records_v1", &[R::TABLE, "_v1"].concat()))
}

/// One row of a record read model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Position of the first event, which determines the order of creation.
    pub(crate) position: u64,
    /// The state in the row, with its version.
    pub(crate) current: Versioned,
}

/// Projection of a record read model: its rows are the states themselves.
pub(crate) struct Records<R>(PhantomData<R>);

impl<R> Default for Records<R> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<R: Record> Projection for Records<R> {
    type Carry = ();

    async fn load(
        db: &impl GenericClient,
        tables: &Tables,
        shard: Shard,
        keys: &[Key],
    ) -> Result<Vec<(Key, Row)>, Error> {
        let own = keys.iter().filter(|key| key.kind == R::KIND);
        let ids: Vec<Uuid> = own.map(|key| Uuid::from_u128(key.id)).collect();
        if ids.is_empty() {
            return Ok(vec![]);
        }
        let statement = db.prepare_cached(&tables.sql(&named::<R>(R::LOAD))).await?;
        let rows = db.query(&statement, &[&shard, &ids]).await?;
        rows.iter().map(row::<R>).collect()
    }

    async fn save(&self, to: &Target<'_, '_>, changed: &[ChangedRecord], (): &mut ()) -> Result<(), Error> {
        let sql = named::<R>(R::SAVE);
        let new = Rows::<R>::of(changed.iter().filter(|one| one.is_new));
        let old = Rows::<R>::of(changed.iter().filter(|one| !one.is_new));
        let (new_columns, old_columns) = (new.params(), old.params());
        try_join!(
            sql::insert(to, &sql, &new_columns, new.ids.len()),
            sql::write(to, &sql, &old_columns, old.ids.len()),
        )?;
        Ok(())
    }
}

fn row<R: Record>(row: &tokio_postgres::Row) -> Result<(Key, Row), Error> {
    let key = Key { kind: R::KIND, id: row.try_get::<_, Uuid>(0)?.as_u128() };
    let state = serde_json::from_str::<R>(row.try_get(3)?)
        .map_err(|source| Error::Row { table: R::TABLE, source })?
        .into_state();
    let current = Versioned { version: sql::to_u32(row.try_get(1)?), state };
    Ok((key, Row { position: sql::to_u64(row.try_get(2)?), current }))
}

/// Returns true if the aggregate is folded and has a row. The state of an account or attestation is its last event, and
/// an attachment never changes.
pub(crate) fn is_record(key: Key) -> bool {
    match key.kind {
        Kind::Platform
        | Kind::User
        | Kind::Node
        | Kind::Transaction
        | Kind::Custody
        | Kind::Statement
        | Kind::Evidence
        | Kind::Break
        | Kind::Roles
        | Kind::Operation
        | Kind::Subnet
        | Kind::Subscription => true,
        Kind::Account | Kind::Attachment | Kind::Attestation => false,
    }
}

/// A state as JSON in a column. It is serialized when it is sent, so the JSON of a page is never in memory as a whole.
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
    fn of(changed: impl Iterator<Item = &'a ChangedRecord>) -> Self {
        let columns = R::Columns::default();
        let mut rows = Self { ids: vec![], versions: vec![], positions: vec![], states: vec![], columns };
        for ChangedRecord { key, row, .. } in changed {
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
