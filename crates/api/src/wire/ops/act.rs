//! Operations in the body of a request: each kind parses its own fields.

mod matching;
mod rules;
mod shape;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use daybook_domain::operation::{Act, ActKind};
use daybook_domain::platform::{Limits, Policy};
use daybook_domain::posting::{LedgerAccount, Posting, PostingError, Postings};
use daybook_domain::transaction::{Direction, QueueReason};
use daybook_domain::{Currency, NodeId, Timestamp, TransactionId, UserId};
use serde::de::value::{Error as ValueError, StrDeserializer};
use serde::de::{IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::ApiError;
use crate::body::Body;
use crate::description::values::{
    ApprovedKind, CurrencyIn, HeldReason, LedgerAccountName, Leg, ObjectId, ReturnReason, SignedAmount,
};
use crate::wire::amount::{Digits, currency_of};
use crate::wire::form::Whole;
use crate::wire::text::Text;
use crate::wire::{bounded, id, required};

/// Name of the field.
const ACT: &str = "act";

/// Error text that lists all kinds of acts.
const KINDS: &str = "must be queue, release, cancel, return, present_again, journal, lock_node, unlock_node, \
                     lock_user, unlock_user, set_limits, set_policy, match, unmatch or set_rules";

/// Kinds of acts that a policy can require another operator to approve.
pub(crate) const APPROVED: [&str; 14] = [
    "queue",
    "release",
    "cancel",
    "return",
    "present_again",
    "journal",
    "lock",
    "unlock",
    "set_limits",
    "set_policy",
    "restate",
    "match",
    "unmatch",
    "set_rules",
];

/// Milliseconds since 1970-01-01 UTC.
type Milliseconds = Whole<0, { i64::MAX }>;
/// Number of micro-deposits per day.
type Count = Whole<0, { u16::MAX as i64 }>;

use matching::ItemIn;

/// Act of a body, of any kind.
pub enum NewAct {}

/// Field that every act has.
#[derive(Deserialize)]
struct Kind {
    kind: Option<Text>,
}

/// Queues a transaction: holds it back until it is released.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewQueue)]
struct QueueIn {
    #[schema(value_type = ObjectId)]
    trans_id: Option<Text>,
    /// Reason; defaults to `Q10`.
    #[schema(value_type = Option<HeldReason>)]
    code: Option<Text>,
}

/// Releases, cancels or presents again a transaction.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewOnTransaction)]
struct OnTransaction {
    #[schema(value_type = ObjectId)]
    trans_id: Option<Text>,
}

/// Returns a transaction.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewReturn)]
struct ReturnIn {
    #[schema(value_type = ObjectId)]
    trans_id: Option<Text>,
    #[schema(value_type = ReturnReason)]
    code: Option<Text>,
    #[schema(value_type = Option<Leg>)]
    leg: Option<Text>,
}

/// Books a journal entry. Its lines sum to zero.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewJournal)]
struct JournalIn {
    #[schema(value_type = CurrencyIn)]
    currency: Option<Text>,
    #[schema(value_type = Vec<LineIn>, min_items = 1, max_items = 100)]
    lines: Option<Vec<LineIn>>,
    /// Effective time, not in the future. Defaults to the time of booking.
    effective_at: Option<Milliseconds>,
    /// Open items that the lines on rails and returns clear.
    #[schema(value_type = Option<Vec<ItemIn>>, max_items = 1000)]
    clears: Option<Vec<ItemIn>>,
}

/// Locks or unlocks a node.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewOnNode)]
struct OnNode {
    #[schema(value_type = ObjectId)]
    node_id: Option<Text>,
}

/// Locks or unlocks a user.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewOnUser)]
struct OnUser {
    #[schema(value_type = ObjectId)]
    user_id: Option<Text>,
}

/// Sets the limits of a node.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewSetLimits)]
struct SetLimitsIn {
    #[schema(value_type = ObjectId)]
    node_id: Option<Text>,
    #[schema(value_type = BTreeMap<CurrencyIn, LimitsIn>)]
    limits: Option<LimitsOf>,
}

/// Sets the platform's policy. It replaces the whole policy.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewSetPolicy)]
struct SetPolicyIn {
    #[schema(value_type = PolicyIn)]
    policy: Option<PolicyIn>,
}

/// Line of a journal entry; a debit is positive.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewJournalLine)]
struct LineIn {
    /// Ledger account: `node:` and a node's id, or an account of the platform.
    #[schema(value_type = LedgerAccountName)]
    account: Option<Text>,
    #[schema(value_type = SignedAmount)]
    amount: Option<Digits>,
}

/// Limits per currency, as sent: a currency may occur twice. The values are parsed after the currency's name was
/// checked, so that an error never repeats a name that the caller made up.
#[derive(Clone, Debug, Default)]
struct LimitsOf(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for LimitsOf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = LimitsOf;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LimitsOf, A::Error> {
        let mut entries = vec![];
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(LimitsOf(entries))
    }
}

/// Limits in one currency. An absent value means no limit.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewLimits)]
struct LimitsIn {
    #[schema(value_type = Option<SignedAmount>)]
    floor: Option<Digits>,
    #[schema(value_type = Option<SignedAmount>)]
    daily_in: Option<Digits>,
    #[schema(value_type = Option<SignedAmount>)]
    daily_out: Option<Digits>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewPolicy)]
