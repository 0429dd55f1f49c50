//! Checks of rules: what can be meant. A set of the log is checked when it is read, so the limits can be widened and never
//! narrowed.

use super::{Means, Rule};
use crate::money::MAX_MINOR;

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

impl Rule {
    /// Checks the parameters by themselves.
    pub(super) fn check(&self) -> Result<(), String> {
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
    pub(super) fn check_beside(&self, before: &[Self]) -> Result<(), String> {
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
            rule.text.is_none()
                && self.per_line <= rule.per_line
                && rule.codes.iter().any(|one| self.codes.iter().any(|own| one.overlap(own)))
        };
        match before.iter().filter(books).find(|rule| overlaps(rule)) {
            Some(rule) if self.strategy == Means::Book => {
                Err(format!("codes overlap with those of {}, which books all of them", rule.name))
            }
            _ => Ok(()),
        }
    }
}
