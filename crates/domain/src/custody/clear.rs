//! Clear open items by the lines of a statement, and take that back. A line that clears nothing is posted to suspense
//! until an operator explains it.

use super::Custody;
use super::event::Booked;
use crate::aggregate::NewEvent;
use crate::breaks::{self, Break};
use crate::calendar::Day;
use crate::id::{BreakId, CustodyId, StatementId, TransactionId};
use crate::money::Currency;
use crate::posting::{LedgerAccount, Posting, Postings};
use crate::state::{After, States};
use crate::time::Timestamp;
use crate::transaction::{self, ClearedItem, OpenItem};

/// A line of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The bank's id of the line.
    pub id: String,
    /// Minor units; positive for money onto the account. 0: an entry and its return met at the bank before either was
    /// booked.
    pub amount: i64,
    /// Transaction to which the reference of the line leads.
    pub transaction: Option<TransactionId>,
}

/// Clearing of lines at one account of a bank.
pub(crate) struct Clearing<'a> {
    pub(crate) custody: CustodyId,
    /// State of the custody.
    pub(crate) of: &'a Custody,
    /// Currency of the lines.
    pub(crate) currency: Currency,
    /// Day of the statement.
    pub(crate) day: Day,
    /// The statement; `None` for a day that the sandbox's bank states without a file.
    pub(crate) statement: Option<StatementId>,
    /// Number of the first of the lines, from 0.
    pub(crate) first: u32,
}

/// Result of a clearing.
pub(crate) struct Cleared {
    /// The lines, each with the open item that it clears.
    pub(crate) lines: Vec<Booked>,
    /// Events of the transactions whose items are cleared, and of the lines in suspense.
    pub(crate) facts: Vec<NewEvent>,
    /// Bank against suspense, a pair for each unexplained line.
    pub(crate) postings: Option<Postings>,
}

