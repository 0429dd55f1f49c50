//! The body that creates a node. What must be in it depends on the type; a bank login is read elsewhere.

mod iban;
mod numbers;

use daybook_domain::node::NodeKind;
use daybook_engine::{Correspondent, NodeDetails, PayeeAddress, Secret};
use serde::Deserialize;

use super::bank_login::{self, BankCall};
use crate::ApiError;
use crate::wire::required;
use crate::wire::text::Text;

/// The body.
#[derive(Debug, Deserialize)]
pub struct CreateNode {
    #[serde(rename = "type")]
    kind: Option<Text>,
    info: Option<Info>,
    extra: Option<Extra>,
    is_active: Option<bool>,
    access_token: Option<Secret>,
    mfa_answer: Option<Secret>,
}

#[derive(Debug, Default, Deserialize)]
struct Info {
    nickname: Option<Text>,
    account_num: Option<Text>,
    routing_num: Option<Text>,
    swift: Option<Text>,
    bank_name: Option<Text>,
    address: Option<Text>,
    name_on_account: Option<Text>,
    class: Option<Class>,
    #[serde(rename = "type")]
    account_type: Option<AccountType>,
    payee_name: Option<Text>,
    payee_address: Option<Address>,
    correspondent_info: Option<CorrespondentIn>,
    bank_id: Option<Secret>,
    bank_pw: Option<Secret>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
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

#[derive(Clone, Copy, Debug, Deserialize)]
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

#[derive(Clone, Debug, Default, Deserialize)]
struct Address {
    address_street: Option<Text>,
    address_city: Option<Text>,
    address_subdivision: Option<Text>,
    address_country_code: Option<Text>,
    address_postal_code: Option<Text>,
}

#[derive(Clone, Debug, Deserialize)]
struct CorrespondentIn {
    routing_num: Option<Text>,
    swift: Option<Text>,
    bank_name: Option<Text>,
    address: Option<Text>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Extra {
    supp_id: Option<Text>,
    note: Option<Text>,
    gateway_restricted: Option<bool>,
}

/// What is asked for.
pub enum NewNodes {
    /// One node, by what the body says.
    One(Box<NewNode>),
    /// Nodes for the accounts that a bank shows.
    OfBank(BankCall),
}

/// A node that is well formed.
#[derive(Clone)]
pub struct NewNode {
    /// Its type.
    pub kind: NodeKind,
    /// In the lists, or only to be fetched by its id.
    pub is_active: bool,
    /// Debited only by calls that also carry the platform's own credentials.
    pub gateway_restricted: bool,
    /// To be sealed with class profile.
    pub details: NodeDetails,
}

impl CreateNode {
    /// Checks that everything is there that the type asks for.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field, [`ApiError::Conflict`] for a routing number or an IBAN that cannot be.
    pub fn parse(self) -> Result<NewNodes, ApiError> {
        if self.access_token.is_some() || self.mfa_answer.is_some() {
            return bank_login::answer(self.access_token, self.mfa_answer).map(NewNodes::OfBank);
        }
        let kind = parse_kind(self.kind)?;
        let info = self.info.unwrap_or_default();
        if kind == NodeKind::AchUs && (info.bank_id.is_some() || info.bank_pw.is_some()) {
            return bank_login::begin(info.bank_name, info.bank_id, info.bank_pw).map(NewNodes::OfBank);
        }
        let extra = self.extra.unwrap_or_default();
        let common = NodeDetails {
            nickname: required("info.nickname", info.nickname.clone())?,
            supp_id: extra.supp_id.map(String::from),
            note: extra.note.map(String::from),
            ..NodeDetails::default()
        };
        let details = match kind {
            NodeKind::AchUs => info.ach(common)?,
            NodeKind::WireUs => info.wire(common)?,
            NodeKind::WireInt => info.wire_abroad(common)?,
            NodeKind::CheckUs => info.check(common)?,
            NodeKind::DepositUs
            | NodeKind::SubaccountUs
            | NodeKind::ReserveUs
            | NodeKind::ClearingUs
            | NodeKind::LedgerUs
            | NodeKind::PartnerSubaccountUs => common,
        };
        Ok(NewNodes::One(Box::new(NewNode {
            kind,
            is_active: self.is_active.unwrap_or(true),
            gateway_restricted: extra.gateway_restricted.unwrap_or_default(),
            details,
        })))
    }
}

fn parse_kind(name: Option<Text>) -> Result<NodeKind, ApiError> {
    let name = required("type", name)?;
    NodeKind::parse(&name).ok_or_else(|| ApiError::invalid("type", "must be a type of nodes"))
}

impl Info {
    fn ach(self, common: NodeDetails) -> Result<NodeDetails, ApiError> {
        let account_num = numbers::account(self.account_num)?;
        let routing_num = numbers::routing(self.routing_num)?;
        let account_type = self.account_type.ok_or_else(|| ApiError::missing("info.type"))?;
        let class = self.class.ok_or_else(|| ApiError::missing("info.class"))?;
        if !numbers::has_aba_checksum(&routing_num) {
            return Err(ApiError::Conflict("routing_number", "The routing number does not exist.".into()));
        }
        Ok(NodeDetails {
            account_num: Some(account_num),
            routing_num: Some(routing_num),
            class: Some(class.as_str().to_owned()),
            account_type: Some(account_type.as_str().to_owned()),
            name_on_account: given(self.name_on_account),
            ..common
        })
    }

    fn wire(self, common: NodeDetails) -> Result<NodeDetails, ApiError> {
        Ok(NodeDetails {
            account_num: Some(numbers::account(self.account_num)?),
            routing_num: Some(numbers::routing(self.routing_num)?),
            bank_name: given(self.bank_name),
            address: given(self.address),
            name_on_account: given(self.name_on_account),
            correspondent: self.correspondent_info.map(CorrespondentIn::domestic),
            ..common
        })
    }

    fn wire_abroad(self, common: NodeDetails) -> Result<NodeDetails, ApiError> {
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

    fn check(self, common: NodeDetails) -> Result<NodeDetails, ApiError> {
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
fn given(text: Option<Text>) -> Option<String> {
    text.map(String::from).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests;
