//! Field `info` of a new node, type by type.

use daybook_engine::{Correspondent, NodeDetails, PayeeAddress, Secret};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use super::account::{AccountType, Class};
use super::correspondent::{Between, BetweenAbroad};
use super::numbers;
use crate::ApiError;
use crate::description::values::Hidden;
use crate::wire::form::{AccountAbroad, AccountUs, ClearingCode, CountryCode, RoutingNumber, Swift};
use crate::wire::text::{Name, SaidName, SaidText, Text};
use crate::wire::{required, routing_number};

/// Field `info` of one type of node.
pub(super) trait Info: DeserializeOwned + Default {
    /// Adds the values to the labels.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field, [`ApiError::Conflict`] for an invalid number.
    fn onto(self, labels: NodeDetails) -> Result<NodeDetails, ApiError>;
}

/// Details of a node that holds money in Daybook.
#[derive(Default, Deserialize, ToSchema)]
#[schema(as = NewHeldInfo)]
pub(super) struct HeldInfo {
    #[schema(value_type = SaidName)]
    nickname: Option<SaidName>,
}

/// Details of a bank account, added by its numbers.
#[derive(Default, Deserialize, ToSchema)]
#[schema(as = NewAchInfo)]
pub(super) struct AchInfo {
    #[schema(value_type = SaidName)]
    nickname: Option<SaidName>,
    #[schema(value_type = AccountUs)]
    account_num: Option<AccountUs>,
    /// Routing number of nine digits with a valid check digit.
    #[schema(value_type = RoutingNumber)]
    routing_num: Option<RoutingNumber>,
    #[serde(rename = "type")]
    #[schema(value_type = AccountType)]
    account_type: Option<AccountType>,
    #[schema(value_type = Class)]
    class: Option<Class>,
    name_on_account: Option<Name>,
}

/// Credentials of a bank login.
#[derive(Default, Deserialize, ToSchema)]
#[schema(as = NewLoginInfo)]
pub(super) struct LoginInfo {
    #[schema(value_type = SaidName)]
    pub(super) bank_name: Option<SaidName>,
    #[schema(value_type = Hidden)]
    pub(super) bank_id: Option<Secret>,
    #[schema(value_type = Hidden)]
    pub(super) bank_pw: Option<Secret>,
}

/// Details of a bank account that receives wires within the US.
#[derive(Default, Deserialize, ToSchema)]
#[schema(as = NewWireInfo)]
pub(super) struct WireInfo {
    #[schema(value_type = SaidName)]
    nickname: Option<SaidName>,
    #[schema(value_type = AccountUs)]
    account_num: Option<AccountUs>,
    /// Routing number of nine digits with a valid check digit.
    #[schema(value_type = RoutingNumber)]
    routing_num: Option<RoutingNumber>,
    bank_name: Option<Name>,
    address: Option<Text>,
    name_on_account: Option<Name>,
    correspondent_info: Option<Between>,
}

/// Details of a bank account that receives wires abroad.
#[derive(Default, Deserialize, ToSchema)]
#[schema(as = NewWireAbroadInfo)]
pub(super) struct WireAbroadInfo {
    #[schema(value_type = SaidName)]
    nickname: Option<SaidName>,
    /// Account number. If it begins with two letters it must be a valid IBAN.
    #[schema(value_type = AccountAbroad)]
    account_num: Option<AccountAbroad>,
    #[schema(value_type = Swift)]
    swift: Option<Swift>,
    #[schema(value_type = SaidName)]
    bank_name: Option<SaidName>,
    #[schema(value_type = SaidText)]
    address: Option<SaidText>,
    name_on_account: Option<Name>,
    routing_num: Option<ClearingCode>,
    correspondent_info: Option<BetweenAbroad>,
}

/// Details of a payee that receives checks.
#[derive(Default, Deserialize, ToSchema)]
#[schema(as = NewCheckInfo)]
pub(super) struct CheckInfo {
    #[schema(value_type = SaidName)]
    nickname: Option<SaidName>,
    #[schema(value_type = SaidName)]
    payee_name: Option<SaidName>,
    #[schema(value_type = Address)]
    payee_address: Option<Address>,
}

