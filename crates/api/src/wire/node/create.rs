//! The body that creates a node. What must be in it depends on the type; a bank login is read elsewhere.

use daybook_domain::node::NodeKind;
use daybook_engine::{Correspondent, NodeDetails, PayeeAddress, Secret};
use serde::Deserialize;

use super::bank_login::{self, BankCall};
use crate::ApiError;
use crate::wire::required;
use crate::wire::text::Text;

/// Types of the contract that cannot be created yet.
const NOT_THERE_YET: [&str; 2] = ["WIRE-INT", "PARTNER-SUBACCOUNT-US"];

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
    class: Option<Class>,
    #[serde(rename = "type")]
    account_type: Option<AccountType>,
    payee_name: Option<Text>,
    payee_address: Option<Address>,
    correspondent_info: Option<CorrespondentIn>,
    bank_name: Option<Text>,
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
    /// [`ApiError::Invalid`] naming the field, [`ApiError::Conflict`] for a routing number that cannot be,
    /// [`ApiError::NotFound`] for types that Daybook does not have yet.
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
            NodeKind::CheckUs => info.check(common)?,
            NodeKind::DepositUs
            | NodeKind::SubaccountUs
            | NodeKind::ReserveUs
            | NodeKind::ClearingUs
            | NodeKind::LedgerUs => common,
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
    if NOT_THERE_YET.contains(&name.as_str()) {
        return Err(ApiError::NotFound);
    }
    NodeKind::parse(&name).ok_or_else(|| ApiError::invalid("type", "must be a type of nodes"))
}

impl Info {
    fn ach(self, common: NodeDetails) -> Result<NodeDetails, ApiError> {
        let account_num = account_number(self.account_num)?;
        let routing_num = routing_number(self.routing_num)?;
        let account_type = self.account_type.ok_or_else(|| ApiError::missing("info.type"))?;
        let class = self.class.ok_or_else(|| ApiError::missing("info.class"))?;
        if !has_aba_checksum(&routing_num) {
            return Err(ApiError::Conflict("routing_number", "The routing number does not exist.".into()));
        }
        Ok(NodeDetails {
            account_num: Some(account_num),
            routing_num: Some(routing_num),
            class: Some(class.as_str().to_owned()),
            account_type: Some(account_type.as_str().to_owned()),
            ..common
        })
    }

    fn wire(self, common: NodeDetails) -> Result<NodeDetails, ApiError> {
        let correspondent = self.correspondent_info.map(|bank| Correspondent {
            routing_num: bank.routing_num.map(String::from),
            bank_name: bank.bank_name.map(String::from),
            address: bank.address.map(String::from),
        });
        Ok(NodeDetails {
            account_num: Some(account_number(self.account_num)?),
            routing_num: Some(routing_number(self.routing_num)?),
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

fn account_number(text: Option<Text>) -> Result<String, ApiError> {
    let number = required("info.account_num", text)?;
    let is_number = (4..=17).contains(&number.len()) && is_digits(&number);
    if is_number { Ok(number) } else { Err(ApiError::invalid("info.account_num", "must be 4 to 17 digits")) }
}

fn routing_number(text: Option<Text>) -> Result<String, ApiError> {
    let number = required("info.routing_num", text)?;
    let is_number = number.len() == 9 && is_digits(&number);
    if is_number { Ok(number) } else { Err(ApiError::invalid("info.routing_num", "must be 9 digits")) }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the digits of a routing number, weighed 3, 7, 1 in turn, sum to a multiple of ten. Source: American
/// Bankers Association, routing number policy. Nine zeros do, and are no bank.
fn has_aba_checksum(number: &str) -> bool {
    let weights = [3, 7, 1].into_iter().cycle();
    let sum: u32 = number.bytes().map(|digit| u32::from(digit - b'0')).zip(weights).map(|(d, w)| d * w).sum();
    sum > 0 && sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests;
