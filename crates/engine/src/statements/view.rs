//! View of an accepted statement: its balances, the progress of the booking, and what its booked lines clear.

use std::collections::HashMap;

use daybook_domain::custody::Booked;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::statement::{self, Statement};
use daybook_domain::transaction::Transaction;
use daybook_domain::{Event, Key, StatementId, States, TransactionId};
use daybook_log::Shard;
use daybook_projector::RecordedEvent;

use crate::engine::Engine;
use crate::ops::OpsError;

/// An accepted statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementView {
    /// Id of the statement.
    pub id: StatementId,
    /// Its state.
    pub statement: Statement,
    /// Booked lines, each with the open item that it clears.
    pub lines: Vec<(Booked, Option<ExplainedItem>)>,
}

/// The open item that a statement line explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplainedItem {
    /// Transaction of the item.
    pub transaction: TransactionId,
    /// Ledger account of the open item.
    pub account: LedgerAccount,
    /// Amount of the item that is still open, in minor units; debit positive.
    pub still_open: i64,
}

impl Engine {
    /// Returns an accepted statement with its booked lines from number `first` on, at most `count` of them; `None` if
    /// there is none with this id.
    ///
    /// # Errors
    ///
    /// Fails if the read models or the log are unavailable.
    pub async fn statement(
        &self,
        shard: Shard,
        id: StatementId,
        (first, count): (usize, usize),
    ) -> Result<Option<StatementView>, OpsError> {
        let key = Key::from(id);
        let reads = self.reads().aggregates();
        let found = reads.records(shard, &[key]).await?;
        let Some(statement) = found.statement(id).cloned() else { return Ok(None) };
        let events = reads.timelines(shard, &[key]).await?.remove(&key).unwrap_or_default();
        let booked: Vec<Booked> = events.iter().flat_map(lines).skip(first).take(count).cloned().collect();
        let transactions: Vec<Key> = booked.iter().filter_map(|line| Some(line.explains?.0.into())).collect();
        let found = reads.records(shard, &transactions).await?;
        let mut open = HashMap::new();
        for (id, _) in booked.iter().filter_map(|line| line.explains) {
            open.entry(id)
                .or_insert_with(|| found.transaction(id).map(Transaction::open_items).unwrap_or_default());
        }
        let explained = |line: &Booked| {
            let (transaction, account) = line.explains?;
            let left = open.get(&transaction)?.iter().find(|item| item.account == account);
            let still_open = left.map_or(0, |item| item.amount);
            Some(ExplainedItem { transaction, account, still_open })
        };
        let lines = booked.into_iter().map(|line| (line.clone(), explained(&line))).collect();
        Ok(Some(StatementView { id, statement, lines }))
    }
}

fn lines(happened: &RecordedEvent) -> &[Booked] {
    match &happened.event {
        Event::Statement(statement::Event::LinesBooked(booked)) => &booked.lines,
        _ => &[],
    }
}
