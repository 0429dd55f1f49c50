//! Versions of read models (blue-green tables): each version has its own tables, all versions that are fed get the same
//! events, and queries read the active one.
//!
//! A statement names the tables of a fold, such as `users_v1`. The active version is inserted when the statement runs.
//! The table `projection` stores the versions. It changes only under the lock of the cursor. A page of the log is
//! written under that lock as well, so all of its rows go to one set of versions.

mod of_shards;
mod reader;
mod tables;

use std::fmt;
use std::str::FromStr;

use daybook_domain::named;
use daybook_log::Shard;
use daybook_pg::{Client, GenericClient, Transaction};
pub(crate) use of_shards::{all_of_model, first_beside, is_shared, lock_numbers};
pub(crate) use reader::heartbeat;
pub(crate) use tables::Tables;
use tokio_postgres::Row;

use crate::error::Error;
use crate::store::Model;
use crate::store::sql;

const LIST: &str = include_str!("list.sql");

named! {
    /// Stage of a version in a blue-green rebuild, as it is stored and shown.
    #[derive(PartialOrd, Ord)]
    pub enum Stage {
        /// The tables are not created yet.
        Planned => "planned",
        /// The log is folded into the tables in large pages. They have no index but their key.
        Bulk => "bulk",
        /// The version follows the log on its own.
        Tail => "tail",
        /// The version is fed together with the active one, so that the two can be compared.
        Verify => "verify",
        /// Queries read the version.
        Active => "active",
        /// The version was active before. It is still fed, so a rollback loses nothing.
        Retired => "retired",
        /// The tables were dropped.
        Dropped => "dropped",
    }
}

impl Stage {
    /// Returns true if the version is being built.
    #[must_use]
    pub const fn is_building(self) -> bool {
        matches!(self, Self::Planned | Self::Bulk | Self::Tail)
    }

    /// Returns true if the version's tables exist.
    pub(crate) const fn has_tables(self) -> bool {
        !matches!(self, Self::Planned | Self::Dropped)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Stage {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::parse(name).ok_or(Error::Misread { table: "projection" })
    }
}

/// A version of a read model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The read model.
    pub model: Model,
    /// Number of the version, which is in the names of its tables.
    pub number: u16,
    /// Number of the fold that fills it. Statements name its tables by this number.
    pub fold: u16,
    /// Stage of the version.
    pub stage: Stage,
    /// Position up to which it was folded on its own; without meaning when it is fed with the others.
    pub position: u64,
    /// Number of the change that led to its stage.
    pub generation: u64,
    /// Position of its last comparison with the active version, and number of rows that differed; none before the
    /// first.
    pub compared: Option<(u64, u64)>,
    /// True if a reconciliation made it, which also drops it: queries never read it.
    pub is_scratch: bool,
}

impl Version {
    /// Returns the first version of a read model in a new database, filled by the newest fold.
    pub(crate) const fn first(model: Model) -> Self {
        let (number, stage) = (model.fold(), Stage::Active);
        Self {
            model,
            number,
            fold: number,
            stage,
            position: 0,
            generation: 0,
            compared: None,
            is_scratch: false,
        }
    }

    fn parse(row: &Row) -> Result<Self, Error> {
        let number = |column: usize| -> Result<u16, Error> {
            u16::try_from(row.try_get::<_, i16>(column)?).map_err(|_| Error::Misread { table: "projection" })
        };
        let name: &str = row.try_get(0)?;
        let compared: Option<i64> = row.try_get(6)?;
        Ok(Self {
            model: name.parse().map_err(|_| Error::Misread { table: "projection" })?,
            number: number(1)?,
            fold: number(2)?,
            stage: row.try_get::<_, &str>(3)?.parse()?,
            position: sql::to_u64(row.try_get(4)?),
            generation: sql::to_u64(row.try_get(5)?),
            compared: match compared {
                Some(at) => Some((sql::to_u64(at), sql::to_u64(row.try_get(7)?))),
                None => None,
            },
            is_scratch: row.try_get(8)?,
        })
    }

    /// Returns true if the version was dropped.
    pub(crate) fn is_dropped(&self) -> bool {
        self.stage == Stage::Dropped
    }

