//! Days that the bank states as a whole, without a file.

use daybook_domain::calendar::Day;
use daybook_domain::custody::Line;
use daybook_domain::custody::book::BookStatement;
use daybook_domain::{Actor, Command, Currency, Origin, TransactionId, testing::fixture::CUSTODY};
use daybook_random::Random;

use super::Bank;
use crate::auditor::{Auditor, open_items};

impl Bank {
    /// Creates the statement of `day`. Some statements have a line in two parts, an unknown line, or a line that nets
    /// two others.
    pub(super) fn state_as_whole(
        &self,
        random: &mut Random,
        auditor: &Auditor,
        currency: Currency,
        day: Day,
    ) -> Command {
        let waiting = self.waiting.get(&currency).into_iter().flatten();
        let mut lines: Vec<_> = waiting.map(|movement| (movement.amount, movement.transaction)).collect();
        if random.once_in(6) && !lines.is_empty() {
            let place = random.below(lines.len());
            let (amount, transaction) = lines[place];
            // Parts of a transaction with two legs would be ambiguous.
            let is_told = transaction.is_none_or(|id| !has_two_legs(id, auditor));
            let part = if is_told { amount / 3 } else { 0 };
            if part != 0 {
                lines[place].0 -= part;
                lines.push((part, transaction));
            }
        }
        if random.once_in(8) {
            // The line has no known transaction, or names a transaction in another currency.
            let foreign = auditor.deals.iter().filter(|(_, deal)| deal.amount.currency != currency);
            let mut open = foreign.filter_map(|(id, deal)| Some((open_items(deal).first()?.1, Some(*id))));
            let amount = random.between(1, 30) * random.one_of(&[1, -1]);
            lines.push(open.next().filter(|_| random.once_in(2)).unwrap_or((amount, None)));
        }
        if random.once_in(4) {
            net(&mut lines, auditor);
        }
        let opening = self.balance(currency);
        let closing = opening + lines.iter().map(|(amount, _)| amount).sum::<i64>();
        let line = |(number, (amount, transaction)): (usize, &(i64, Option<TransactionId>))| Line {
            id: format!("L{number}"),
            amount: *amount,
            transaction: *transaction,
        };
        let lines = lines.iter().enumerate().map(line).collect();
        let origin = Origin::of(Actor::Bank);
        let statement =
            BookStatement { custody: CUSTODY, currency, day, opening, closing, lines, origin, details: None };
        Command::BookStatement(Box::new(statement))
    }
}

/// Replaces an entry and its return by one line with amount zero.
fn net(lines: &mut Vec<(i64, Option<TransactionId>)>, auditor: &Auditor) {
    for first in 0..lines.len() {
        let (amount, Some(id)) = lines[first] else { continue };
        let met = (first + 1..lines.len()).find(|other| lines[*other] == (-amount, Some(id)));
        if let Some(second) = met.filter(|_| !has_two_legs(id, auditor)) {
            lines.remove(second);
            lines[first] = (0, Some(id));
            return;
        }
    }
}

fn has_two_legs(id: TransactionId, auditor: &Auditor) -> bool {
    let deal = auditor.deals.get(&id);
    deal.is_some_and(|deal| deal.from.rail().is_some() && deal.to.rail().is_some())
}
