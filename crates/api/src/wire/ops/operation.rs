//! Record of an operation; its act has the form of the request.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::calendar::Day;
use daybook_domain::operation::{Act, ActKind, Operation as State};
use daybook_domain::platform::{Limits, Policy};
use daybook_domain::posting::{LedgerAccount, Posting};
use daybook_domain::statement::accept::StatedDay;
use daybook_domain::transaction::{ClearedItem, Direction};
use daybook_domain::{Currency, Money, OperationId, PlatformId, Timestamp};
use daybook_engine::access::operator_id_text;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::rules::{self, Rule};
use crate::ApiError;
use crate::description::values::CurrencyCode;
use crate::in_query::Parameters;
use crate::query::Query;
use crate::wire::Listed;
use crate::wire::amount::Decimal;
use crate::wire::record::{Client, Links};

/// Filter of a list of operations.
#[derive(Clone, Copy, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Waiting {
    /// `yes` returns only operations that wait for approval.
    #[param(value_type = Option<String>)]
    pub waiting: bool,
}

impl Parameters for Waiting {
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        Ok(Self { waiting: query.flag("waiting") })
    }
}

/// An operation: an operator's act with its reason, and its review if it needs one.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Operation {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_links")]
    links: Links,
    act: ActOut,
    by: String,
    client: Client,
    created_on: i64,
    #[schema(value_type = String)]
    kind: ActKind,
    reason: String,
    reviewer: Option<String>,
    status: &'static str,
}

impl Listed for Operation {
    const KEYS: (&'static str, &'static str) = ("operations", "operation_count");
}

/// Renders the record of the operation `id` on `platform`, the platform of `client`; `reason` is opened.
#[must_use]
pub fn render(
    id: OperationId,
    operation: &State,
    reason: String,
    client: Client,
    base_url: &str,
) -> Operation {
    let State { platform, act, by, reviewer, status, created_at, .. } = operation;
    Operation {
        id: id.to_string(),
        links: Links::to(base_url, path(*platform, format_args!("operations/{id}"))),
        act: ActOut::of(act),
        by: operator_id_text(*by),
        client,
        created_on: created_at.ms(),
        kind: act.kind(),
        reason,
        reviewer: reviewer.map(operator_id_text),
        status: status.as_str(),
    }
}

/// Returns the path of a platform's object for operators.
pub(super) fn path(platform: PlatformId, rest: impl std::fmt::Display) -> String {
    format!("ops/platforms/{platform}/{rest}")
}

