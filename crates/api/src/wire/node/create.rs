//! The body that creates a node. What must be in it depends on the type; a bank login is read elsewhere.

mod iban;
mod info;
mod numbers;

use daybook_domain::node::NodeKind;
use daybook_engine::{NodeDetails, Secret};
use info::Info;
use serde::Deserialize;
use utoipa::ToSchema;

use super::bank_login::{self, BankCall};
use crate::ApiError;
use crate::description::values::{Hidden, NodeType};
use crate::wire::required;
use crate::wire::text::Text;

/// The body.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateNode {
    #[serde(rename = "type")]
    #[schema(value_type = Option<NodeType>)]
    kind: Option<Text>,
    info: Option<Info>,
    extra: Option<Extra>,
    is_active: Option<bool>,
    #[schema(value_type = Option<Hidden>)]
    access_token: Option<Secret>,
    #[schema(value_type = Option<Hidden>)]
    mfa_answer: Option<Secret>,
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = NewNodeExtra)]
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

#[cfg(test)]
mod tests;
