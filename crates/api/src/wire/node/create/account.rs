//! Class and type of a bank account.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::wire::text::Text;

/// Class of a bank account.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(try_from = "Text")]
#[schema(as = BankAccountClass)]
pub(super) enum Class {
    #[serde(rename = "CHECKING")]
    Checking,
    #[serde(rename = "SAVINGS")]
    Savings,
    #[serde(rename = "GENERAL_LEDGER")]
    GeneralLedger,
    #[serde(rename = "LOAN")]
    Loan,
}

/// Implemented by hand: for a value that is not a text, the derived implementation reports that the body is not JSON.
impl TryFrom<Text> for Class {
    type Error = &'static str;

    fn try_from(name: Text) -> Result<Self, &'static str> {
        match name.as_str() {
            "CHECKING" => Ok(Self::Checking),
            "SAVINGS" => Ok(Self::Savings),
            "GENERAL_LEDGER" => Ok(Self::GeneralLedger),
            "LOAN" => Ok(Self::Loan),
            _ => Err("must be CHECKING, SAVINGS, GENERAL_LEDGER or LOAN"),
        }
    }
}

impl Class {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Checking => "CHECKING",
            Self::Savings => "SAVINGS",
            Self::GeneralLedger => "GENERAL_LEDGER",
            Self::Loan => "LOAN",
        }
    }
}

/// Type of a bank account's holder.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(try_from = "Text")]
#[schema(as = BankAccountType)]
pub(super) enum AccountType {
    #[serde(rename = "PERSONAL")]
    Personal,
    #[serde(rename = "BUSINESS")]
    Business,
}

/// Implemented by hand: for a value that is not a text, the derived implementation reports that the body is not JSON.
impl TryFrom<Text> for AccountType {
    type Error = &'static str;

    fn try_from(name: Text) -> Result<Self, &'static str> {
        match name.as_str() {
            "PERSONAL" => Ok(Self::Personal),
            "BUSINESS" => Ok(Self::Business),
            _ => Err("must be PERSONAL or BUSINESS"),
        }
    }
}

impl AccountType {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Personal => "PERSONAL",
            Self::Business => "BUSINESS",
        }
    }
}
