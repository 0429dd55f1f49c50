//! Rule sets: an ordered list of rules by which lines in suspense are matched. A set is data, kept whole in an event of the
//! custody; its patterns are matched by the caller, since the domain has no regular expressions.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::codes::Codes;
use crate::calendar::Day;
use crate::id::NodeId;
use crate::money::{Currency, MAX_MINOR};
use crate::named;
use crate::posting::Rail;

/// Maximum number of rules in a set.
pub const MAX_RULES: usize = 100;
/// Maximum number of characters in a rule's name.
const MAX_NAME_CHARS: usize = 40;
/// Maximum number of characters in a pattern.
const MAX_PATTERN_CHARS: usize = 200;
/// Maximum number of codes of a rule.
const MAX_CODES: usize = 50;
/// Maximum window, in banking days.
const MAX_DAYS: u16 = 30;
/// Maximum difference that a tolerance accepts, in minor units.
const MAX_DIFFERENCE: i64 = 1_000;
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

    /// Checks the parameters by themselves.
    fn check(&self) -> Result<(), String> {
        let plain = |letter: u8| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
        if !(1..=MAX_NAME_CHARS).contains(&self.name.len()) || !self.name.bytes().all(plain) {
            return Err(format!(
                "name must be 1 to {MAX_NAME_CHARS} lower-case letters, digits, \"-\" and \"_\""
            ));
        }
        self.check_presence()?;
        if self.text.as_ref().is_some_and(|text| !(1..=MAX_PATTERN_CHARS).contains(&text.chars().count())) {
            return Err(format!("text must have 1 to {MAX_PATTERN_CHARS} characters"));
        }
        if self.codes.len() > MAX_CODES {
            return Err(format!("codes must be at most {MAX_CODES}"));
        }
        if self.days() > MAX_DAYS {
            return Err(format!("days must be at most {MAX_DAYS}"));
        }
        if self.difference.is_some_and(|most| !(1..=MAX_DIFFERENCE).contains(&most)) {
            return Err(format!("difference must be 1 to {MAX_DIFFERENCE} minor units"));
        }
        let fits = |most: i64| (1..=MAX_MINOR).contains(&most);
        if !self.per_line.into_iter().chain(self.per_day).all(fits) || self.per_line > self.per_day {
            return Err("per_line must be at least 1 and at most per_day".to_owned());
        }
        if self.threshold.is_some_and(|score| !(1..=100).contains(&score)) {
            return Err("threshold must be 1 to 100".to_owned());
        }
        Ok(())
    }

    /// Checks that the strategy has its parameters, and no other ones.
    fn check_presence(&self) -> Result<(), String> {
        use Means::{Amount, Book, File, Group, Returns, Suggest, Tolerance};
        let is = |means: &[Means]| means.contains(&self.strategy);
        let windowed = [File, Returns, Amount, Group, Suggest];
        // Name, presence, strategies that may have it, strategies that must have it.
        let table: [(&str, bool, &[Means], &[Means]); 8] = [
            ("days", self.days.is_some(), &windowed, &[]),
            ("rail", self.rail.is_some(), &[Amount], &[]),
            ("of", self.of.is_some(), &[Tolerance], &[Tolerance]),
            ("difference", self.difference.is_some(), &[Tolerance], &[Tolerance]),
            ("node_id", self.node.is_some(), &[Book, Tolerance], &[Book, Tolerance]),
            ("per_line", self.per_line.is_some(), &[Book], &[Book]),
            ("per_day", self.per_day.is_some(), &[Book], &[Book]),
            ("threshold", self.threshold.is_some(), &[Suggest], &[Suggest]),
        ];
        let name = self.strategy.as_str();
        for (parameter, is_there, may, must) in table {
            if is_there && !is(may) {
                return Err(format!("the strategy {name} has no parameter {parameter}"));
            }
            if !is_there && is(must) {
                return Err(format!("the strategy {name} needs the parameter {parameter}"));
            }
        }
        if is(&[Book, Tolerance]) && self.currency.is_none() {
            return Err(format!("the strategy {name} needs the parameter currency"));
        }
        if is(&[Book]) && self.codes.is_empty() && self.text.is_none() {
            return Err("the strategy book needs codes or text".to_owned());
        }
        let filters = self.text.is_some() || !self.codes.is_empty();
        if is(&[Tolerance]) && filters {
            return Err(
                "the strategy tolerance has the codes and the text of the rule that it names".to_owned()
            );
        }
        Ok(())
    }

    /// Checks the rule beside those before it.
    fn check_beside(&self, before: &[Self]) -> Result<(), String> {
        if before.iter().any(|rule| rule.name == self.name) {
            return Err(format!("name {} is that of an earlier rule", self.name));
        }
        if let Some(of) = &self.of {
            let exact = [Means::Reference, Means::File, Means::Returns, Means::Amount];
            let named = before.iter().find(|rule| rule.name == *of);
            if !named.is_some_and(|rule| exact.contains(&rule.strategy)) {
                return Err(
                    "of must name an earlier rule that matches references, files, returns or amounts"
                        .to_owned(),
                );
            }
        }
        let books = |rule: &&Self| rule.strategy == Means::Book && rule.currency == self.currency;
        let overlaps = |rule: &Self| {
            rule.text.is_none() && rule.codes.iter().any(|one| self.codes.iter().any(|own| one.overlap(own)))
        };
        match before.iter().filter(books).find(|rule| overlaps(rule)) {
            Some(rule) if self.strategy == Means::Book => {
                Err(format!("codes overlap with those of {}, which books all of them", rule.name))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
