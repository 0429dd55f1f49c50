//! Statement: the sandbox's bank states what it booked up to the end of a day: everything that was open then.

use std::collections::BTreeSet;

use daybook_domain::calendar::Day;
use daybook_domain::custody::Custody;
use daybook_domain::custody::book::{BookStatement, Line};
use daybook_domain::{Actor, Currency, CustodyId, Origin, States, Timestamp, TransactionId};
use daybook_log::Shard;
use daybook_projector::{OpenItemRow, Page};

use super::outcome::{Problem, submit};
use crate::engine::Engine;

/// The most lines of one statement; what is left comes with the next day's.
const MAX_LINES: Page = Page { number: 1, size: 5_000 };

/// States the last day that is over at `now`, in dollars and in every other currency in which something is open.
pub(super) async fn state(
    engine: &Engine,
    shard: Shard,
    now: Timestamp,
    id: CustodyId,
) -> Result<u64, Problem> {
    let found = engine.reads().aggregates().records(shard, &[id.into()]).await?;
    let custody = found.custody(id).filter(|custody| custody.sandbox).ok_or(Problem::Pointless)?;
    let today = Day::of(now).start();
    let open = engine.reads().lists().open_items(shard, custody.platform, today, MAX_LINES).await?;
    // Dollars last: once they are stated, the day is.
    let others = open.iter().map(|item| item.currency).filter(|currency| *currency != Currency::USD);
    let currencies: Vec<_> = others.collect::<BTreeSet<_>>().into_iter().chain([Currency::USD]).collect();
    let mut position = 0;
    for currency in currencies {
        let of_currency = open.iter().filter(|item| item.currency == currency);
        let statement = statement(id, custody, currency, Day::of(now).plus_days(-1), of_currency);
        if custody.stated_on(currency) < Day::of(now).plus_days(-1) {
            let statement = statement.ok_or(Problem::Pointless)?;
            position = submit(engine, statement).await?;
        }
    }
    Ok(position)
}

/// What the bank states: everything that is open; none if its balance would not fit.
fn statement<'a>(
    id: CustodyId,
    custody: &Custody,
    currency: Currency,
    day: Day,
    open: impl Iterator<Item = &'a OpenItemRow>,
) -> Option<BookStatement> {
    let lines = lines(open);
    let opening = custody.balance(currency);
    let closing = lines.iter().try_fold(opening, |sum, line| sum.checked_add(line.amount))?;
    let origin = Origin { simulated: true, ..Origin::of(Actor::Bank) };
    Some(BookStatement { custody: id, currency, day, opening, closing, lines, origin, details: None })
}

/// A line for everything that is open.
fn lines<'a>(open: impl Iterator<Item = &'a OpenItemRow>) -> Vec<Line> {
    let line = |item: &OpenItemRow| Line {
        id: format!("{}-{}", TransactionId::from_u128(item.transaction.as_u128()), item.account),
        amount: item.amount,
        transaction: Some(item.transaction),
    };
    open.map(line).collect()
}
