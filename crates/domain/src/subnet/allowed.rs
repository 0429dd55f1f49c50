//! What a subnet allows, and what others take it for.

use serde::{Deserialize, Serialize};

/// Which way money may go by a subnet's number, as the API spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Allowed {
    /// In and out.
    #[serde(rename = "CREDIT-AND-DEBIT")]
    CreditAndDebit,
    /// In only.
    #[serde(rename = "CREDIT")]
    Credit,
    /// Out only.
    #[serde(rename = "DEBIT")]
    Debit,
    /// Neither: it is not used any more.
    #[serde(rename = "INACTIVE")]
    Inactive,
    /// Neither, for now.
    #[serde(rename = "LOCKED")]
    Locked,
}

impl Allowed {
    /// All there are.
    pub const ALL: [Self; 5] =
        [Self::CreditAndDebit, Self::Credit, Self::Debit, Self::Inactive, Self::Locked];

    /// As the API spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CreditAndDebit => "CREDIT-AND-DEBIT",
            Self::Credit => "CREDIT",
            Self::Debit => "DEBIT",
            Self::Inactive => "INACTIVE",
            Self::Locked => "LOCKED",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }
}

/// A sort of bank account, as the API spells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccountClass {
    /// For payments.
    #[default]
    #[serde(rename = "CHECKING")]
    Checking,
    /// For savings.
    #[serde(rename = "SAVINGS")]
    Savings,
}

impl AccountClass {
    /// All there are.
    pub const ALL: [Self; 2] = [Self::Checking, Self::Savings];

    /// As the API spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Checking => "CHECKING",
            Self::Savings => "SAVINGS",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }
}
