//! Records of matching rules. Amounts are in the currency of their rule.

use daybook_domain::custody::Rules as State;
use daybook_domain::matching::{Codes, Means, Rule as Declared, RuleSet};
use daybook_domain::posting::Rail;
use daybook_domain::{Currency, Money};
use serde::Serialize;
use utoipa::ToSchema;

use crate::description::values::CurrencyCode;
use crate::wire::amount::Decimal;

/// The matching rules of a platform's account at the bank. `version` is 0 for the built-in rules.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = MatchingRules)]
pub struct Rules {
    rules: Vec<Rule>,
    version: u32,
}

/// A matching rule, with the parameters of its strategy.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = MatchingRule)]
pub struct Rule {
    name: String,
    #[schema(value_type = String)]
    strategy: Means,
    #[schema(value_type = Vec<String>)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    codes: Vec<Codes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[schema(value_type = Option<CurrencyCode>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<Currency>,
    #[serde(skip_serializing_if = "Option::is_none")]
    days: Option<u16>,
    #[schema(value_type = Option<String>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    rail: Option<Rail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_line: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_day: Option<Decimal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<u8>,
}

impl Rules {
    /// Returns the rules in their order.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
}

/// Renders the rules of a custody.
#[must_use]
pub fn render(of: &State) -> Rules {
    Rules { rules: all(&of.set), version: of.version }
}

/// Renders the rules of a set.
pub(super) fn all(set: &RuleSet) -> Vec<Rule> {
    set.rules().iter().map(rule).collect()
}

fn rule(of: &Declared) -> Rule {
    // A rule with amounts has a currency.
    let decimal = |minor: Option<i64>| {
        minor.zip(of.currency).map(|(minor, currency)| Decimal(Money::new(minor, currency)))
    };
    Rule {
        name: of.name.clone(),
        strategy: of.strategy,
        codes: of.codes.clone(),
        text: of.text.clone(),
        currency: of.currency,
        days: of.days,
        rail: of.rail,
        of: of.of.clone(),
        difference: decimal(of.difference),
        node_id: of.node.map(|node| node.to_string()),
        per_line: decimal(of.per_line),
        per_day: decimal(of.per_day),
        threshold: of.threshold,
    }
}
