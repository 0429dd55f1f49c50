//! Read models by name: their tables, and the kinds of aggregates that they are made of.

use std::fmt;
use std::str::FromStr;

use daybook_domain::Kind;

/// A read model: the unit that is rebuilt, compared and switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Model {
    /// Platforms by id.
    Platforms,
    /// Users by id.
    Users,
    /// Nodes by id, and those of a user.
    Nodes,
    /// Transactions, by the status that they are in.
    Transactions,
    /// Every entry of every account.
    Entries,
    /// The newest numbers of every account.
    Balances,
    /// Entries of accounts that count on another day than that of their recording.
    Daily,
    /// What the processes have to do.
    ToDos,
    /// Lists and their totals.
    Members,
    /// Who takes part in transactions: lists of these.
    Parties,
    /// Platforms' accounts at banks.
    Custodies,
    /// What operators asked for.
    Operations,
    /// Debits and credits of every ledger account.
    Ledger,
    /// What is open at banks.
    OpenItems,
    /// Transactions that are held back.
    Queued,
    /// For whom they wait.
    Waiting,
    /// Files that were cut.
    Files,
    /// Subnets by id.
    Subnets,
    /// Subscriptions by id.
    Subscriptions,
}

impl Model {
    /// Every read model.
    pub const ALL: [Self; 19] = [
        Self::Platforms,
        Self::Users,
        Self::Nodes,
        Self::Transactions,
        Self::Entries,
        Self::Balances,
        Self::Daily,
        Self::ToDos,
        Self::Members,
        Self::Parties,
        Self::Custodies,
        Self::Operations,
        Self::Ledger,
        Self::OpenItems,
        Self::Queued,
        Self::Waiting,
        Self::Files,
        Self::Subnets,
        Self::Subscriptions,
    ];

    /// Its name, which is stored and never reused.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.tables()[0]
    }

    /// Its tables without their versions, the one that it is named after first.
    #[must_use]
    pub const fn tables(self) -> &'static [&'static str] {
        match self {
            Self::Platforms => &["platforms"],
            Self::Users => &["users"],
            Self::Nodes => &["nodes"],
            Self::Transactions => &["transactions"],
            Self::Entries => &["entries"],
            Self::Balances => &["balances"],
            Self::Daily => &["daily"],
            Self::ToDos => &["to_dos"],
            Self::Members => &["members", "counters"],
            Self::Parties => &["parties", "lasts"],
            Self::Custodies => &["custodies"],
            Self::Operations => &["operations"],
            Self::Ledger => &["ledger"],
            Self::OpenItems => &["open_items"],
            Self::Queued => &["queued"],
            Self::Waiting => &["waiting"],
            Self::Files => &["files", "traces"],
            Self::Subnets => &["subnets"],
            Self::Subscriptions => &["subscriptions"],
        }
    }

    /// The newest of the folds that fill it.
    #[must_use]
    pub const fn fold(self) -> u16 {
        if matches!(self, Self::Members) {
            3
        } else if matches!(self, Self::Balances | Self::Daily | Self::Entries | Self::Transactions) {
            2
        } else {
            1
        }
    }

    /// The kinds of aggregates whose events it is made of; those of others need not be decoded for it.
    pub(crate) const fn kinds(self) -> &'static [Kind] {
        match self {
            Self::Platforms => &[Kind::Platform],
            Self::Users => &[Kind::User],
            Self::Nodes => &[Kind::Node],
            Self::Transactions | Self::Parties | Self::OpenItems | Self::Queued => &[Kind::Transaction],
            Self::Entries | Self::Balances | Self::Daily => &[Kind::Account],
            Self::ToDos => &[Kind::User, Kind::Transaction, Kind::Custody],
            Self::Members => &[Kind::User, Kind::Node, Kind::Transaction, Kind::Subnet, Kind::Subscription],
            Self::Custodies | Self::Files => &[Kind::Custody],
            Self::Operations => &[Kind::Operation],
            Self::Ledger => &[Kind::Transaction, Kind::Custody, Kind::Operation],
            Self::Waiting => &[Kind::User, Kind::Node, Kind::Transaction],
            Self::Subnets => &[Kind::Subnet],
            Self::Subscriptions => &[Kind::Subscription],
        }
    }

    /// Those of [`Model::kinds`] of whose streams the first event alone tells it everything.
    pub(crate) const fn kinds_of_first(self) -> &'static [Kind] {
        // Whoever takes part in a transaction does so from its creation on, and for ever.
        if matches!(self, Self::Members | Self::Parties) { &[Kind::Transaction] } else { &[] }
    }

    /// Whether its rows hold the states of records. Those of transactions tell as little as lists look for.
    pub(crate) const fn holds_states(self) -> bool {
        self.is_record() && !matches!(self, Self::Transactions)
    }

    /// Whether it has a row for each record of a kind.
    pub(crate) const fn is_record(self) -> bool {
        match self {
            Self::Platforms
            | Self::Users
            | Self::Nodes
            | Self::Transactions
            | Self::Custodies
            | Self::Operations
            | Self::Subnets
            | Self::Subscriptions => true,
            Self::Entries
            | Self::Balances
            | Self::Daily
            | Self::ToDos
            | Self::Members
            | Self::Parties
            | Self::Ledger
            | Self::OpenItems
            | Self::Queued
            | Self::Waiting
            | Self::Files => false,
        }
    }

    /// Whether what is read of it tells of every position, and not of now alone.
    #[must_use]
    pub const fn tells_past(self) -> bool {
        self.is_record() || matches!(self, Self::Entries | Self::Balances | Self::Ledger)
    }

    /// Whether its rows follow from the states of records.
    pub(crate) const fn is_derived(self) -> bool {
        matches!(
            self,
            Self::ToDos | Self::Members | Self::Parties | Self::OpenItems | Self::Queued | Self::Waiting
        )
    }

    /// Whether it is made of the states of records, and not of events alone.
    pub(crate) const fn needs_states(self) -> bool {
        self.is_record() || self.is_derived()
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
