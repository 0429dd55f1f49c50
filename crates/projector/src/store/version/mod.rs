//! Versions of read models: tables of their own, each fed by the same events, one of them read.
//!
//! A statement names the tables of a fold, `users_v1`. Which version of them is meant is put in when it runs. All that
//! is kept in the table `projection`, which only changes under the lock of the cursor; so a page of the log, which is
//! written under that lock, is of one choice.

mod reader;
mod tables;

use std::fmt;
use std::str::FromStr;

use daybook_domain::named;
use daybook_log::Shard;
use daybook_pg::{Client, Transaction};
pub(crate) use reader::heartbeat;
pub(crate) use tables::Tables;
use tokio_postgres::Row;

use crate::error::Error;
use crate::store::Model;
use crate::store::sql;

const LIST: &str = include_str!("list.sql");

named! {
    /// How far the life of a version has come, as it is stored and shown.
    #[derive(PartialOrd, Ord)]
    pub enum Stage {
        /// Its tables are about to be made.
        Planned => "planned",
        /// The log is folded into them in large pages; they have no index but their key.
        Bulk => "bulk",
        /// It follows the log by itself.
        Tail => "tail",
        /// It is fed together with what is read, so that the two can be compared.
        Verify => "verify",
        /// It is read.
        Active => "active",
        /// It was read, and is still fed: to go back to it loses nothing.
        Retired => "retired",
        /// Its tables are gone.
        Dropped => "dropped",
    }
}

impl Stage {
    /// Whether it is being built.
    #[must_use]
    pub const fn is_building(self) -> bool {
        matches!(self, Self::Planned | Self::Bulk | Self::Tail)
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
    /// Of which.
    pub model: Model,
    /// Its number; that of its tables.
    pub number: u16,
    /// The code that fills it; statements name its tables by this number.
    pub fold: u16,
    /// How far its life has come.
    pub stage: Stage,
    /// Up to which position it was folded by itself; tells nothing once it is fed with the others.
    pub position: u64,
    /// The change that led to its stage.
    pub generation: u64,
    /// When it was last compared with what is read: at which position, and how many rows differed.
    pub compared: Option<(u64, u64)>,
    /// Whether a reconciliation made it, which drops it again: it is never read.
    pub is_scratch: bool,
}

impl Version {
    /// The first one of a read model in a new database, made by the newest code.
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

    /// Its tables, as they are called in the database.
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

/// A statement that names tables `users_v1`, about `versions` of them, whatever fold filled these: for statements about
/// columns that all folds have.
pub(crate) fn about(versions: &[Version], text: &str) -> String {
    let tables = versions.iter().flat_map(|version| version.model.tables().iter().zip(version.tables()));
    tables.fold(text.to_owned(), |text, (table, version)| text.replace(&format!("{table}_v1"), &version))
}

/// Every version that there ever was, in order of name and number.
pub(crate) async fn all(db: &Client, shard: Shard) -> Result<Vec<Version>, Error> {
    let statement = db.prepare_cached(LIST).await?;
    db.query(&statement, &[&shard]).await?.iter().map(Version::parse).collect()
}

/// The same in a database transaction: under the lock of the cursor they stay as they are.
pub(crate) async fn all_in(tx: &Transaction<'_>, shard: Shard) -> Result<Vec<Version>, Error> {
    let statement = tx.prepare_cached(LIST).await?;
    tx.query(&statement, &[&shard]).await?.iter().map(Version::parse).collect()
}

/// The first version of `model` in a database whose read models stand at `position`: what the newest code makes, unless
/// its table is older than versions are. Behind the beginning it has to be filled before it is read.
pub(crate) async fn first(tx: &Transaction<'_>, model: Model, position: u64) -> Result<Version, Error> {
    let oldest = Version { number: 1, fold: 1, ..Version::first(model) };
    let statement = tx.prepare_cached(include_str!("is_there.sql")).await?;
    let is_there = tx.query_one(&statement, &[&oldest.to_string()]).await?.try_get(0)?;
    Ok(match position {
        _ if is_there => oldest,
        0 => Version::first(model),
        _ => Version { stage: Stage::Bulk, ..Version::first(model) },
    })
}

/// Locks a version and tells how it is now; none if there is no such.
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

/// Notes how far a version was folded by itself. Nobody else needs to know.
pub(crate) async fn advance(tx: &Transaction<'_>, shard: Shard, version: &Version) -> Result<(), Error> {
    let statement = tx.prepare_cached(include_str!("advance.sql")).await?;
    let (number, position) = (version.number.cast_signed(), sql::to_i64(version.position));
    let found = tx.execute(&statement, &[&shard, &version.model.name(), &number, &position]).await?;
    if found == 1 { Ok(()) } else { Err(Error::RowCount { shard, expected: 1, found }) }
}

/// Notes a new version, or what became of one; the generation is the next.
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
