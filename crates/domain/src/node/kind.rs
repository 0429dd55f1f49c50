//! Types of nodes: which of them hold money here, and what they allow at first.

use serde::{Deserialize, Serialize};

use super::Allowed;
use crate::posting::Rail;

/// A node's type, as the API spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NodeKind {
    /// A bank account reached by ACH.
    #[serde(rename = "ACH-US")]
    AchUs,
    /// A bank account reached by wire.
    #[serde(rename = "WIRE-US")]
    WireUs,
    /// A bank account abroad, reached by wire.
    #[serde(rename = "WIRE-INT")]
    WireInt,
    /// A payee of paper checks.
    #[serde(rename = "CHECK-US")]
    CheckUs,
    /// Holds funds; wallet or escrow.
    #[serde(rename = "DEPOSIT-US")]
    DepositUs,
    /// A sub-account inside a pooled account.
    #[serde(rename = "SUBACCOUNT-US")]
    SubaccountUs,
    /// Holds reserves.
    #[serde(rename = "RESERVE-US")]
    ReserveUs,
    /// Clearing account in the name of the partner bank.
    #[serde(rename = "CLEARING-US")]
    ClearingUs,
    /// Deprecated; holds funds. The only type that may be credited with fees.
    #[serde(rename = "LEDGER-US")]
    LedgerUs,
    /// Deprecated; a sub-account inside a pooled account at a partner bank.
    #[serde(rename = "PARTNER-SUBACCOUNT-US")]
    PartnerSubaccountUs,
}

impl NodeKind {
    /// Every type.
    pub const ALL: [Self; 10] = [
        Self::AchUs,
        Self::WireUs,
        Self::WireInt,
        Self::CheckUs,
        Self::DepositUs,
        Self::SubaccountUs,
        Self::ReserveUs,
        Self::ClearingUs,
        Self::LedgerUs,
        Self::PartnerSubaccountUs,
    ];

    /// As the API spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AchUs => "ACH-US",
            Self::WireUs => "WIRE-US",
            Self::WireInt => "WIRE-INT",
            Self::CheckUs => "CHECK-US",
            Self::DepositUs => "DEPOSIT-US",
            Self::SubaccountUs => "SUBACCOUNT-US",
            Self::ReserveUs => "RESERVE-US",
            Self::ClearingUs => "CLEARING-US",
            Self::LedgerUs => "LEDGER-US",
            Self::PartnerSubaccountUs => "PARTNER-SUBACCOUNT-US",
        }
    }

    /// The type with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The rail that reaches a node of this type; none if the money is held here.
    #[must_use]
    pub const fn rail(self) -> Option<Rail> {
        match self {
            Self::AchUs => Some(Rail::Ach),
            Self::WireUs | Self::WireInt => Some(Rail::Wire),
            Self::CheckUs => Some(Rail::Check),
            Self::DepositUs
            | Self::SubaccountUs
            | Self::ReserveUs
            | Self::ClearingUs
            | Self::LedgerUs
            | Self::PartnerSubaccountUs => None,
        }
    }

    /// Whether the money is held here, so that the node has an account of ours.
    #[must_use]
    pub const fn is_held(self) -> bool {
        self.rail().is_none()
    }

    /// Whether it is a bank account that is its owner's unless said.
    #[must_use]
    pub const fn is_in_its_owners_name(self) -> bool {
        match self {
            Self::AchUs | Self::WireUs | Self::WireInt => true,
            Self::CheckUs
            | Self::DepositUs
            | Self::SubaccountUs
            | Self::ReserveUs
            | Self::ClearingUs
            | Self::LedgerUs
            | Self::PartnerSubaccountUs => false,
        }
    }

    /// Whether others may pay into a node of this type by account numbers of its own.
    #[must_use]
    pub const fn has_subnets(self) -> bool {
        match self {
            Self::DepositUs | Self::SubaccountUs | Self::LedgerUs | Self::PartnerSubaccountUs => true,
            Self::AchUs
            | Self::WireUs
            | Self::WireInt
            | Self::CheckUs
            | Self::ReserveUs
            | Self::ClearingUs => false,
        }
    }

    /// What a new node allows. Source: API 3.1, "Default allowed for deposit-type nodes"; external nodes are
    /// credited only until they are verified.
    #[must_use]
    pub const fn default_allowed(self) -> Allowed {
        match self {
            Self::DepositUs
            | Self::SubaccountUs
            | Self::ClearingUs
            | Self::LedgerUs
            | Self::PartnerSubaccountUs => Allowed::CreditAndDebit,
            Self::ReserveUs | Self::AchUs | Self::WireUs | Self::WireInt | Self::CheckUs => Allowed::Credit,
        }
    }

    /// Whether no new software should use it. Source: API 3.1, "Node".
    #[must_use]
    pub const fn is_deprecated(self) -> bool {
        match self {
            Self::LedgerUs | Self::PartnerSubaccountUs => true,
            Self::AchUs
            | Self::WireUs
            | Self::WireInt
            | Self::CheckUs
            | Self::DepositUs
            | Self::SubaccountUs
            | Self::ReserveUs
            | Self::ClearingUs => false,
        }
    }
}
