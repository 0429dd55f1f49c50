//! Rule sets of a custody, and the end of a run that tried them on the lines in suspense.

use serde::{Deserialize, Serialize};

use super::Refusal;
use super::event::{BreaksMatched, RulesSet};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{CustodyId, PlatformId};
use crate::matching::RuleSet;
use crate::node;
use crate::state::States;
use crate::time::Timestamp;

/// The rule set of a custody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// Version of the set, counted from 1; 0 for the built-in one.
    pub version: u32,
    /// The rules.
    pub set: RuleSet,
}

impl Rules {
    /// The built-in rules, which hold until a custody has its own.
    #[must_use]
    pub fn built_in() -> Self {
        Self { version: 0, set: RuleSet::built_in() }
    }
}

/// Command to give a custody a rule set in place of its old one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetRules {
    /// The platform's account at the bank.
    pub custody: CustodyId,
    /// The platform.
    pub platform: PlatformId,
    /// The whole set.
    pub rules: RuleSet,
    /// Origin of the set.
    pub origin: Origin,
}

impl Decide for SetRules {
    fn subject(&self) -> Key {
        self.custody.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        let nodes = self.rules.nodes().into_iter().map(Key::from);
        nodes.chain([self.custody.into(), self.platform.into()]).collect()
    }

    /// Decides. Changes nothing if the custody has this set already.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let own = states.custody(self.custody).filter(|custody| custody.platform == self.platform);
        let own = own.ok_or(Refusal::Unknown)?;
        if own.rules.as_ref().is_some_and(|rules| rules.set == self.rules) {
            return Ok(vec![]);
        }
        let is_held =
            |id| node::create::find(states, self.platform, id).is_ok_and(|node| node.kind.is_held());
        if !self.rules.nodes().into_iter().all(is_held) {
            return Err(Refusal::RuleNode.into());
        }
        let version = own.rules_version().saturating_add(1);
        let set = RulesSet { version, rules: self.rules.clone(), origin: self.origin };
        Ok(vec![NewEvent::new(self.custody, set)])
    }

    fn weight(&self) -> usize {
        size_of_val(self.rules.rules())
    }
}

/// Command to record the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndMatching {
    /// The platform's account at the bank.
    pub custody: CustodyId,
    /// Number of runs that were due when this one began.
    pub due: u32,
    /// Version of the rule set.
    pub version: u32,
    /// Number of lines that the run matched.
    pub matched: u32,
    /// Number of lines that no rule matched.
    pub left: u32,
}

impl Decide for EndMatching {
    fn subject(&self) -> Key {
        self.custody.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.custody.into()]
    }

    /// Decides. Changes nothing if another process has ended the run.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let custody = states.custody(self.custody).ok_or(Refusal::Unknown)?;
        if !(custody.runs_done + 1..=custody.runs_due).contains(&self.due) {
            return Ok(vec![]);
        }
        let &Self { due, version, matched, left, .. } = self;
        Ok(vec![NewEvent::new(self.custody, BreaksMatched { runs: due, version, matched, left })])
    }
}

#[cfg(test)]
mod tests;
