//! Rule sets: an ordered list of rules by which lines in suspense are matched. A set is data, kept whole in an event of the
//! custody; its patterns are matched by the caller, since the domain has no regular expressions.

mod check;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::codes::Codes;
use crate::calendar::Day;
use crate::id::NodeId;
use crate::money::Currency;
use crate::named;
use crate::posting::Rail;

/// Maximum number of rules in a set.
pub const MAX_RULES: usize = 100;
/// Window of a rule that names none, in banking days.
const DEFAULT_DAYS: u16 = 3;

named! {
    /// The way by which a rule finds what explains a line.
    pub enum Means {
        /// References, or what a pattern captures from the text, name transactions or files.
        Reference => "reference",
        /// The line is a whole file that was sent: its net, its credits, or its debits.
        File => "file",
        /// The line is the sum of the returns of one day.
        Returns => "returns",
        /// One open item has the amount of the line, and no other line has it.
        Amount => "amount",
        /// Several lines are one item, or several items are one line: a suggestion.
        Group => "group",
        /// Lines of a kind belong to a node: fees, interest.
        Book => "book",
        /// A match of another rule may differ a little; the difference belongs to a node.
        Tolerance => "tolerance",
        /// Open items that resemble the line: a suggestion.
        Suggest => "suggest",
    }
}

/// A rule, as files and events write it. Which parameters it has depends on its strategy ([`Rule::check`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Name: lower-case letters, digits, `-` and `_`.
    pub name: String,
    /// The way by which it finds what explains a line.
    pub strategy: Means,
    /// Codes of the bank, of which a line must have one; empty for lines with any codes. `from..to` is a range of numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<Codes>,
    /// Regular expression that must match the line's text or one of its references.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Currency of the lines; all currencies if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// Window: banking days from the day of an item to the day of its line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u16>,
    /// Rail of the items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rail: Option<Rail>,
    /// Name of the earlier rule whose matches may differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Largest difference, in minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<i64>,
    /// Held node that gets or pays the amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeId>,
    /// Largest amount of a line, in minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_line: Option<i64>,
    /// Largest sum of the lines of one day, in minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_day: Option<i64>,
    /// Lowest score of a suggestion, 1 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u8>,
}

/// The rules of a set in their order. Always checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Rule>", into = "Vec<Rule>")]
pub struct RuleSet(Vec<Rule>);

/// A rule set that cannot be meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rule {number}: {reason}")]
pub struct RuleError {
    /// Number of the rule, from 1.
    pub number: usize,
    /// Reason for which the rule is refused.
    pub reason: String,
}

impl RuleSet {
    /// The rules that hold while a custody has none of its own. They match whole files and returns; single items only by
    /// reference.
    #[must_use]
    pub fn built_in() -> Self {
        let rule = |means: Means| Rule::new(means.as_str(), means);
        let suggest = Rule { threshold: Some(50), ..rule(Means::Suggest) };
        let named = [Means::Reference, Means::File, Means::Returns, Means::Group].map(rule);
        Self(named.into_iter().chain([suggest]).collect())
    }

    /// The rules in their order.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.0
    }

    /// Nodes to which rules post, each once.
    #[must_use]
    pub fn nodes(&self) -> BTreeSet<NodeId> {
        self.0.iter().filter_map(|rule| rule.node).collect()
    }

    /// Number of the rule with this name, from 0.
    pub(super) fn number_of(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|rule| rule.name == name)
    }
}

impl TryFrom<Vec<Rule>> for RuleSet {
    type Error = RuleError;

    fn try_from(rules: Vec<Rule>) -> Result<Self, RuleError> {
        if !(1..=MAX_RULES).contains(&rules.len()) {
            return Err(RuleError {
                number: rules.len(),
                reason: format!("a set has 1 to {MAX_RULES} rules"),
            });
        }
        for (at, rule) in rules.iter().enumerate() {
            let checked = rule.check().and_then(|()| rule.check_beside(&rules[..at]));
            checked.map_err(|reason| RuleError { number: at + 1, reason })?;
        }
        Ok(Self(rules))
    }
}

impl From<RuleSet> for Vec<Rule> {
    fn from(set: RuleSet) -> Self {
        set.0
    }
}

impl Rule {
    /// A rule with no parameters.
    #[must_use]
    pub fn new(name: &str, strategy: Means) -> Self {
        let (codes, name) = (vec![], name.to_owned());
        let (text, currency, days, rail, of) = (None, None, None, None, None);
        let (difference, node, per_line, per_day, threshold) = (None, None, None, None, None);
        Self {
            name,
            strategy,
            codes,
            text,
            currency,
            days,
            rail,
            of,
            difference,
            node,
            per_line,
            per_day,
            threshold,
        }
    }

    /// Window in banking days.
    #[must_use]
    pub fn days(&self) -> u16 {
        self.days.unwrap_or(DEFAULT_DAYS)
    }

    /// True if the rule is about lines with these codes in this currency. Its pattern is for the caller to match.
    #[must_use]
    pub fn covers(&self, codes: &[String], currency: Currency) -> bool {
        let has_code = || self.codes.iter().any(|of| codes.iter().any(|code| of.contain(code)));
        self.currency.is_none_or(|own| own == currency) && (self.codes.is_empty() || has_code())
    }

    /// The first day of items that a line of `day` can be about; the day after `day` is the last one, since the days of
    /// the ledger are days of UTC.
    pub(super) fn first_day(&self, day: Day) -> Day {
        let reaches = |from: Day| crate::calendar::plus_banking_days(from, self.days()) >= day;
        let before = |from: &Day| Some(from.plus_days(-1));
        std::iter::successors(Some(day), before).take_while(|from| reaches(*from)).last().unwrap_or(day)
    }
}

#[cfg(test)]
mod tests;
