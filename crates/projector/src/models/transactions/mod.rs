//! Transactions by status, of a platform or in a list. [`super::parties`] has the lists of all transactions of a user,
//! a node or a platform. The state of a transaction is the fold of its stream.
//!
//! Platform and status are columns, for lists. The final status has a second column that is set once: an index on a
//! column that changes at every step would double the cost of each update of a row.
//!
//! Fold 1 stores the state in each row, which takes ten times the space of all other columns and is never read. It
//! feeds the table of a database that is older than fold 2, until that table is rebuilt and dropped.

use std::borrow::Cow;

use daybook_domain::transaction::{Status, Transaction as Payment};
use daybook_domain::{Kind, State};
use futures::try_join;
use uuid::Uuid;

use super::Model;
use crate::error::Error;
use crate::models::projection::{ChangedRecord, Projection};
use crate::models::record::Json;
use crate::store::model::{Definition, MadeOf};
use crate::store::sql::{self, Column, Target};

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition {
    fold: 2,
    ..Definition::new(&["transactions"], &[Kind::Transaction], MadeOf::RecordInPart, schema)
};

/// Returns the statements that create the table of a fold.
fn schema(fold: u16) -> Cow<'static, str> {
    if fold == 1 { include_str!("v1/schema.sql").into() } else { include_str!("v2/schema.sql").into() }
}

/// Returns the query for a page of a platform's transactions in `status`: shard, platform, status, offset, limit.
pub(crate) const fn list_in(status: Status) -> &'static str {
    if status.is_end() { include_str!("list_ended.sql") } else { include_str!("list_open.sql") }
}

/// The projection of transactions.
#[derive(Default)]
pub(crate) struct Transactions;

impl Projection for Transactions {
    type Carry = ();

    async fn save(&self, to: &Target<'_, '_>, changed: &[ChangedRecord], (): &mut ()) -> Result<(), Error> {
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
    fn of(changed: impl Iterator<Item = &'a ChangedRecord>) -> Self {
        let mut rows = Self::default();
        for ChangedRecord { key, row, .. } in changed {
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

    /// Returns the columns in the order of the parameters of the statement of `fold`.
    fn columns(&self, fold: u16) -> Vec<&dyn Column> {
        let Self { ids, versions, positions, platforms, statuses, ended, states } = self;
        let mut columns: Vec<&dyn Column> = vec![ids, versions, positions, platforms, statuses, ended];
        if fold == 1 {
            columns.push(states);
        }
        columns
    }
}