struct PolicyIn {
    reject_unfunded: Option<bool>,
    #[schema(value_type = Option<Vec<CurrencyIn>>, max_items = 100)]
    currencies: Option<Vec<Text>>,
    #[schema(value_type = Option<BTreeMap<CurrencyIn, LimitsIn>>)]
    limits: Option<LimitsOf>,
    #[schema(value_type = Option<Vec<ApprovedKind>>, max_items = 100)]
    approvals: Option<Vec<Text>>,
    daily_micro_deposits: Option<Count>,
    written_authorizations: Option<bool>,
    #[schema(value_type = Option<u16>, minimum = 1, maximum = 100)]
    evidence_years: Option<Count>,
}

/// Parses an act according to its kind.
///
/// # Errors
///
/// [`ApiError::Invalid`] naming the field; [`ApiError::NothingAt`] for a text that is not an id.
pub fn parse(act: &RawValue) -> Result<Act, ApiError> {
    let Kind { kind } = Body::part(act, ACT)?;
    Ok(match required("act.kind", kind)?.as_str() {
        "queue" => {
            let QueueIn { trans_id, code } = Body::part(act, ACT)?;
            Act::Queue { transaction: id("act.trans_id", trans_id)?, reason: reason(code)? }
        }
        "release" => Act::Release { transaction: on_transaction(act)? },
        "cancel" => Act::Cancel { transaction: on_transaction(act)? },
        "return" => {
            let ReturnIn { trans_id, code, leg } = Body::part(act, ACT)?;
            let code = required("act.code", code)?;
            let code =
                code.parse().map_err(|_| ApiError::invalid("act.code", "must be a return reason code"))?;
            Act::Return { transaction: id("act.trans_id", trans_id)?, code, leg: self::leg(leg.as_ref())? }
        }
        "present_again" => Act::PresentAgain { transaction: on_transaction(act)? },
        "journal" => {
            let JournalIn { currency, lines, effective_at, clears } = Body::part(act, ACT)?;
            let postings = postings(currency, lines)?;
            let clears = matching::items("act.clears", clears, postings.currency())?;
            let effective_at = effective_at.map(Whole::get).map(Timestamp::from_ms);
            Act::Journal { postings, effective_at, clears }
        }
        "lock_node" => Act::LockNode { node: on_node(act)? },
        "unlock_node" => Act::UnlockNode { node: on_node(act)? },
        "lock_user" => Act::LockUser { user: on_user(act)? },
        "unlock_user" => Act::UnlockUser { user: on_user(act)? },
        "set_limits" => {
            let SetLimitsIn { node_id, limits } = Body::part(act, ACT)?;
            let limits = limits.ok_or_else(|| ApiError::missing("act.limits"))?;
            Act::SetLimits { node: id("act.node_id", node_id)?, limits: all_limits("act.limits", limits)? }
        }
        "set_policy" => {
            let SetPolicyIn { policy } = Body::part(act, ACT)?;
            let policy = policy.ok_or_else(|| ApiError::missing("act.policy"))?;
            Act::SetPolicy { policy: self::policy(policy)? }
        }
        "match" => matching::match_line(act)?,
        "unmatch" => matching::unmatch(act)?,
        "set_rules" => Act::SetRules { rules: rules::parse(act)? },
        _ => return Err(ApiError::invalid("act.kind", KINDS)),
    })
}

fn on_transaction(act: &RawValue) -> Result<TransactionId, ApiError> {
    let OnTransaction { trans_id } = Body::part(act, ACT)?;
    id("act.trans_id", trans_id)
}

fn on_node(act: &RawValue) -> Result<NodeId, ApiError> {
    let OnNode { node_id } = Body::part(act, ACT)?;
    id("act.node_id", node_id)
}

fn on_user(act: &RawValue) -> Result<UserId, ApiError> {
    let OnUser { user_id } = Body::part(act, ACT)?;
    id("act.user_id", user_id)
}

/// Returns the reason for queuing a transaction; risk (`Q10`) by default.
fn reason(code: Option<Text>) -> Result<QueueReason, ApiError> {
    let Some(code) = code else { return Ok(QueueReason::Risk) };
    QueueReason::parse(code.as_str()).ok_or_else(|| {
        ApiError::invalid("act.code", "must be Q10, Q46 or Q47: the others are found by screening")
    })
}