#[derive(Default, Deserialize, ToSchema)]
#[schema(as = NewPayeeAddress)]
struct Address {
    #[schema(value_type = SaidName)]
    address_street: Option<SaidName>,
    #[schema(value_type = SaidName)]
    address_city: Option<SaidName>,
    #[schema(value_type = SaidName)]
    address_subdivision: Option<SaidName>,
    #[schema(value_type = CountryCode)]
    address_country_code: Option<CountryCode>,
    #[schema(value_type = SaidName)]
    address_postal_code: Option<SaidName>,
}

impl Info for HeldInfo {
    fn onto(self, labels: NodeDetails) -> Result<NodeDetails, ApiError> {
        named(self.nickname, labels)
    }
}

impl Info for AchInfo {
    fn onto(self, labels: NodeDetails) -> Result<NodeDetails, ApiError> {
        let labels = named(self.nickname, labels)?;
        let account_num = required("info.account_num", self.account_num)?;
        let routing_num = required("info.routing_num", self.routing_num)?;
        let account_type = self.account_type.ok_or_else(|| ApiError::missing("info.type"))?;
        let class = self.class.ok_or_else(|| ApiError::missing("info.class"))?;
        routing_number::check(&routing_num)?;
        Ok(NodeDetails {
            account_num: Some(account_num),
            routing_num: Some(routing_num),
            class: Some(class.as_str().to_owned()),
            account_type: Some(account_type.as_str().to_owned()),
            name_on_account: given(self.name_on_account),
            ..labels
        })
    }
}

impl Info for WireInfo {
    fn onto(self, labels: NodeDetails) -> Result<NodeDetails, ApiError> {
        let labels = named(self.nickname, labels)?;
        let account_num = required("info.account_num", self.account_num)?;
        let routing_num = required("info.routing_num", self.routing_num)?;
        routing_number::check(&routing_num)?;
        Ok(NodeDetails {
            account_num: Some(account_num),
            routing_num: Some(routing_num),
            bank_name: given(self.bank_name),
            address: given(self.address),
            name_on_account: given(self.name_on_account),
            correspondent: self.correspondent_info.map(Correspondent::try_from).transpose()?,
            ..labels
        })
    }
}

impl Info for WireAbroadInfo {
    fn onto(self, labels: NodeDetails) -> Result<NodeDetails, ApiError> {
        let labels = named(self.nickname, labels)?;
        let account_num = required("info.account_num", self.account_num)?;
        let swift = required("info.swift", self.swift)?;
        let (bank_name, address) =
            (required("info.bank_name", self.bank_name)?, required("info.address", self.address)?);
        Ok(NodeDetails {
            account_num: Some(numbers::account_abroad(&account_num)?),
            swift: Some(numbers::compact(&swift)),
            bank_name: Some(bank_name),
            address: Some(address),
            name_on_account: given(self.name_on_account),
            routing_num: given(self.routing_num),
            correspondent: self.correspondent_info.map(Correspondent::from),
            ..labels
        })
    }
}

impl Info for CheckInfo {
    fn onto(self, labels: NodeDetails) -> Result<NodeDetails, ApiError> {
        let labels = named(self.nickname, labels)?;
        let payee_name = required("info.payee_name", self.payee_name)?;
        let address = self.payee_address.unwrap_or_default();
        let part = |name: &str, text| required(format!("info.payee_address.{name}"), text);
        let code = address.address_country_code;
        let payee_address = PayeeAddress {
            address_street: part("address_street", address.address_street)?,
            address_city: part("address_city", address.address_city)?,
            address_subdivision: part("address_subdivision", address.address_subdivision)?,
            address_country_code: required("info.payee_address.address_country_code", code)?,
            address_postal_code: part("address_postal_code", address.address_postal_code)?,
        };
        Ok(NodeDetails { payee_name: Some(payee_name), payee_address: Some(payee_address), ..labels })
    }
}

/// Adds the nickname, which every node needs.
fn named(nickname: Option<SaidName>, labels: NodeDetails) -> Result<NodeDetails, ApiError> {
    Ok(NodeDetails { nickname: required("info.nickname", nickname)?, ..labels })
}

/// Returns an optional text; a blank text counts as absent.
pub(super) fn given(text: Option<impl Into<String>>) -> Option<String> {
    text.map(Into::into).filter(|text| !text.trim().is_empty())
}
