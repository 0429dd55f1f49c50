//! What an operator does, as a body says it. One flat shape for all kinds: each reads the fields that it needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use daybook_domain::operation::{Act, ActKind};
use daybook_domain::platform::{Limits, Policy};
use daybook_domain::posting::{LedgerAccount, Posting, PostingError, Postings};
use daybook_domain::transaction::{Direction, QueueReason};
use daybook_domain::{Currency, Timestamp};
use serde::de::value::{Error as ValueError, StrDeserializer};
use serde::de::{IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::ApiError;
use crate::wire::amount::{Digits, currency_of};
use crate::wire::text::Text;
use crate::wire::{bounded, id, required};

/// Every kind of act, as a body names it.
const KINDS: &str = "must be queue, release, cancel, return, journal, lock_node, unlock_node, lock_user, unlock_user, \
                     set_limits or set_policy";

/// The act of a body.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewAct)]
pub struct ActIn {
    kind: Option<Text>,
    trans_id: Option<Text>,
    node_id: Option<Text>,
    user_id: Option<Text>,
    code: Option<Text>,
    leg: Option<Text>,
    currency: Option<Text>,
    lines: Option<Vec<LineIn>>,
    effective_at: Option<i64>,
    #[schema(value_type = Option<BTreeMap<String, LimitsIn>>)]
    limits: Option<LimitsOf>,
    policy: Option<PolicyIn>,
}

/// A line of a journal entry: a debit is positive.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewJournalLine)]
struct LineIn {
    account: Option<Text>,
    amount: Option<Digits>,
}

/// Limits under the names of currencies, as they were sent: a name may come twice. They are read after the name: an answer
/// repeats no name of the caller's.
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

/// Limits in one currency; what is not said is not limited.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewLimits)]
struct LimitsIn {
    floor: Option<Digits>,
    daily_in: Option<Digits>,
    daily_out: Option<Digits>,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewPolicy)]
struct PolicyIn {
    reject_unfunded: Option<bool>,
    currencies: Option<Vec<Text>>,
    #[schema(value_type = Option<BTreeMap<String, LimitsIn>>)]
    limits: Option<LimitsOf>,
    approvals: Option<Vec<Text>>,
    daily_micro_deposits: Option<u16>,
}

impl ActIn {
    /// Checks that everything that its kind needs is there and within its range.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field; [`ApiError::NotFound`] for what is no id.
    pub fn parse(self) -> Result<Act, ApiError> {
        let kind = required("act.kind", self.kind)?;
        let transaction = |text| id("act.trans_id", text);
        let (node, user) = (|text| id("act.node_id", text), |text| id("act.user_id", text));
        Ok(match kind.as_str() {
            "queue" => Act::Queue { transaction: transaction(self.trans_id)?, reason: reason(self.code)? },
            "release" => Act::Release { transaction: transaction(self.trans_id)? },
            "cancel" => Act::Cancel { transaction: transaction(self.trans_id)? },
            "return" => {
                let code = required("act.code", self.code)?;
                let code = code
                    .parse()
                    .map_err(|_| ApiError::invalid("act.code", "must be a return reason code"))?;
                Act::Return { transaction: transaction(self.trans_id)?, code, leg: leg(self.leg.as_ref())? }
            }
            "journal" => Act::Journal {
                postings: postings(self.currency, self.lines)?,
                effective_at: self.effective_at.map(effective_at).transpose()?,
            },
            "lock_node" => Act::LockNode { node: node(self.node_id)? },
            "unlock_node" => Act::UnlockNode { node: node(self.node_id)? },
            "lock_user" => Act::LockUser { user: user(self.user_id)? },
            "unlock_user" => Act::UnlockUser { user: user(self.user_id)? },
            "set_limits" => {
                let limits = self.limits.ok_or_else(|| ApiError::missing("act.limits"))?;
                Act::SetLimits { node: node(self.node_id)?, limits: all_limits("act.limits", limits)? }
            }
            "set_policy" => Act::SetPolicy {
                policy: policy(self.policy.ok_or_else(|| ApiError::missing("act.policy"))?)?,
            },
            _ => return Err(ApiError::invalid("act.kind", KINDS)),
        })
    }
}

/// Why a transaction is held back; risk, unless another code is given.
fn reason(code: Option<Text>) -> Result<QueueReason, ApiError> {
    let Some(code) = code else { return Ok(QueueReason::Risk) };
    QueueReason::parse(code.as_str()).ok_or_else(|| {
        ApiError::invalid("act.code", "must be Q10, Q46 or Q47: the others are found by screening")
    })
}

/// The rules say that it is not in the future; before the epoch there was no ledger.
fn effective_at(ms: i64) -> Result<Timestamp, ApiError> {
    let at = Some(ms).filter(|ms| *ms >= 0).map(Timestamp::from_ms);
    at.ok_or_else(|| ApiError::invalid("act.effective_at", "must be milliseconds since 1970-01-01"))
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
    let account = required(field("account"), line.account)?;
    let account: LedgerAccount = account
        .parse()
        .map_err(|_| ApiError::invalid(field("account"), "must be an account of the ledger"))?;
    let amount = line.amount.ok_or_else(|| ApiError::missing(field("amount")))?;
    Ok(Posting { account, amount: amount.parse_signed(field("amount"), currency)?.minor })
}

fn all_limits(field: &'static str, limits: LimitsOf) -> Result<BTreeMap<Currency, Limits>, ApiError> {
    let of_currency = |(code, limits): (String, Box<RawValue>)| {
        let currency = currency_of(field, &code)?;
        let must = |_| {
            let field = format!("{field}.{}", currency.code());
            ApiError::invalid(field, "must be an object of floor, daily_in and daily_out")
        };
        let limits: LimitsIn = serde_json::from_str(limits.get()).map_err(must)?;
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
        daily_micro_deposits: policy.daily_micro_deposits,
    })
}

fn kind(at: usize, name: &str) -> Result<ActKind, ApiError> {
    let name: StrDeserializer<'_, ValueError> = name.into_deserializer();
    let text =
        "must be among queue, release, cancel, return, journal, lock, unlock, set_limits and set_policy";
    ActKind::deserialize(name).map_err(|_| ApiError::invalid(format!("act.policy.approvals[{at}]"), text))
}