fn leg(leg: Option<&Text>) -> Result<Option<Direction>, ApiError> {
    match leg.map(Text::as_str) {
        None => Ok(None),
        Some("pull") => Ok(Some(Direction::Pull)),
        Some("push") => Ok(Some(Direction::Push)),
        Some(_) => Err(ApiError::invalid("act.leg", "must be pull or push")),
    }
}

fn postings(code: Option<Text>, lines: Option<Vec<LineIn>>) -> Result<Postings, ApiError> {
    let currency = currency_of("act.currency", &required("act.currency", code)?)?;
    let lines = bounded("act.lines", lines)?;
    if lines.is_empty() {
        return Err(ApiError::missing("act.lines"));
    }
    let lines = lines.into_iter().enumerate().map(|(index, line)| posting(index, line, currency));
    Postings::new(currency, lines.collect::<Result<_, _>>()?).map_err(|error| match error {
        PostingError::Unbalanced => ApiError::invalid("act.lines", "must sum to zero"),
        PostingError::Zero | PostingError::UnknownAccount => {
            ApiError::invalid("act.lines", "must each move something")
        }
    })
}

fn posting(index: usize, line: LineIn, currency: Currency) -> Result<Posting, ApiError> {
    let field = |name: &str| format!("act.lines[{index}].{name}");
    let account = account(field("account"), line.account)?;
    Ok(Posting { account, amount: amount(field("amount"), line.amount, currency)? })
}

fn account(field: String, name: Option<Text>) -> Result<LedgerAccount, ApiError> {
    let name = required(field.clone(), name)?;
    name.parse().map_err(|_| ApiError::invalid(field, "must be an account of the ledger"))
}

/// An amount in minor units.
fn amount(field: String, digits: Option<Digits>, currency: Currency) -> Result<i64, ApiError> {
    let digits = digits.ok_or_else(|| ApiError::missing(field.clone()))?;
    Ok(digits.parse_signed(field, currency)?.minor)
}

fn all_limits(field: &'static str, limits: LimitsOf) -> Result<BTreeMap<Currency, Limits>, ApiError> {
    let of_currency = |(code, limits): (String, Box<RawValue>)| {
        let currency = currency_of(field, &code)?;
        let limits: LimitsIn = Body::part(&limits, &format!("{field}.{}", currency.code()))?;
        let amount = |name: &str, digits: Option<Digits>| {
            let field = format!("{field}.{}.{name}", currency.code());
            let parse = |digits: Digits| digits.parse_signed(field, currency).map(|money| money.minor);
            digits.map(parse).transpose()
        };
        let limits = Limits {
            floor: amount("floor", limits.floor)?,
            daily_in: amount("daily_in", limits.daily_in)?,
            daily_out: amount("daily_out", limits.daily_out)?,
        };
        Ok::<_, ApiError>((currency, limits))
    };
    let mut all = BTreeMap::new();
    for entry in limits.0 {
        let (currency, limits) = of_currency(entry)?;
        if all.insert(currency, limits).is_some() {
            return Err(ApiError::invalid(format!("{field}.{}", currency.code()), "must be there once"));
        }
    }
    Ok(all)
}

fn policy(policy: PolicyIn) -> Result<Policy, ApiError> {
    let currencies = bounded("act.policy.currencies", policy.currencies)?;
    let currencies = currencies.iter().enumerate();
    let currencies =
        currencies.map(|(at, code)| currency_of(format!("act.policy.currencies[{at}]"), code.as_str()));
    let approvals = bounded("act.policy.approvals", policy.approvals)?;
    let approvals = approvals.iter().enumerate().map(|(at, name)| kind(at, name.as_str()));
    Ok(Policy {
        reject_unfunded: policy.reject_unfunded.unwrap_or_default(),
        currencies: currencies.collect::<Result<BTreeSet<_>, _>>()?,
        limits: all_limits("act.policy.limits", policy.limits.unwrap_or_default())?,
        approvals: approvals.collect::<Result<BTreeSet<_>, _>>()?,
        daily_micro_deposits: policy.daily_micro_deposits.and_then(|most| u16::try_from(most.get()).ok()),
        written_authorizations: policy.written_authorizations.unwrap_or_default(),
        evidence_years: evidence_years(policy.evidence_years)?,
    })
}

fn evidence_years(years: Option<Count>) -> Result<Option<u16>, ApiError> {
    let in_range = |years: Count| u16::try_from(years.get()).ok().filter(|years| (1..=100).contains(years));
    let refused = || ApiError::invalid("act.policy.evidence_years", "must be 1 to 100");
    years.map(|years| in_range(years).ok_or_else(refused)).transpose()
}

fn kind(at: usize, name: &str) -> Result<ActKind, ApiError> {
    let name: StrDeserializer<'_, ValueError> = name.into_deserializer();
    let text = "must be among queue, release, cancel, return, present_again, journal, lock, unlock, set_limits, set_policy, restate, match, unmatch and set_rules";
    ActKind::deserialize(name).map_err(|_| ApiError::invalid(format!("act.policy.approvals[{at}]"), text))
}
