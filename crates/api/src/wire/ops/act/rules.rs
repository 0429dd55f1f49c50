//! Matching rules in the body of a request. Amounts are in the currency of their rule.

use daybook_domain::matching::{Codes, Means, Rule, RuleSet};
use daybook_domain::posting::Rail;
use daybook_domain::{Currency, NodeId};
use daybook_engine::statements::Patterns;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{ACT, amount};
use crate::ApiError;
use crate::body::Body;
use crate::description::values::{
    BankCodes, CurrencyIn, ObjectId, RuleName, RuleRail, RuleStrategy, SignedAmount,
};
use crate::wire::amount::{Digits, currency_of};
use crate::wire::form::Whole;
use crate::wire::text::Text;
use crate::wire::{bounded, id, required};

/// Gives the platform's account at the bank a set of matching rules. It replaces the whole set.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewRules)]
pub(super) struct SetRulesIn {
    #[schema(value_type = Vec<RuleIn>, min_items = 1, max_items = 100)]
    rules: Option<Vec<RuleIn>>,
}

/// A matching rule. Its strategy determines which parameters it has.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = NewRule)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleIn {
    /// Lower-case letters, digits, `-` and `_`; unique in the set.
    #[schema(value_type = RuleName)]
    name: Option<Text>,
    #[schema(value_type = RuleStrategy)]
    strategy: Option<Text>,
    /// Codes of the bank of which a line must have one; `600..699` is a range.
    #[schema(value_type = Option<Vec<BankCodes>>, max_items = 50)]
    codes: Option<Vec<Text>>,
    /// Regular expression without Unicode classes, matched in linear time.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 200)]
    text: Option<Text>,
    #[schema(value_type = Option<CurrencyIn>)]
    currency: Option<Text>,
    /// Window in banking days; defaults to 3.
    #[schema(value_type = Option<u16>, maximum = 30)]
    days: Option<Whole<0, 30>>,
    #[schema(value_type = Option<RuleRail>)]
    rail: Option<Text>,
    /// Name of an earlier rule, whose matches may differ.
    #[schema(value_type = Option<RuleName>)]
    of: Option<Text>,
    #[schema(value_type = Option<SignedAmount>)]
    difference: Option<Digits>,
    #[schema(value_type = Option<ObjectId>)]
    node_id: Option<Text>,
    #[schema(value_type = Option<SignedAmount>)]
    per_line: Option<Digits>,
    #[schema(value_type = Option<SignedAmount>)]
    per_day: Option<Digits>,
    #[schema(value_type = Option<u8>, minimum = 1, maximum = 100)]
    threshold: Option<Whole<1, 100>>,
}

/// Parses a set and compiles its patterns.
pub(super) fn parse(act: &RawValue) -> Result<RuleSet, ApiError> {
    let SetRulesIn { rules } = Body::part(act, ACT)?;
    let rules = rules.ok_or_else(|| ApiError::missing("act.rules"))?;
    if rules.is_empty() {
        return Err(ApiError::missing("act.rules"));
    }
    let rules = bounded("act.rules", Some(rules))?.into_iter().enumerate();
    let rules =
        rules.map(|(at, rule)| rule.parse(&format!("act.rules[{at}]"))).collect::<Result<Vec<_>, _>>()?;
    let set = RuleSet::try_from(rules).and_then(|set| Patterns::compile(&set).map(|_| set));
    set.map_err(|wrong| {
        let field = format!("act.rules[{}]", wrong.number.saturating_sub(1));
        ApiError::invalid(field, format!("cannot be meant: {}", wrong.reason))
    })
}

impl RuleIn {
    fn parse(self, field: &str) -> Result<Rule, ApiError> {
        let at = |name: &str| format!("{field}.{name}");
        let name = required(at("name"), self.name)?;
        let strategy = required(at("strategy"), self.strategy)?;
        let means = Means::parse(strategy.as_str()).ok_or_else(|| {
            let names = Means::ALL.map(Means::as_str).join(", ");
            ApiError::invalid(at("strategy"), format!("must be among {names}"))
        })?;
        let currency = self.currency.map(|code| currency_of(at("currency"), code.as_str())).transpose()?;
        let minor = |name: &str, digits: Option<Digits>| minor(at(name), digits, currency);
        let rail = |name: Text| {
            let rail = Rail::parse(name.as_str());
            rail.ok_or_else(|| ApiError::invalid(at("rail"), "must be ach, wire or check"))
        };
        let node = |text: Text| id::<NodeId>(at("node_id"), Some(text));
        Ok(Rule {
            codes: codes(&at("codes"), self.codes)?,
            text: self.text.map(|text| text.as_str().to_owned()),
            currency,
            days: self.days.and_then(|days| u16::try_from(days.get()).ok()),
            rail: self.rail.map(rail).transpose()?,
            of: self.of.map(|text| text.as_str().to_owned()),
            difference: minor("difference", self.difference)?,
            node: self.node_id.map(node).transpose()?,
            per_line: minor("per_line", self.per_line)?,
            per_day: minor("per_day", self.per_day)?,
            threshold: self.threshold.and_then(|score| u8::try_from(score.get()).ok()),
            ..Rule::new(name.as_str(), means)
        })
    }
}

/// An amount in minor units of the rule's currency.
fn minor(field: String, digits: Option<Digits>, currency: Option<Currency>) -> Result<Option<i64>, ApiError> {
    let Some(digits) = digits else { return Ok(None) };
    let unknown = || ApiError::invalid(field.clone(), "needs the currency of the rule");
    let currency = currency.ok_or_else(unknown)?;
    amount(field, Some(digits), currency).map(Some)
}

fn codes(field: &str, codes: Option<Vec<Text>>) -> Result<Vec<Codes>, ApiError> {
    let code = |(at, text): (usize, Text)| {
        let must = "must be a code of the bank, or a range such as 600..699";
        text.as_str().parse().map_err(|_| ApiError::invalid(format!("{field}[{at}]"), must))
    };
    bounded("act.rules.codes", codes)?.into_iter().enumerate().map(code).collect()
}
