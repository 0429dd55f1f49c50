//! Types of nodes: the rail that reaches them, and the default of `allowed`.

use super::Allowed;
use crate::named;
use crate::posting::Rail;

named! {
    /// Type of a node, as the API spells it.
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
        /// A wallet or an escrow account, which holds money here.
        DepositUs => "DEPOSIT-US",
        /// A sub-account inside a pooled account.
        SubaccountUs => "SUBACCOUNT-US",
        /// A reserve, which holds money here.
        ReserveUs => "RESERVE-US",
        /// A clearing account in the name of the partner bank.
        ClearingUs => "CLEARING-US",
        /// Deprecated; an account that holds money here. The only type that may be credited with fees.
        LedgerUs => "LEDGER-US",
        /// Deprecated; a sub-account inside a pooled account at a partner bank.
        PartnerSubaccountUs => "PARTNER-SUBACCOUNT-US",
    }
}

impl NodeKind {
    /// The rail that reaches a node of this type; `None` if its money is held here.
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

    /// Returns true if the money is held here, so that the node has a ledger account.
    #[must_use]
    pub const fn is_held(self) -> bool {
        self.rail().is_none()
    }

    /// Returns true for a bank account that is in its owner's name unless the request says otherwise.
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

    /// Returns true if a node of this type may have subnets: account numbers by which others pay into it.
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

    /// Default of `allowed`. Source: API 3.1, "Default allowed for deposit-type nodes"; external nodes allow only
    /// credits until they are verified.
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

    /// Returns true if new clients should not use the type. Source: API 3.1, "Node".
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
