//! Matching: finds the open items and nodes that explain lines in suspense, by the rules of a set, in their order.
//!
//! A pure function of the lines, the open items, the sent files and the rules: the same input in any order gives the same
//! matches. A rule matches a line only if its answer is unique on both sides; an ambiguous answer becomes a suggestion. What
//! one rule matched, no later rule sees.

mod book;
mod codes;
mod commands;
mod exact;
mod groups;
mod pool;
mod reference;
mod rules;
mod suggest;
mod sums;

pub use codes::{Codes, CodesError};
pub use pool::Parts;
pub use rules::{MAX_RULES, Means, Rule, RuleError, RuleSet};

use crate::breaks::Strategy;
use crate::calendar::Day;
use crate::id::{BreakId, FileId, TransactionId};
use crate::money::Currency;
use crate::named;
use crate::posting::{LedgerAccount, Posting};
use crate::transaction::ClearedItem;
use pool::Pool;
use suggest::Bounded;

/// A line in suspense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The break.
    pub id: BreakId,
    /// Currency of the amount.
    pub currency: Currency,
    /// Day of the statement.
    pub day: Day,
    /// Part of the amount that nothing explains yet, in minor units; never 0.
    pub left: i64,
    /// True if an operator decides about the line: rules suggest matches, and make none.
    pub by_hand: bool,
    /// References of the bank.
    pub references: Vec<String>,
    /// Codes of the bank.
    pub codes: Vec<String>,
    /// Texts that the patterns of rules capture, each with the number of its rule; a pattern without a group captures
    /// the whole match. A rule whose pattern does not match captures nothing.
    pub captures: Vec<(usize, String)>,
    /// Words of the text and the references in which a part of a name can be, at least [`MIN_WORD_CHARS`] long.
    pub words: Vec<String>,
}

/// Minimum length of a word of [`Line::words`].
pub const MIN_WORD_CHARS: usize = 6;

/// Number of suggestions for a line, those of earlier rules first.
const MAX_SUGGESTIONS: usize = 10;

/// An open item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The transaction.
    pub transaction: TransactionId,
    /// An account of a rail or of returns.
    pub account: LedgerAccount,
    /// Currency of the amount.
    pub currency: Currency,
    /// Minor units; positive for money to come to us; never 0.
    pub amount: i64,
    /// Day since which it is open.
    pub since: Day,
    /// Names by which references mean it: the id of its transaction, the trace of its entry.
    pub names: Vec<String>,
    /// The file in which the entry was sent; of a return, the file of the entry that came back.
    pub file: Option<FileId>,
    /// Number of the entry's batch in that file, if the file has batches.
    pub batch: Option<u32>,
}

impl Item {
    /// True if the item is that of an entry that came back.
    const fn is_return(&self) -> bool {
        self.account.is_of_returns()
    }
}

/// A file that was sent to the bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentFile {
    /// The file.
    pub id: FileId,
    /// Day on which the bank closed it.
    pub day: Day,
    /// Names by which references mean it.
    pub names: Vec<String>,
}

/// Lines, open items and sent files of one custody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The lines in suspense.
    pub lines: Vec<Line>,
    /// The open items.
    pub items: Vec<Item>,
    /// The files of the items.
    pub files: Vec<SentFile>,
}

/// Matches and suggestions, in the order of the breaks' ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Matches that the rules make. No item is in two of them.
    pub matches: Vec<Match>,
    /// Suggestions for lines that no rule matches: of each line the best first.
    pub suggestions: Vec<Suggestion>,
}

/// A match of the whole rest of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The break.
    pub line: BreakId,
    /// Currency of the line.
    pub currency: Currency,
    /// The strategy that events name.
    pub strategy: Strategy,
    /// Number of the rule, from 0.
    pub rule: usize,
    /// Items and nodes whose amounts make the rest of the line.
    pub parts: Parts,
}

/// A possible explanation of a line, for an operator to decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The break.
    pub line: BreakId,
    /// The strategy that found it.
    pub means: Means,
    /// Number of the rule, from 0.
    pub rule: usize,
    /// Likelihood, 1 to 99.
    pub score: u8,
    /// Reasons for the score.
    pub reasons: Vec<Reason>,
    /// Items that would explain the line, or a part of it.
    pub items: Vec<ClearedItem>,
}

named! {
    /// A reason for a suggestion.
    #[derive(PartialOrd, Ord)]
    pub enum Reason {
        /// The amounts are equal.
        Amount => "amount",
        /// The amounts differ by at most one percent.
        NearAmount => "near_amount",
        /// The sum of several items is the amount of the line.
        Sum => "sum",
        /// The line is a part of the amount of an item.
        Part => "part",
        /// The item opened at most one banking day before the line.
        Day => "day",
        /// The text has a part of a name of the item.
        Name => "name",
        /// Others explain the line as well, or other lines are explained as well.
        Ambiguous => "ambiguous",
    }
}

/// Matches the lines of `input` by the rules of `set`.
#[must_use]
pub fn run(input: &Input, set: &RuleSet) -> Outcome {
    let mut pool = Pool::new(input);
    for (number, rule) in set.rules().iter().enumerate() {
        pool.apply(set, (number, rule));
    }
    let mut suggestions = Bounded::default();
    for suggestion in set.rules().iter().enumerate().flat_map(|rule| pool.suggest(rule)) {
        suggestions.add(suggestion, MAX_SUGGESTIONS);
    }
    pool.outcome(suggestions.all)
}

/// The nodes and the amounts that they get.
fn posting((node, amount): (crate::id::NodeId, i64)) -> Posting {
    Posting { account: LedgerAccount::Node(node), amount }
}

#[cfg(test)]
mod tests;
