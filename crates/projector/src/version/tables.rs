//! Tables: which version of each read model statements are about.

use std::borrow::Cow;

use super::{Stage, Version};

/// Which version of each read model statements are about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tables {
    /// Those whose number is not that of their fold.
    renamed: Vec<(String, String)>,
    /// The newest change that this was read from.
    pub(crate) generation: u64,
}

impl Tables {
    /// The tables of `versions`, which are of different read models.
    pub(crate) fn of<'a>(versions: impl IntoIterator<Item = &'a Version>) -> Self {
        let mut renamed = vec![];
        for version in versions.into_iter().filter(|version| version.number != version.fold) {
            let Version { fold, number, .. } = version;
            let table = |table: &&str| (format!("{table}_v{fold}"), format!("{table}_v{number}"));
            renamed.extend(version.model.tables().iter().map(table));
        }
        Self { renamed, generation: 0 }
    }

    /// The tables that are read, of all versions.
    pub(crate) fn read(versions: &[Version]) -> Self {
        let active = versions.iter().filter(|version| version.stage == Stage::Active);
        let generation = versions.iter().map(|version| version.generation).max().unwrap_or_default();
        Self { generation, ..Self::of(active) }
    }

    /// `text` about these tables.
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
    use crate::read::Model;

    fn version(model: Model, number: u16) -> Version {
        let stage = Stage::Active;
        Version { model, number, fold: 1, stage, position: 0, generation: 7, compared: None }
    }

    #[test]
    fn statements_are_about_the_versions_that_are_read() {
        let versions = [version(Model::Members, 3), version(Model::Users, 1)];
        let tables = Tables::read(&versions);
        let text = "select * from members_v1 join counters_v1 join users_v1 on members_v1_pkey";
        let expected = "select * from members_v3 join counters_v3 join users_v1 on members_v3_pkey";
        assert_eq!((tables.sql(text).as_ref(), tables.generation), (expected, 7));
    }
}
