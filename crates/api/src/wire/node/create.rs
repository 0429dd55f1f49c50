//! Body of a request that creates a node. Its required fields depend on the type of the node, and each type parses its
//! own. Bank logins are parsed in `bank_login`.

mod account;
mod correspondent;
mod iban;
mod info;
mod numbers;
mod shape;

use daybook_domain::node::NodeKind;
use daybook_domain::posting::Rail;
use daybook_engine::{NodeDetails, Secret};
use info::{AchInfo, CheckInfo, HeldInfo, Info, LoginInfo, WireAbroadInfo, WireInfo};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use utoipa::ToSchema;

use super::bank_login::{self, BankCall};
use crate::ApiError;
use crate::body::Body;
use crate::description::values::Hidden;
use crate::wire::required;
use crate::wire::text::Text;

/// Body for a node of any type.
pub enum CreateNode {}

/// Fields that determine the type of the body.
#[derive(Deserialize)]
struct Typed {
    #[serde(rename = "type")]
    kind: Option<Text>,
    info: Option<Login>,
}

/// Fields that mark a bank login.
#[derive(Deserialize)]
struct Login {
    bank_id: Option<IgnoredAny>,
    bank_pw: Option<IgnoredAny>,
}

/// Fields that mark an answer to a bank's challenge.
#[derive(Deserialize)]
struct Answering {
    access_token: Option<IgnoredAny>,
    mfa_answer: Option<IgnoredAny>,
}

/// Answer to a bank's challenge.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewBankAnswer)]
struct BankAnswer {
    #[schema(value_type = Hidden)]
    access_token: Option<Secret>,
    #[schema(value_type = Hidden)]
    mfa_answer: Option<Secret>,
}

/// Body for one type of node, without the type.
#[derive(Deserialize)]
struct Of<I> {
    info: Option<I>,
    extra: Option<Extra>,
    is_active: Option<bool>,
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = NewNodeExtra)]
struct Extra {
    supp_id: Option<Text>,
    note: Option<Text>,
    /// True if only calls with the platform's credentials may debit the node.
    gateway_restricted: Option<bool>,
}

/// Requested nodes.
pub enum NewNodes {
    /// One node, described by the body.
    One(Box<NewNode>),
    /// One node per account that a bank shows.
    OfBank(BankCall),
}

/// A valid node.
#[derive(Clone)]
pub struct NewNode {
    /// Type of the node.
    pub kind: NodeKind,
    /// True if lists show the node; otherwise it can only be fetched by its id.
    pub is_active: bool,
    /// True if only calls with the platform's own credentials may debit the node.
    pub gateway_restricted: bool,
    /// Details, to be sealed with class profile.
    pub details: NodeDetails,
}

impl CreateNode {
    /// Parses the body according to its type.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field, [`ApiError::Conflict`] for an invalid routing number or IBAN.
    pub fn read(body: &Body) -> Result<NewNodes, ApiError> {
        let Answering { access_token, mfa_answer } = body.json()?;
        if access_token.is_some() || mfa_answer.is_some() {
            let BankAnswer { access_token, mfa_answer } = body.json()?;
            return bank_login::answer(access_token, mfa_answer).map(NewNodes::OfBank);
        }
        let Typed { kind, info: told } = body.json()?;
        let kind = parse_kind(kind)?;
        let logs_in = told.is_some_and(|info| info.bank_id.is_some() || info.bank_pw.is_some());
        let node = match kind.rail() {
            None => one::<HeldInfo>(kind, body),
            Some(Rail::Ach) if logs_in => {
                let LoginInfo { bank_name, bank_id, bank_pw } = info::<LoginInfo>(body)?.unwrap_or_default();
                return bank_login::begin(bank_name, bank_id, bank_pw).map(NewNodes::OfBank);
            }
            Some(Rail::Ach) => one::<AchInfo>(kind, body),
            Some(Rail::Wire) if kind == NodeKind::WireInt => one::<WireAbroadInfo>(kind, body),
            Some(Rail::Wire) => one::<WireInfo>(kind, body),
            Some(Rail::Check) => one::<CheckInfo>(kind, body),
        };
        node.map(Box::new).map(NewNodes::One)
    }
}

fn parse_kind(name: Option<Text>) -> Result<NodeKind, ApiError> {
    let name = required("type", name)?;
    NodeKind::parse(&name).ok_or_else(|| ApiError::invalid("type", "must be a type of nodes"))
}

fn info<I: DeserializeOwned>(body: &Body) -> Result<Option<I>, ApiError> {
    #[derive(Deserialize)]
    struct Whole<I> {
        info: Option<I>,
    }
    Ok(body.json::<Whole<I>>()?.info)
}

/// Parses a node of one type.
fn one<I: Info>(kind: NodeKind, body: &Body) -> Result<NewNode, ApiError> {
    let Of::<I> { info, extra, is_active } = body.json()?;
    let extra = extra.unwrap_or_default();
    let labels = NodeDetails {
        supp_id: extra.supp_id.map(String::from),
        note: extra.note.map(String::from),
        ..NodeDetails::default()
    };
    Ok(NewNode {
        kind,
        is_active: is_active.unwrap_or(true),
        gateway_restricted: extra.gateway_restricted.unwrap_or_default(),
        details: info.unwrap_or_default().onto(labels)?,
    })
}

#[cfg(test)]
mod tests;
