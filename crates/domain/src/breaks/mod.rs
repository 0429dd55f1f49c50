//! Break: a line of a bank's statement that no open item explained when it was booked. Its amount is in suspense until
//! matches explain it, wholly or in parts, so that suspense always is the sum of named lines.

pub mod event;
pub mod match_line;
pub mod refusal;
pub mod unmatch;

pub use event::{Event, Matched, Opened, RuleName, Strategy, Unmatched, Withdrawn};
pub use refusal::Refusal;
use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::aggregate::{Aggregate, Kind};
use crate::calendar::Day;
use crate::id::{CustodyId, PlatformId, StatementId};
use crate::money::Currency;
use crate::posting::{LedgerAccount, Postings};
use crate::time::Timestamp;

/// State of a break.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Break {
    /// Platform whose customers own the money.
    pub platform: PlatformId,
    /// The account at the bank.
    pub custody: CustodyId,
    /// The statement; `None` for a day that the sandbox's bank stated without a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<StatementId>,
    /// The bank's id of the line.
    pub line: String,
    /// Currency of all amounts.
    pub currency: Currency,
    /// Day of the statement.
    pub day: Day,
    /// Amount of the line, in minor units; positive for money onto the account.
    pub amount: i64,
    /// Part of the amount that nothing explains yet, in minor units.
    pub left: i64,
    /// Matches that hold, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<MatchSum>,
    /// Number of the next match.
    #[serde(default)]
    pub next: u32,
    /// True if the bank stated the day anew, so that the line is taken back.
    #[serde(default)]
    pub is_withdrawn: bool,
    /// True if an operator took a match back: rules suggest matches of the line, and make none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_hand: bool,
}

/// A match that holds, and the amount that it explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchSum {
    /// Number of the match, counted from 0.
    pub number: u32,
    /// Minor units.
    pub amount: i64,
}

impl Aggregate for Break {
    type Event = Event;
    const KIND: Kind = Kind::Break;

    fn begin(event: &Event, _at: Timestamp) -> Option<Self> {
        match event {
            Event::Opened(opened) => Some(Self {
                platform: opened.platform,
                custody: opened.custody,
                statement: opened.statement,
                line: opened.line.clone(),
                currency: opened.currency,
                day: opened.day,
                amount: opened.amount,
                left: opened.amount,
                matches: vec![],
                next: 0,
                is_withdrawn: false,
                by_hand: false,
            }),
            Event::Matched(_) | Event::Unmatched(_) | Event::Withdrawn(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Always the first event of its stream.
            Event::Opened(_) => {}
            Event::Matched(matched) => {
                let amount = matched.amount();
                self.left = self.left.saturating_sub(amount);
                self.matches.push(MatchSum { number: matched.number, amount });
                self.next = self.next.max(matched.number.saturating_add(1));
            }
            Event::Unmatched(unmatched) => {
                let ended = self.matches.iter().position(|it| it.number == unmatched.number);
                let amount = ended.map_or(0, |at| self.matches.remove(at).amount);
                self.left = self.left.saturating_add(amount);
                self.by_hand |= matches!(unmatched.origin.by, Actor::Operator(_));
            }
            Event::Withdrawn(_) => (self.left, self.is_withdrawn) = (0, true),
        }
    }
}

/// Amount that postings take out of suspense, in minor units: the sign of a line, positive for money onto the account.
fn out_of_suspense(postings: Option<&Postings>) -> i64 {
    let lines = postings.into_iter().flat_map(Postings::lines);
    lines.filter(|line| line.account == LedgerAccount::Suspense).map(|line| line.amount).sum()
}