impl Clearing<'_> {
    /// Clears open items by `lines`, in their order.
    pub(crate) fn clear(&self, states: &impl States, lines: &[Line], at: Timestamp) -> Cleared {
        let mut after = After::new(states);
        let (mut facts, mut booked) = (vec![], vec![]);
        for line in lines {
            let line = self.explain(&after, line);
            if let Some((id, postings)) = self.clearing(&line, 1) {
                let line = line.id.clone();
                let fact = NewEvent::new(id, transaction::Cleared { custody: self.custody, line, postings });
                after.take(std::slice::from_ref(&fact), at);
                facts.push(fact);
            }
            booked.push(line);
        }
        let opened = self.suspended(&booked).map(|(id, line)| {
            let opened = breaks::Opened {
                platform: self.of.platform,
                custody: self.custody,
                statement: self.statement,
                line: line.id.clone(),
                currency: self.currency,
                day: self.day,
                amount: line.amount,
            };
            NewEvent::new(id, opened)
        });
        facts.extend(opened);
        let postings = self.suspense(&booked, 1);
        Cleared { lines: booked, facts, postings }
    }

    /// Takes back what booked lines did. The events of the transactions open the items again. Refuses if a line was matched
    /// after it was booked.
    pub(crate) fn take_back(
        &self,
        states: &impl States,
        lines: Vec<Booked>,
    ) -> Result<Cleared, breaks::Refusal> {
        // Lines that were booked before there were breaks have none.
        let known = self.suspended(&lines).filter_map(|(id, _)| Some((id, states.line_break(id)?)));
        let known: Vec<_> = known.collect();
        if known.iter().any(|(_, line)| !line.matches.is_empty()) {
            return Err(breaks::Refusal::Matched);
        }
        let withdrawn = known.iter().map(|(id, _)| NewEvent::new(*id, breaks::Withdrawn {}));
        let reopened = lines.iter().filter_map(|line| {
            let (id, postings) = self.clearing(line, -1)?;
            let line = line.id.clone();
            Some(NewEvent::new(id, transaction::Reopened { custody: self.custody, line, postings }))
        });
        let (facts, postings) = (reopened.chain(withdrawn).collect(), self.suspense(&lines, -1));
        Ok(Cleared { lines, facts, postings })
    }

    /// Ids of the breaks of lines, whether the lines are explained or not.
    pub(crate) fn breaks(&self, count: usize) -> impl Iterator<Item = BreakId> + '_ {
        (self.first..).take(count).map(|number| self.break_of(number))
    }

    fn break_of(&self, number: u32) -> BreakId {
        match self.statement {
            Some(statement) => BreakId::of(statement, number),
            None => BreakId::of_day(self.custody, self.currency, self.day, number),
        }
    }

    /// The lines that no open item explains, each with the id of its break.
    fn suspended<'a>(&'a self, lines: &'a [Booked]) -> impl Iterator<Item = (BreakId, &'a Booked)> {
        let each = self.breaks(lines.len()).zip(lines);
        each.filter(|(_, line)| line.explains.is_none() && line.amount != 0)
    }

    /// The line with the open item that it clears, wholly or in part.
    fn explain(&self, states: &impl States, line: &Line) -> Booked {
        let (explains, met) = self.item(states, line).map_or((None, None), |(item, met)| (Some(item), met));
        Booked { id: line.id.clone(), amount: line.amount, explains, met }
    }

    /// The open item that `line` clears, and its amount if it met its return.
    fn item(
        &self,
        states: &impl States,
        line: &Line,
    ) -> Option<((TransactionId, LedgerAccount), Option<i64>)> {
        let id = line.transaction?;
        let transaction = states.transaction(id).filter(|it| it.platform == self.of.platform)?;
        if transaction.amount.currency != self.currency {
            return None;
        }
        let open = transaction.open_items();
        if line.amount == 0 {
            return meet(&open).map(|item| ((id, item.account), Some(item.amount)));
        }
        let covers = |item: &&OpenItem| {
            item.amount.signum() == line.amount.signum() && item.amount.abs() >= line.amount.abs()
        };
        // A line that equals one item is not part of a larger item.
        let whole = open.iter().find(|item| item.amount == line.amount);
        let item = whole.or_else(|| open.iter().find(covers))?;
        Some(((id, item.account), None))
    }

    /// The transaction that a booked line clears, and the postings that clear it; with a `sign` of -1 those that reverse
    /// them.
    fn clearing(&self, line: &Booked, sign: i64) -> Option<(TransactionId, Postings)> {
        let (id, account) = line.explains?;
        let (debit, credit, amount) = match line.met {
            Some(met) => (account, counterpart(account)?, met.checked_neg()?),
            None => (LedgerAccount::Bank(self.of.bank), account, line.amount),
        };
        let amount = amount.checked_mul(sign)?;
        Some((id, self.postings(&[(debit, amount), (credit, amount.checked_neg()?)])?))
    }

    /// Postings of the bank against suspense, a pair for each unexplained line; with a `sign` of -1 those that reverse
    /// them.
    fn suspense(&self, lines: &[Booked], sign: i64) -> Option<Postings> {
        let unexplained = lines.iter().filter(|line| line.explains.is_none() && line.amount != 0);
        let pair = |line: &Booked| {
            let amount = line.amount.saturating_mul(sign);
            [(LedgerAccount::Bank(self.of.bank), amount), (LedgerAccount::Suspense, -amount)]
        };
        let lines: Vec<_> = unexplained.flat_map(pair).collect();
        (!lines.is_empty()).then(|| self.postings(&lines)).flatten()
    }

    fn postings(&self, lines: &[(LedgerAccount, i64)]) -> Option<Postings> {
        let lines = lines.iter().map(|&(account, amount)| Posting { account, amount }).collect();
        Postings::new(self.currency, lines).ok()
    }
}

/// The event of a transaction whose item a match takes out of suspense; with a `sign` of -1, the event that opens the item
/// again.
pub(crate) fn out_of_suspense(of: &Break, item: &ClearedItem, sign: i64) -> Option<NewEvent> {
    let amount = item.amount.checked_mul(sign)?;
    let suspense = Posting { account: LedgerAccount::Suspense, amount };
    let cleared = Posting { account: item.account, amount: amount.checked_neg()? };
    let postings = Postings::new(of.currency, vec![suspense, cleared]).ok()?;
    let (id, custody, line) = (item.transaction, of.custody, of.line.clone());
    Some(match sign {
        1 => NewEvent::new(id, transaction::Cleared { custody, line, postings }),
        _ => NewEvent::new(id, transaction::Reopened { custody, line, postings }),
    })
}

/// Finds an entry whose own return met it at the bank. Two legs of a transaction never clear each other.
fn meet(open: &[OpenItem]) -> Option<&OpenItem> {
    open.iter().find(|entry| {
        let back = counterpart(entry.account);
        open.iter().any(|other| Some(other.account) == back && other.amount == -entry.amount)
    })
}

/// Account of the returns of an entry's account.
const fn counterpart(account: LedgerAccount) -> Option<LedgerAccount> {
    match account {
        LedgerAccount::RailIn(_) => Some(LedgerAccount::ReturnOut),
        LedgerAccount::RailOut(_) => Some(LedgerAccount::ReturnIn),
        LedgerAccount::Node(_)
        | LedgerAccount::Transit
        | LedgerAccount::ReturnIn
        | LedgerAccount::ReturnOut
        | LedgerAccount::Bank(_)
        | LedgerAccount::Suspense => None,
    }
}
