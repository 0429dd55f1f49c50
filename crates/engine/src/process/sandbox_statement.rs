//! Simulated bank statements: the sandbox bank states every item that was open at the end of a day, and that no file of
//! the bank has stated.

use std::collections::BTreeSet;

use daybook_domain::calendar::Day;
use daybook_domain::custody::Custody;
use daybook_domain::custody::Line;
use daybook_domain::custody::book::BookStatement;
use daybook_domain::{Actor, Currency, CustodyId, Origin, States, Timestamp, TransactionId};
use daybook_log::Shard;
use daybook_projector::OpenItemRow;

use super::outcome::{ToDoError, submit};
use crate::engine::Engine;
use crate::statements::sandbox_bank::MAX_ITEMS;
use crate::statements::sandbox_bank::items::of_automatic_statement;

/// States the last day that is over at `now`, in US dollars and in every other currency with open items.
pub(super) async fn state(
    engine: &Engine,
    shard: Shard,
    now: Timestamp,
    id: CustodyId,
) -> Result<u64, ToDoError> {
    let found = engine.reads().aggregates().records(shard, &[id.into()]).await?;
    let custody = found.custody(id).filter(|custody| custody.sandbox).ok_or(ToDoError::MissingAggregate)?;
    let today = Day::of(now).start();
    let open = engine.reads().lists().open_items(shard, custody.platform, today, MAX_ITEMS).await?;
    let open = of_automatic_statement(engine, shard, (custody.platform, id), open).await?;
    // US dollars come last: once they are stated, the day counts as stated.
    let others = open.iter().map(|item| item.currency).filter(|currency| *currency != Currency::USD);
    let currencies: Vec<_> = others.collect::<BTreeSet<_>>().into_iter().chain([Currency::USD]).collect();
    let mut position = 0;
    for currency in currencies {
        let of_currency = open.iter().filter(|item| item.currency == currency);
        let statement = statement(id, custody, currency, Day::of(now).plus_days(-1), of_currency);
        if custody.stated_on(currency) < Day::of(now).plus_days(-1) {
            let statement = statement.ok_or(ToDoError::MissingAggregate)?;
            position = submit(engine, shard, statement).await?;
        }
    }
    Ok(position)
}

/// Builds the statement of all open items; none if the balance would overflow.
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

/// Builds a line for each open item.
fn lines<'a>(open: impl Iterator<Item = &'a OpenItemRow>) -> Vec<Line> {
    let line = |item: &OpenItemRow| Line {
        id: format!("{}-{}", TransactionId::from_u128(item.transaction.as_u128()), item.account),
        amount: item.amount,
        transaction: Some(item.transaction),
    };
    open.map(line).collect()
}