/// An act of an operation, in the form of the request and with all defaults filled in.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schema(as = Act)]
pub enum ActOut {
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    Queue { trans_id: String, code: &'static str },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    Release { trans_id: String },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    Cancel { trans_id: String },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    Return {
        trans_id: String,
        code: String,
        #[schema(value_type = Option<String>)]
        leg: Option<Direction>,
    },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    PresentAgain { trans_id: String },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    Journal {
        #[schema(value_type = CurrencyCode)]
        currency: Currency,
        lines: Vec<LineOut>,
        effective_at: Option<i64>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        clears: Vec<ItemOut>,
    },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    Match {
        break_id: String,
        #[schema(value_type = CurrencyCode)]
        currency: Currency,
        items: Vec<ItemOut>,
        posts: Vec<PostOut>,
    },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    Unmatch { break_id: String, r#match: u32 },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    SetRules { rules: Vec<Rule> },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    LockNode { node_id: String },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    UnlockNode { node_id: String },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    LockUser { user_id: String },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    UnlockUser { user_id: String },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    SetLimits { node_id: String, limits: BTreeMap<String, LimitsOut> },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    SetPolicy { policy: PolicyOut },
    #[expect(missing_docs, reason = "as the domain's act of this name")]
    Restate { file: String, format: String, statements: Vec<RestatedOut> },
}

/// The statement of a day that the bank states anew. `replaces` is the id of the statement that it replaces, if any.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = RestatedDay)]
pub struct RestatedOut {
    #[serde(rename = "_id")]
    id: String,
    closing_balance: Decimal,
    #[schema(value_type = CurrencyCode)]
    currency: Currency,
    #[schema(value_type = String)]
    date: Day,
    line_count: u32,
    opening_balance: Decimal,
    replaces: Option<String>,
}

/// Line of a journal entry; a debit is positive.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = JournalLine)]
pub struct LineOut {
    #[schema(value_type = String)]
    account: LedgerAccount,
    amount: Decimal,
}

/// An open item, or a part of it, that is cleared; positive for money to come to us.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ClearedItem)]
pub struct ItemOut {
    #[schema(value_type = String)]
    account: LedgerAccount,
    amount: Decimal,
    trans_id: String,
}

impl ItemOut {
    /// Renders items in `currency`.
    pub(super) fn all(items: &[ClearedItem], currency: Currency) -> Vec<Self> {
        let item = |item: &ClearedItem| Self {
            account: item.account,
            amount: Decimal(Money::new(item.amount, currency)),
            trans_id: item.transaction.to_string(),
        };
        items.iter().map(item).collect()
    }
}

/// A node and the amount that it gets; negative for an amount that it pays.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = MatchPost)]
pub struct PostOut {
    node_id: String,
    amount: Decimal,
}

impl PostOut {
    /// Renders the part of a match that no item explains.
    pub(super) fn all(posts: &[Posting], currency: Currency) -> Vec<Self> {
        let post = |post: &Posting| {
            let node_id = post.account.node()?.to_string();
            Some(Self { node_id, amount: Decimal(Money::new(post.amount, currency)) })
        };
        posts.iter().filter_map(post).collect()
    }
}

impl LineOut {
    /// Renders postings in `currency`.
    fn all(lines: &[Posting], currency: Currency) -> Vec<Self> {
        let line = |&Posting { account, amount }: &Posting| Self {
            account,
            amount: Decimal(Money::new(amount, currency)),
        };
        lines.iter().map(line).collect()
    }
}

/// Limits in one currency; null means no limit.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Limits)]
pub struct LimitsOut {
    floor: Option<Decimal>,
    daily_in: Option<Decimal>,
    daily_out: Option<Decimal>,
}

/// Policy of a platform.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Policy)]
pub struct PolicyOut {
    reject_unfunded: bool,
    #[schema(value_type = Vec<CurrencyCode>)]
    currencies: BTreeSet<Currency>,
    limits: BTreeMap<String, LimitsOut>,
    #[schema(value_type = Vec<String>)]
    approvals: BTreeSet<ActKind>,
    daily_micro_deposits: Option<u16>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    written_authorizations: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence_years: Option<u16>,
}

impl ActOut {
    /// Converts the act.
    #[must_use]
    pub fn of(act: &Act) -> Self {
        match act {
            Act::Queue { transaction, reason } => {
                Self::Queue { trans_id: transaction.to_string(), code: reason.code() }
            }
            Act::Release { transaction } => Self::Release { trans_id: transaction.to_string() },
            Act::Cancel { transaction } => Self::Cancel { trans_id: transaction.to_string() },
            Act::Return { transaction, code, leg } => {
                Self::Return { trans_id: transaction.to_string(), code: code.to_string(), leg: *leg }
            }
            Act::PresentAgain { transaction } => Self::PresentAgain { trans_id: transaction.to_string() },
            Act::Journal { postings, effective_at, clears } => {
                let currency = postings.currency();
                let lines = LineOut::all(postings.lines(), currency);
                let clears = ItemOut::all(clears, currency);
                Self::Journal { currency, lines, effective_at: effective_at.map(Timestamp::ms), clears }
            }
            Act::Match { id, currency, items, posts } => Self::Match {
                break_id: id.to_string(),
                currency: *currency,
                items: ItemOut::all(items, *currency),
                posts: PostOut::all(posts, *currency),
            },
            Act::Unmatch { id, number, .. } => Self::Unmatch { break_id: id.to_string(), r#match: *number },
            Act::SetRules { rules } => Self::SetRules { rules: rules::all(rules) },
            Act::LockNode { node } => Self::LockNode { node_id: node.to_string() },
            Act::UnlockNode { node } => Self::UnlockNode { node_id: node.to_string() },
            Act::LockUser { user } => Self::LockUser { user_id: user.to_string() },
            Act::UnlockUser { user } => Self::UnlockUser { user_id: user.to_string() },
            Act::SetLimits { node, limits } => {
                Self::SetLimits { node_id: node.to_string(), limits: all_limits(limits) }
            }
            Act::SetPolicy { policy } => Self::SetPolicy { policy: PolicyOut::of(policy) },
            Act::Restate { file, .. } => Self::Restate {
                file: file.hash.clone(),
                format: file.format.clone(),
                statements: file.statements.iter().map(RestatedOut::of).collect(),
            },
        }
    }
}

impl RestatedOut {
    fn of(stated: &StatedDay) -> Self {
        let decimal = |minor| Decimal(Money::new(minor, stated.currency));
        Self {
            id: stated.id.to_string(),
            closing_balance: decimal(stated.closing),
            currency: stated.currency,
            date: stated.day,
            line_count: stated.lines,
            opening_balance: decimal(stated.opening),
            replaces: stated.replaces.map(|id| id.to_string()),
        }
    }
}

impl PolicyOut {
    fn of(policy: &Policy) -> Self {
        Self {
            reject_unfunded: policy.reject_unfunded,
            currencies: policy.currencies.clone(),
            limits: all_limits(&policy.limits),
            approvals: policy.approvals.clone(),
            daily_micro_deposits: policy.daily_micro_deposits,
            written_authorizations: policy.written_authorizations,
            evidence_years: policy.evidence_years,
        }
    }
}

fn all_limits(limits: &BTreeMap<Currency, Limits>) -> BTreeMap<String, LimitsOut> {
    let of_currency = |(&currency, limits): (&Currency, &Limits)| {
        let amount = |minor: Option<i64>| minor.map(|minor| Decimal(Money::new(minor, currency)));
        let limits = LimitsOut {
            floor: amount(limits.floor),
            daily_in: amount(limits.daily_in),
            daily_out: amount(limits.daily_out),
        };
        (currency.code().to_owned(), limits)
    };
    limits.iter().map(of_currency).collect()
}

#[cfg(test)]
mod tests {
    use daybook_domain::operation::Status;
    use daybook_domain::{NodeId, OperatorId};
    use serde_json::json;

    use super::*;

    #[test]
    fn operation_record_has_author_reviewer_and_reason() {
        let operation = State {
            platform: PlatformId::from_u128(1),
            act: Act::LockNode { node: NodeId::from_u128(2) },
            by: OperatorId::from_u128(3),
            reviewer: Some(OperatorId::from_u128(4)),
            status: Status::Declined,
            reason: None,
            created_at: Timestamp::from_ms(5),
        };
        let client = Client { id: "client_id_x".into(), name: "X".into() };
        let record = render(OperationId::from_u128(6), &operation, "Because.".into(), client, "http://h");
        let id = "00000000000000000000000006";
        let href = format!("http://h/v3.1/ops/platforms/00000000000000000000000001/operations/{id}");
        let expected = json!({
            "_id": id, "_links": {"self": {"href": href}}, "kind": "lock", "status": "DECLINED",
            "act": {"kind": "lock_node", "node_id": "00000000000000000000000002"},
            "by": "operator_id_00000000000000000000000003", "reviewer": "operator_id_00000000000000000000000004",
            "reason": "Because.", "created_on": 5, "client": {"id": "client_id_x", "name": "X"},
        });
        assert_eq!(serde_json::to_value(record).unwrap(), expected);
    }
}
