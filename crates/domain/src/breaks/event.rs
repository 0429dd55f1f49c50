//! Events of a break.

use serde::{Deserialize, Serialize};

use super::out_of_suspense;
use crate::actor::Origin;
use crate::calendar::Day;
use crate::event::{Payload, events};
use crate::id::{CustodyId, PlatformId, StatementId};
use crate::money::Currency;
use crate::named;
use crate::posting::Postings;
use crate::transaction::ClearedItem;

events! { Break:
    /// A line was booked to suspense.
    Opened = 140 v 1 "break.opened",
    /// The line was matched, wholly or in part.
    Matched = 141 v 1 "break.matched",
    /// A match was taken back.
    Unmatched = 142 v 1 "break.unmatched",
    /// The bank stated the day anew: the line is taken back.
    Withdrawn = 143 v 1 "break.withdrawn",
}

/// A line was booked to suspense, because no open item explained it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// Platform whose customers own the money.
    pub platform: PlatformId,
    /// The account at the bank.
    pub custody: CustodyId,
    /// The statement; `None` for a day that the sandbox's bank stated without a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<StatementId>,
    /// The bank's id of the line.
    pub line: String,
    /// Currency of the amount.
    pub currency: Currency,
    /// Day of the statement.
    pub day: Day,
    /// Minor units; positive for money onto the account.
    pub amount: i64,
}

impl Payload for Opened {}

named! {
    /// The way by which a match was found.
    pub enum Strategy {
        /// An operator chose what explains the line.
        Operator => "operator",
        /// A reference of the line names the transactions, or their file.
        Reference => "reference",
        /// The line is a file that was sent.
        File => "file",
        /// The line is the sum of the returns of a day.
        Returns => "returns",
        /// The amount is that of one open item, and of no other line.
        Amount => "amount",
        /// Lines of this kind belong to a node.
        Book => "book",
        /// The match of another rule differs a little.
        Tolerance => "tolerance",
    }
}

/// The line was matched, wholly or in part. The transactions record that their items are cleared
/// (`transaction.cleared`, suspense against the item); the postings here are those to accounts of nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matched {
    /// Number of the match, counted from 0.
    pub number: u32,
    /// Open items that explain the line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ClearedItem>,
    /// Suspense against nodes, for a part that no item explains: a fee, interest, a loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postings: Option<Postings>,
    /// The way by which the match was found.
    pub strategy: Strategy,
    /// The rule that found it; `None` for a match of an operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleName>,
    /// Amount of the line that the rule's further matches explain, in minor units: a match of many items is recorded in
    /// parts.
    #[serde(default, skip_serializing_if = "crate::event::is_zero")]
    pub rest: i64,
    /// Origin of the match.
    pub origin: Origin,
}

/// A rule of a version of a custody's rule set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleName {
    /// Version of the set; 0 for the built-in one.
    pub version: u32,
    /// Name of the rule.
    pub name: String,
}

impl Payload for Matched {}

impl Matched {
    /// Amount of the line that the match explains, in minor units.
    #[must_use]
    pub fn amount(&self) -> i64 {
        amount(&self.items, out_of_suspense(self.postings.as_ref()))
    }
}

impl Unmatched {
    /// Amount of the line that the match explained, in minor units.
    #[must_use]
    pub fn amount(&self) -> i64 {
        amount(&self.items, out_of_suspense(self.postings.as_ref()).saturating_neg())
    }
}

/// Amount of items and of postings.
fn amount(items: &[ClearedItem], of_postings: i64) -> i64 {
    items.iter().map(|item| item.amount).fold(of_postings, i64::saturating_add)
}

/// A match was taken back. The transactions record that their items are open again (`transaction.reopened`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unmatched {
    /// Number of the match.
    pub number: u32,
    /// The items as the match stated them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ClearedItem>,
    /// Postings that reverse those of the match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postings: Option<Postings>,
    /// Origin of the change.
    pub origin: Origin,
}

impl Payload for Unmatched {}

/// The bank stated the day anew: the line is taken back, and with it its amount in suspense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdrawn {}

impl Payload for Withdrawn {}