    /// Returns the names of its tables in the database.
    pub fn tables(&self) -> impl Iterator<Item = String> {
        let number = self.number;
        self.model.tables().iter().map(move |table| format!("{table}_v{number}"))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_v{}", self.model, self.number)
    }
}

/// Replaces the tables in a statement, such as `users_v1`, by those of `versions`, whatever fold filled them. Only for
/// statements on columns that all folds have.
pub(crate) fn about(versions: &[Version], text: &str) -> String {
    let tables = versions.iter().flat_map(|version| version.model.tables().iter().zip(version.tables()));
    tables.fold(text.to_owned(), |text, (table, version)| text.replace(&format!("{table}_v1"), &version))
}

/// Returns every version, including dropped ones, in order of name and number.
pub(crate) async fn all(db: &Client, shard: Shard) -> Result<Vec<Version>, Error> {
    let statement = db.prepare_cached(LIST).await?;
    db.query(&statement, &[&shard]).await?.iter().map(Version::parse).collect()
}

/// Does the same in a database transaction. Under the lock of the cursor the versions do not change.
pub(crate) async fn all_in(tx: &Transaction<'_>, shard: Shard) -> Result<Vec<Version>, Error> {
    let statement = tx.prepare_cached(LIST).await?;
    tx.query(&statement, &[&shard]).await?.iter().map(Version::parse).collect()
}

/// Returns the first version of `model` in a database whose cursor is at `position`: one of the newest fold, unless the
/// table is older than versions are. If `position` is not 0, the version has to be filled before it becomes active.
pub(crate) async fn first(tx: &Transaction<'_>, model: Model, position: u64) -> Result<Version, Error> {
    let oldest = Version { number: 1, fold: 1, ..Version::first(model) };
    Ok(match position {
        _ if is_there(tx, &oldest.to_string()).await? => oldest,
        0 => Version::first(model),
        _ => Version { stage: Stage::Bulk, ..Version::first(model) },
    })
}

/// Returns true if the database has a table with this name.
pub(crate) async fn is_there(db: &impl GenericClient, table: &str) -> Result<bool, Error> {
    let statement = db.prepare_cached(include_str!("is_there.sql")).await?;
    Ok(db.query_one(&statement, &[&table]).await?.try_get(0)?)
}

/// Locks a version and returns it as it is stored; none if it does not exist.
pub(crate) async fn take(
    tx: &Transaction<'_>,
    shard: Shard,
    version: &Version,
) -> Result<Option<Version>, Error> {
    let statement = tx.prepare_cached(include_str!("take.sql")).await?;
    let number = version.number.cast_signed();
    let row = tx.query_opt(&statement, &[&shard, &version.model.name(), &number]).await?;
    row.as_ref().map(Version::parse).transpose()
}

/// Stores the position up to which a version was folded on its own. This is not a change of generation.
pub(crate) async fn advance(tx: &Transaction<'_>, shard: Shard, version: &Version) -> Result<(), Error> {
    let statement = tx.prepare_cached(include_str!("advance.sql")).await?;
    let (number, position) = (version.number.cast_signed(), sql::to_i64(version.position));
    let found = tx.execute(&statement, &[&shard, &version.model.name(), &number, &position]).await?;
    if found == 1 { Ok(()) } else { Err(Error::RowCount { shard, expected: 1, found }) }
}

/// Stores a new or changed version. The generation is incremented.
pub(crate) async fn save(tx: &Transaction<'_>, shard: Shard, version: &Version) -> Result<(), Error> {
    let statement = tx.prepare_cached(include_str!("save.sql")).await?;
    let Version { model, number, fold, stage, position, compared, is_scratch, .. } = version;
    let (number, fold) = (number.cast_signed(), fold.cast_signed());
    let position = sql::to_i64(*position);
    let (at, differences) = compared.map(|(at, count)| (sql::to_i64(at), sql::to_i64(count))).unzip();
    let params: &sql::Params<'_> =
        &[&shard, &model.name(), &number, &fold, &stage.as_str(), &position, &at, &differences, is_scratch];
    tx.execute(&statement, params).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_have_stored_names() {
        let names = ["planned", "bulk", "tail", "verify", "active", "retired", "dropped"];
        assert_eq!(Stage::ALL.map(Stage::as_str), names);
        assert_eq!(names.map(|name| name.parse().ok()), Stage::ALL.map(Some));
        assert!("".parse::<Stage>().is_err());
    }
}
