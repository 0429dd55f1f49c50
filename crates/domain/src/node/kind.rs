//! Types of nodes: which of them hold money here, and what they allow at first.

use super::Allowed;
use crate::named;
use crate::posting::Rail;

named! {
    /// A node's type, as the API spells it.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum NodeKind {
        /// A bank account reached by ACH.
        AchUs => "ACH-US",
        /// A bank account reached by wire.
        WireUs => "WIRE-US",
        /// A bank account abroad, reached by wire.
        WireInt => "WIRE-INT",
        /// A payee of paper checks.
        CheckUs => "CHECK-US",
        /// Holds funds; wallet or escrow.
        DepositUs => "DEPOSIT-US",
        /// A sub-account inside a pooled account.
        SubaccountUs => "SUBACCOUNT-US",
        /// Holds reserves.
        ReserveUs => "RESERVE-US",
        /// Clearing account in the name of the partner bank.
        ClearingUs => "CLEARING-US",
        /// Deprecated; holds funds. The only type that may be credited with fees.
        LedgerUs => "LEDGER-US",
        /// Deprecated; a sub-account inside a pooled account at a partner bank.
        PartnerSubaccountUs => "PARTNER-SUBACCOUNT-US",
    }
}

impl NodeKind {
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
