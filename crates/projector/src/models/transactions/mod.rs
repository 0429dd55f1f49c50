//! Transactions that are in one status, of a platform or in a list. All of a user, a node or a platform are lists of
//! [`super::members`]; what a transaction is tells its stream.
//!
//! Platform and status stand in columns, for lists. The status also stands in one of its own that is set once: an index of
//! one that changes at every step would make each update of a row twice as dear.
//!
//! Fold 1 has the state in each row, ten times as much as all the rest, and nobody reads it; it feeds what a database has
//! that is older than fold 2, until that is rebuilt and dropped.

use std::borrow::Cow;

use daybook_domain::transaction::{Status, Transaction as Payment};
use daybook_domain::{Kind, State};
use futures::try_join;
use uuid::Uuid;

use super::Model;
use crate::error::Error;
use crate::models::projection::{Changed, Projection};
use crate::models::record::Json;
use crate::store::model::{Definition, MadeOf};
use crate::store::sql::{self, Column, Target};

/// The declaration.
pub(crate) const MODEL: Definition = Definition {
    fold: 2,
    ..Definition::new(&["transactions"], &[Kind::Transaction], MadeOf::RecordInPart, schema)
};

/// The table as a fold fills it.
fn schema(fold: u16) -> Cow<'static, str> {
    if fold == 1 { include_str!("v1/schema.sql").into() } else { include_str!("v2/schema.sql").into() }
}

/// A page of a platform's transactions in `status`: shard, platform, status, offset, limit.
pub(crate) const fn list_in(status: Status) -> &'static str {
    if status.is_end() { include_str!("list_ended.sql") } else { include_str!("list_open.sql") }
}

/// The projection.
#[derive(Default)]
pub(crate) struct Transactions;

impl Projection for Transactions {
    type Kept = ();

    async fn save(&self, to: &Target<'_, '_>, changed: &[Changed], (): &mut ()) -> Result<(), Error> {
        let fold = to.tables.fold(Model::TRANSACTIONS);
        let save = if fold == 1 { include_str!("v1/save.sql") } else { include_str!("v2/save.sql") };
        let new = Rows::of(changed.iter().filter(|one| one.is_new));
        let old = Rows::of(changed.iter().filter(|one| !one.is_new));
        let (new_columns, old_columns) = (new.columns(fold), old.columns(fold));
        try_join!(
            sql::insert(to, save, &new_columns, new.ids.len()),
            sql::write(to, save, &old_columns, old.ids.len()),
        )?;
        Ok(())
    }
}

/// Rows, column by column.
#[derive(Default)]
struct Rows<'a> {
    ids: Vec<Uuid>,
    versions: Vec<i32>,
    positions: Vec<i64>,
    platforms: Vec<Uuid>,
    statuses: Vec<&'static str>,
    ended: Vec<&'static str>,
    states: Vec<Json<'a, Payment>>,
}

impl<'a> Rows<'a> {
    fn of(changed: impl Iterator<Item = &'a Changed>) -> Self {
        let mut rows = Self::default();
        for Changed { key, row, .. } in changed {
            let State::Transaction(payment) = &row.current.state else { continue };
            rows.ids.push(Uuid::from_u128(key.id));
            rows.versions.push(sql::to_i32(row.current.version));
            rows.positions.push(sql::to_i64(row.position));
            rows.platforms.push(Uuid::from(payment.platform));
            rows.statuses.push(payment.status.as_str());
            rows.ended.push(if payment.status.is_end() { payment.status.as_str() } else { "" });
            rows.states.push(Json(payment));
        }
        rows
    }

    /// As the statement of `fold` takes them.
    fn columns(&self, fold: u16) -> Vec<&dyn Column> {
        let Self { ids, versions, positions, platforms, statuses, ended, states } = self;
        let mut columns: Vec<&dyn Column> = vec![ids, versions, positions, platforms, statuses, ended];
        if fold == 1 {
            columns.push(states);
        }
        columns
    }
}
