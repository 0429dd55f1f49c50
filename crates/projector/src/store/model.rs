//! Read models by name, and what each declares of itself.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use daybook_domain::Kind;

/// A read model: the unit that is rebuilt, compared and switched. There is a constant for each, from the table in
/// `models`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Model(u8);

/// The declaration of a read model: one constant in its folder.
pub(crate) struct Definition {
    /// Its tables without their versions, the one that it is named after first.
    pub(crate) tables: &'static [&'static str],
    /// The newest of the folds that fill it.
    pub(crate) fold: u16,
    /// The kinds of aggregates whose events it is made of; those of others need not be decoded for it.
    pub(crate) kinds: &'static [Kind],
    /// Those of `kinds` of whose streams the first event alone tells it everything.
    pub(crate) kinds_of_first: &'static [Kind],
    /// The source of its rows.
    pub(crate) made_of: MadeOf,
    /// Whether queries read past positions from it, and not the newest alone.
    pub(crate) tells_past: bool,
    /// The statements that make its tables for a fold, tables before indexes; may be run again and again.
    pub(crate) schema: fn(u16) -> Cow<'static, str>,
    /// Columns that a new fold fills otherwise than an old one, whichever came first: their names, and their expressions over
    /// the columns of the old. A column that neither is the same nor named here is not compared, and a comparison says so.
    pub(crate) reshaped: fn(u16, u16) -> &'static [(&'static str, &'static str)],
    /// The condition on the rows of a table that are compared between two folds, if not all are: others only one of the
    /// folds has, or no query reads them.
    pub(crate) compared: fn(&str, u16, u16) -> Option<&'static str>,
    /// The statement that deletes rows that only a rebuild needed that had no index yet, if there are such: shard.
    pub(crate) leftover: Option<&'static str>,
}

/// The source of a read model's rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MadeOf {
    /// Events alone.
    Events,
    /// The state of one record, which the row holds.
    Record,
    /// The state of one record, of which the row holds a few columns.
    RecordInPart,
    /// A difference between the states of a record before and after a page.
    States,
}

impl Definition {
    /// The declaration of a read model with one fold, all of whose rows are compared.
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
    /// The read model at this place of the table.
    pub(crate) const fn numbered(number: u8) -> Self {
        Self(number)
    }

    /// Its place in the table.
    pub(crate) const fn number(self) -> usize {
        self.0 as usize
    }

    /// Its name, which is stored and never reused.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.tables()[0]
    }

    /// Its tables without their versions, the one that it is named after first.
    #[must_use]
    pub const fn tables(self) -> &'static [&'static str] {
        self.definition().tables
    }

    /// The newest of the folds that fill it.
    #[must_use]
    pub const fn fold(self) -> u16 {
        self.definition().fold
    }

    /// Whether queries read past positions from it, and not the newest alone.
    #[must_use]
    pub const fn tells_past(self) -> bool {
        self.definition().tells_past
    }

    /// Whether its rows hold the states of records.
    pub(crate) const fn holds_states(self) -> bool {
        matches!(self.definition().made_of, MadeOf::Record)
    }

    /// Whether it has a row for each record of a kind.
    pub(crate) const fn is_record(self) -> bool {
        matches!(self.definition().made_of, MadeOf::Record | MadeOf::RecordInPart)
    }

    /// Whether its rows follow from the states of records.
    pub(crate) const fn is_derived(self) -> bool {
        matches!(self.definition().made_of, MadeOf::States)
    }

    /// Whether it is made of the states of records, and not of events alone.
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

/// There is no read model of this name.
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
    fn every_read_model_is_found_by_its_name() {
        for model in Model::ALL {
            assert_eq!(model.name().parse(), Ok(model));
        }
        assert_eq!("user".parse::<Model>(), Err(UnknownModel("user".into())));
    }

    #[test]
    fn no_name_of_a_table_ends_with_another() {
        let names: Vec<_> = Model::ALL.iter().flat_map(|model| model.tables()).collect();
        for name in &names {
            assert_eq!(names.iter().filter(|other| other.ends_with(*name)).count(), 1, "{name}");
        }
    }
}
