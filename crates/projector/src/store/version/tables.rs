//! The tables that a statement uses: one version of each read model.

use std::borrow::Cow;

use super::{Stage, Version};
use crate::error::Error;
use crate::store::Model;

/// One version of each read model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tables {
    /// Names in statements, and the names of the tables, for tables whose names differ.
    renamed: Vec<(String, String)>,
    /// Read models whose fold is not the newest.
    older: Vec<(Model, u16)>,
    /// The newest generation of the versions from which this was computed.
    pub(crate) generation: u64,
}

impl Tables {
    /// Returns the tables of `versions`, which are of different read models.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownFold`] if a newer binary made one of them. This binary would read and write the wrong columns.
    pub(crate) fn of<'a>(versions: impl IntoIterator<Item = &'a Version>) -> Result<Self, Error> {
        let mut tables = Self::default();
        for version in versions {
            let Version { model, number, fold, .. } = *version;
            if !(1..=model.fold()).contains(&fold) {
                return Err(Error::UnknownFold { version: version.to_string(), fold });
            }
            let newest = model.fold();
            if fold != newest {
                tables.older.push((model, fold));
            }
            // Statements name tables by the fold that they are for. Statements for all folds name the newest.
            let mut names = vec![fold, newest];
            names.dedup();
            for name in names.into_iter().filter(|name| *name != number) {
                let renamed = |table: &&str| (format!("{table}_v{name}"), format!("{table}_v{number}"));
                tables.renamed.extend(model.tables().iter().map(renamed));
            }
        }
        Ok(tables)
    }

    /// Returns the active tables among all versions.
    ///
    /// # Errors
    ///
    /// As [`Tables::of`].
    pub(crate) fn read(versions: &[Version]) -> Result<Self, Error> {
        let active = versions.iter().filter(|version| version.stage == Stage::Active);
        let generation = versions.iter().map(|version| version.generation).max().unwrap_or_default();
        Ok(Self { generation, ..Self::of(active)? })
    }

    /// Returns the fold that fills the tables of `model`.
    pub(crate) fn fold(&self, model: Model) -> u16 {
        let older = self.older.iter().find(|(other, _)| *other == model);
        older.map_or(model.fold(), |(_, fold)| *fold)
    }

    /// Returns `text` with the names of these tables.
    pub(crate) fn sql<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for (fold, version) in &self.renamed {
            if text.contains(fold.as_str()) {
                text = Cow::Owned(text.replace(fold.as_str(), version));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(model: Model, number: u16, fold: u16) -> Version {
        let stage = Stage::Active;
        Version { model, number, fold, stage, position: 0, generation: 7, compared: None, is_scratch: false }
    }

    #[test]
    fn statements_use_the_active_versions() {
        let versions = [version(Model::MEMBERS, 3, 1), version(Model::USERS, 1, 1)];
        let tables = Tables::read(&versions).expect("are known");
        let text = "select * from members_v1 join counters_v1 join users_v1 on members_v1_pkey";
        let expected = "select * from members_v3 join counters_v3 join users_v1 on members_v3_pkey";
        assert_eq!((tables.sql(text).as_ref(), tables.generation), (expected, 7));
    }

    #[test]
    fn tables_reject_unknown_newer_folds() {
        for (number, fold) in [(1, 1), (2, 1), (2, 2), (3, 2)] {
            let versions = [version(Model::USERS, 1, 1), version(Model::BALANCES, number, fold)];
            let tables = Tables::read(&versions).expect("are known");
            assert_eq!([Model::USERS, Model::BALANCES].map(|model| tables.fold(model)), [1, fold]);
            for named in [fold, Model::BALANCES.fold()] {
                assert_eq!(tables.sql(&format!("balances_v{named}")), format!("balances_v{number}"));
            }
        }
        let newer = version(Model::USERS, 2, 2);
        assert!(
            matches!(Tables::read(&[newer]), Err(Error::UnknownFold { version, fold: 2 }) if version == newer.to_string())
        );
        let unread = Version { stage: Stage::Dropped, ..newer };
        assert!(Tables::read(&[unread]).is_ok());
    }
}
