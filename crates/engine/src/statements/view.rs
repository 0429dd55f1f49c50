//! View of an accepted statement: its balances, the progress of the booking, what its booked lines clear, and the lines as
//! the bank states them.

use std::collections::HashMap;

use daybook_domain::custody::Booked;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::statement::book::MAX_LINES_AT_ONCE;
use daybook_domain::statement::{self, Statement};
use daybook_domain::transaction::Transaction;
use daybook_domain::{Event, Key, StatementId, States, TransactionId};
use daybook_log::Shard;
use daybook_projector::Page;

use super::keep;
use crate::access::PlatformRecord;
use crate::contents::StatementLine;
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

/// A page of the lines of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementPage {
    /// The statement with the booked lines of the page.
    pub view: StatementView,
    /// The lines of the page as the bank states them; `None` if their keys are destroyed: the retention of their month
    /// has ended.
    pub stated: Option<Vec<StatementLine>>,
}

impl Engine {
    /// Returns a page of the lines of a statement of `platform`; `None` if it has no statement with this id.
    ///
    /// # Errors
    ///
    /// Fails if the read models, the log or the vault are unavailable.
    pub async fn statement_page(
        &self,
        platform: &PlatformRecord,
        id: StatementId,
        page: Page,
    ) -> Result<Option<StatementPage>, OpsError> {
        let size = page.size as usize;
        let first = (page.number.saturating_sub(1) as usize).saturating_mul(size);
        let view = self.statement(platform.shard, id, (first, size)).await?;
        let Some(view) = view.filter(|view| view.statement.platform == platform.id) else { return Ok(None) };
        let stated = self.stated(platform, &view, (first, size)).await?;
        Ok(Some(StatementPage { view, stated }))
    }

    /// Returns the lines from number `first` on, at most `count` of them, as the bank states them.
    async fn stated(
        &self,
        platform: &PlatformRecord,
        view: &StatementView,
        (first, count): (usize, usize),
    ) -> Result<Option<Vec<StatementLine>>, OpsError> {
        let end = first.saturating_add(count).min(view.statement.lines as usize);
        if first >= end {
            return Ok(Some(vec![]));
        }
        let of_page = MAX_LINES_AT_ONCE as usize;
        let mut lines = vec![];
        for number in first / of_page..=(end - 1) / of_page {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let Some(page) = keep::page(self, platform.shard, view.id, number).await? else {
                return Ok(None);
            };
            lines.extend(page);
        }
        let before = first - first % of_page;
        Ok(Some(lines.into_iter().skip(first - before).take(end - first).collect()))
    }

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
        let booked = self.booked_lines(shard, id).await?.into_iter().skip(first).take(count);
        let booked: Vec<Booked> = booked.collect();
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

    /// Returns the booked lines of a statement, in the order of the file.
    pub(super) async fn booked_lines(&self, shard: Shard, id: StatementId) -> Result<Vec<Booked>, OpsError> {
        let key = Key::from(id);
        let timelines = self.reads().aggregates().timelines(shard, &[key]).await?;
        let mut booked = vec![];
        for happened in timelines.get(&key).into_iter().flat_map(|events| events.iter()) {
            match &happened.event {
                Event::Statement(statement::Event::LinesBooked(it)) => booked.extend_from_slice(&it.lines),
                Event::Statement(statement::Event::LinesTakenBack(it)) => booked.truncate(it.first as usize),
                _ => {}
            }
        }
        Ok(booked)
    }
}
