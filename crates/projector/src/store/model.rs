//! Read models by name, and their declarations.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use daybook_domain::Kind;

/// A read model: the unit that is rebuilt, compared and switched. The table in `models` defines a constant for each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Model(u8);

/// The declaration of a read model: one constant in its folder.
pub(crate) struct Definition {
    /// Its tables without their versions. The first one gives the read model its name.
    pub(crate) tables: &'static [&'static str],
    /// Number of the newest fold that fills it.
    pub(crate) fold: u16,
    /// Kinds of aggregates whose events it needs. Events of other kinds are not decoded for it.
    pub(crate) kinds: &'static [Kind],
    /// Kinds of which it needs only the first event of each stream; a subset of `kinds`.
    pub(crate) kinds_of_first: &'static [Kind],
    /// Source of its rows.
    pub(crate) made_of: MadeOf,
    /// True if queries read past positions from it, and not the newest only.
    pub(crate) tells_past: bool,
    /// Returns the statements that create its tables for a fold, tables before indexes. They can be repeated.
    pub(crate) schema: fn(u16) -> Cow<'static, str>,
    /// Columns that differ between two folds, in either direction: the name in the new one, and an expression over the
    /// columns of the old one. A column that neither is the same nor listed here is not compared, and a comparison
    /// reports it.
    pub(crate) reshaped: fn(u16, u16) -> &'static [(&'static str, &'static str)],
    /// Condition on the rows of a table that are compared between two folds; none for all rows. The other rows exist in
    /// one of the folds only, or no query reads them.
    pub(crate) compared: fn(&str, u16, u16) -> Option<&'static str>,
    /// Statement that deletes rows that only a rebuild without indexes needs; its parameter is the shard. None if there
    /// are no such rows.
    pub(crate) leftover: Option<&'static str>,
}

/// Source of a read model's rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MadeOf {
    /// Events only.
    Events,
    /// The state of one record, which the row contains.
    Record,
    /// The state of one record, of which the row contains a few columns.
    RecordInPart,
    /// The difference between the states of a record before and after a page.
    States,
}

impl Definition {
    /// Returns a declaration with one fold and without conditions on the compared rows.
    pub(crate) const fn new(
        tables: &'static [&'static str],
        kinds: &'static [Kind],
        made_of: MadeOf,
        schema: fn(u16) -> Cow<'static, str>,
    ) -> Self {
        Self {
            tables,
            fold: 1,
            kinds,
            kinds_of_first: &[],
            made_of,
            tells_past: matches!(made_of, MadeOf::Record | MadeOf::RecordInPart),
            schema,
            reshaped: |_, _| &[],
            compared: |_, _, _| None,
            leftover: None,
        }
    }
}

impl Model {
    /// Returns the read model with this number in the table of read models.
    pub(crate) const fn numbered(number: u8) -> Self {
        Self(number)
    }

    /// Returns its number in the table of read models.
    pub(crate) const fn number(self) -> usize {
        self.0 as usize
    }

    /// Returns its name, which is stored and never reused.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.tables()[0]
    }

    /// Returns its tables without their versions. The first one gives the read model its name.
    #[must_use]
    pub const fn tables(self) -> &'static [&'static str] {
        self.definition().tables
    }

    /// Returns the number of the newest fold that fills it.
    #[must_use]
    pub const fn fold(self) -> u16 {
        self.definition().fold
    }

    /// Returns true if queries read past positions from it, and not the newest only.
    #[must_use]
    pub const fn tells_past(self) -> bool {
        self.definition().tells_past
    }

    /// Returns true if its rows contain the states of records.
    pub(crate) const fn holds_states(self) -> bool {
        matches!(self.definition().made_of, MadeOf::Record)
    }

    /// Returns true if it has a row for each record of a kind.
    pub(crate) const fn is_record(self) -> bool {
        matches!(self.definition().made_of, MadeOf::Record | MadeOf::RecordInPart)
    }

    /// Returns true if its rows are derived from the states of records.
    pub(crate) const fn is_derived(self) -> bool {
        matches!(self.definition().made_of, MadeOf::States)
    }

    /// Returns true if it needs the states of records, and not events only.
    pub(crate) const fn needs_states(self) -> bool {
        !matches!(self.definition().made_of, MadeOf::Events)
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No read model has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no read model {0:?}")]
pub struct UnknownModel(pub String);

impl FromStr for Model {
    type Err = UnknownModel;

    fn from_str(name: &str) -> Result<Self, UnknownModel> {
        let named = Self::ALL.into_iter().find(|model| model.name() == name);
        named.ok_or_else(|| UnknownModel(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_models_are_found_by_name() {
        for model in Model::ALL {
            assert_eq!(model.name().parse(), Ok(model));
        }
        assert_eq!("user".parse::<Model>(), Err(UnknownModel("user".into())));
    }

    #[test]
    fn no_table_name_ends_with_another() {
        let names: Vec<_> = Model::ALL.iter().flat_map(|model| model.tables()).collect();
        for name in &names {
            assert_eq!(names.iter().filter(|other| other.ends_with(*name)).count(), 1, "{name}");
        }
    }
}
