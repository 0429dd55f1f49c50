//! What sort of account one at a bank is.

use daybook_domain::named;
use utoipa::ToSchema;

use crate::wire::text::Text;

named! {
    /// What sort of account it is.
    #[derive(ToSchema)]
    #[serde(try_from = "Text")]
    #[schema(as = BankAccountClass)]
    pub(super) enum Class {
        Checking => "CHECKING",
        Savings => "SAVINGS",
        GeneralLedger => "GENERAL_LEDGER",
        Loan => "LOAN",
    }
}

/// By hand: of what is no text the derived one says that it is no JSON.
impl TryFrom<Text> for Class {
    type Error = &'static str;

    fn try_from(name: Text) -> Result<Self, &'static str> {
        Self::parse(name.as_str()).ok_or("must be CHECKING, SAVINGS, GENERAL_LEDGER or LOAN")
    }
}

named! {
    /// Whose account it is.
    #[derive(ToSchema)]
    #[serde(try_from = "Text")]
    #[schema(as = BankAccountType)]
    pub(super) enum AccountType {
        Personal => "PERSONAL",
        Business => "BUSINESS",
    }
}

/// By hand: of what is no text the derived one says that it is no JSON.
impl TryFrom<Text> for AccountType {
    type Error = &'static str;

    fn try_from(name: Text) -> Result<Self, &'static str> {
        Self::parse(name.as_str()).ok_or("must be PERSONAL or BUSINESS")
    }
}
