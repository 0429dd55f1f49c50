//! What a body says about a place outside, and what each type asks for of it.

use daybook_engine::{Correspondent, NodeDetails, PayeeAddress, Secret};
use serde::Deserialize;
use utoipa::ToSchema;

use super::numbers;
use crate::ApiError;
use crate::description::values::Hidden;
use crate::wire::text::{Name, Text};
use crate::wire::{required, routing_number};

/// Every field that some type asks for.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = NewNodeInfo)]
pub(super) struct Info {
    pub(super) nickname: Option<Name>,
    account_num: Option<Text>,
    routing_num: Option<Text>,
    swift: Option<Text>,
    pub(super) bank_name: Option<Name>,
    address: Option<Text>,
    name_on_account: Option<Name>,
    class: Option<Class>,
    #[serde(rename = "type")]
    account_type: Option<AccountType>,
    payee_name: Option<Name>,
    payee_address: Option<Address>,
    correspondent_info: Option<CorrespondentIn>,
    #[schema(value_type = Option<Hidden>)]
    pub(super) bank_id: Option<Secret>,
    #[schema(value_type = Option<Hidden>)]
    pub(super) bank_pw: Option<Secret>,
}

#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[schema(as = BankAccountClass)]
enum Class {
    #[serde(rename = "CHECKING")]
    Checking,
    #[serde(rename = "SAVINGS")]
    Savings,
    #[serde(rename = "GENERAL_LEDGER")]
    GeneralLedger,
    #[serde(rename = "LOAN")]
    Loan,
}

impl Class {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Checking => "CHECKING",
            Self::Savings => "SAVINGS",
            Self::GeneralLedger => "GENERAL_LEDGER",
            Self::Loan => "LOAN",
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[schema(as = BankAccountType)]
enum AccountType {
    #[serde(rename = "PERSONAL")]
    Personal,
    #[serde(rename = "BUSINESS")]
    Business,
}

impl AccountType {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Personal => "PERSONAL",
            Self::Business => "BUSINESS",
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = NewPayeeAddress)]
struct Address {
    address_street: Option<Text>,
    address_city: Option<Text>,
    address_subdivision: Option<Text>,
    address_country_code: Option<Text>,
    address_postal_code: Option<Text>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewCorrespondent)]
struct CorrespondentIn {
    routing_num: Option<Text>,
    swift: Option<Text>,
    bank_name: Option<Name>,
    address: Option<Text>,
}

impl Info {
    pub(super) fn ach(self, common: NodeDetails) -> Result<NodeDetails, ApiError> {
        let account_num = numbers::account(self.account_num)?;
        let routing_num = routing_number::parse("info.routing_num", self.routing_num)?;
        let account_type = self.account_type.ok_or_else(|| ApiError::missing("info.type"))?;
        let class = self.class.ok_or_else(|| ApiError::missing("info.class"))?;
        routing_number::check(&routing_num)?;
        Ok(NodeDetails {
            account_num: Some(account_num),
            routing_num: Some(routing_num),
            class: Some(class.as_str().to_owned()),
            account_type: Some(account_type.as_str().to_owned()),
            name_on_account: given(self.name_on_account),
            ..common
        })
    }

    pub(super) fn wire(self, common: NodeDetails) -> Result<NodeDetails, ApiError> {
        Ok(NodeDetails {
            account_num: Some(numbers::account(self.account_num)?),
            routing_num: Some(routing_number::parse("info.routing_num", self.routing_num)?),
            bank_name: given(self.bank_name),
            address: given(self.address),
            name_on_account: given(self.name_on_account),
            correspondent: self.correspondent_info.map(CorrespondentIn::domestic),
            ..common
        })
    }

    pub(super) fn wire_abroad(self, common: NodeDetails) -> Result<NodeDetails, ApiError> {
        let correspondent = self.correspondent_info.map(CorrespondentIn::abroad).transpose()?;
        Ok(NodeDetails {
            account_num: Some(numbers::account_abroad(self.account_num)?),
            swift: Some(numbers::swift("info.swift", &required("info.swift", self.swift)?)?),
            bank_name: Some(required("info.bank_name", self.bank_name)?),
            address: Some(required("info.address", self.address)?),
            name_on_account: given(self.name_on_account),
            routing_num: given(self.routing_num).map(numbers::clearing_code).transpose()?,
            correspondent,
            ..common
        })
    }

    pub(super) fn check(self, common: NodeDetails) -> Result<NodeDetails, ApiError> {
        let payee_name = required("info.payee_name", self.payee_name)?;
        let address = self.payee_address.unwrap_or_default();
        let payee_address = PayeeAddress {
            address_street: required("info.payee_address.address_street", address.address_street)?,
            address_city: required("info.payee_address.address_city", address.address_city)?,
            address_subdivision: required(
                "info.payee_address.address_subdivision",
                address.address_subdivision,
            )?,
            address_country_code: required(
                "info.payee_address.address_country_code",
                address.address_country_code,
            )?,
            address_postal_code: required(
                "info.payee_address.address_postal_code",
                address.address_postal_code,
            )?,
        };
        Ok(NodeDetails { payee_name: Some(payee_name), payee_address: Some(payee_address), ..common })
    }
}

impl CorrespondentIn {
    fn domestic(self) -> Correspondent {
        Correspondent {
            routing_num: given(self.routing_num),
            bank_name: given(self.bank_name),
            address: given(self.address),
            swift: None,
        }
    }

    fn abroad(self) -> Result<Correspondent, ApiError> {
        let swift = given(self.swift.clone());
        let swift = swift.map(|code| numbers::swift("info.correspondent_info.swift", &code)).transpose()?;
        Ok(Correspondent { swift, ..self.domestic() })
    }
}

/// A text that need not be there; one of nothing is not.
fn given(text: Option<impl Into<String>>) -> Option<String> {
    text.map(Into::into).filter(|text| !text.trim().is_empty())
}
