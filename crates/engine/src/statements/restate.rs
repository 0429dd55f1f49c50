//! Restatement: an operator accepts a file in which the bank states days anew. The lines of those days are taken back,
//! and those of the file are booked instead.

use std::collections::HashMap;

use daybook_domain::calendar::Day;
use daybook_domain::operation::Act;
use daybook_domain::statement::Statement;
use daybook_domain::statement::accept::{AcceptStatements, StatedDay};
use daybook_domain::statement::book::MAX_LINES_AT_ONCE;
use daybook_domain::{Currency, CustodyId, Key, OperationId, OperatorId, StatementId, States};
use daybook_log::Shard;
use daybook_projector::Page;

use super::file::ReadIn;
use super::intake::TakenFile;
use super::read::{OtherAccounts, Refused, StatementFormat};
use crate::access::PlatformRecord;
use crate::batch::Call;
use crate::engine::Engine;
use crate::ops::OpsError;

/// Maximum number of days that a file states anew.
const MAX_DAYS: usize = 366;

/// Number of statements that one query of the list returns.
const PAGE_SIZE: u32 = 500;

/// Result of a restatement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restated {
    /// The file.
    pub file: TakenFile,
    /// The operation, which may wait for another operator; `None` if nothing happened, or nothing was recorded.
    pub operation: Option<OperationId>,
}

/// Statements by currency and day.
type ByDay = HashMap<(Currency, Day), (StatementId, Statement)>;

impl Engine {
    /// Accepts a file in which the bank states days anew, on behalf of the operator `by`, or asks another operator for
    /// approval if the platform's policy requires it. Days that were never stated are accepted as well.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::take_statement`]; refused if later days would not continue the days of the file, or while lines
    /// of an earlier statement are not booked.
    pub async fn restate(
        &self,
        platform: &PlatformRecord,
        (call, by): (Call, OperatorId),
        file: (Vec<u8>, StatementFormat, OtherAccounts),
        reason: String,
    ) -> Result<Restated, OpsError> {
        let read = self.read_in(platform, file).await?;
        let current = self.newest_by_day(platform.shard, read.custody).await?;
        let accept = restatement(&read, &current)?;
        let mut file = self.taken(platform, &read).await?;
        file.is_repeated = accept.file.statements.is_empty() && !read.file.days.is_empty();
        if accept.file.statements.is_empty() || !self.may_be_accepted(platform, &accept).await? {
            return Ok(Restated { file, operation: None });
        }
        if call.dry_run {
            file.statements = read.views(platform.id, &accept.file.statements);
            return Ok(Restated { file, operation: None });
        }
        self.keep(platform, &call, &read, &accept.file.statements).await?;
        let AcceptStatements { custody, file: stated, .. } = accept;
        let act = Act::Restate { custody, file: stated.clone() };
        let (operation, done) = self.operate(platform, call.clone(), by, act, reason).await?;
        file.position = done.position;
        let replaced = stated.statements.iter().rev().filter_map(|it| {
            let (_, old) = current.get(&(it.currency, it.day))?;
            Some((it.replaces?, old.lines))
        });
        let new = stated.statements.iter().map(|it| (it.id, it.lines));
        for (id, lines) in replaced.chain(new) {
            let position = self.book_small(platform, &call, (id, lines)).await?;
            file.position = file.position.max(position);
        }
        for it in &stated.statements {
            let count = if it.lines > MAX_LINES_AT_ONCE { 0 } else { it.lines as usize };
            file.statements.extend(self.statement(platform.shard, it.id, (0, count)).await?);
        }
        Ok(Restated { file, operation: Some(operation) })
    }

    /// Returns the statements of a custody that no other one replaces.
    async fn newest_by_day(&self, shard: Shard, custody: CustodyId) -> Result<ByDay, OpsError> {
        let mut newest = ByDay::new();
        for number in 1.. {
            let page = Page { number, size: PAGE_SIZE };
            let ids = self.reads().lists().statements_of_custody(shard, custody, page).await?.items;
            let keys: Vec<Key> = ids.iter().map(|id| Key::from(*id)).collect();
            let found = self.reads().aggregates().records(shard, &keys).await?;
            let known = ids.iter().filter_map(|id| Some((*id, found.statement(*id)?.clone())));
            let current = known.filter(|(_, it)| it.replaced_by.is_none());
            newest.extend(current.map(|(id, it)| ((it.currency, it.day), (id, it))));
            if ids.len() < PAGE_SIZE as usize {
                break;
            }
        }
        Ok(newest)
    }
}

/// Builds the command of a file, without the days whose newest statement is from this file.
fn restatement(read: &ReadIn, current: &ByDay) -> Result<AcceptStatements, Refused> {
    let ReadIn { hash, .. } = *read;
    let mut accept = read.accept();
    accept.file.statements.retain_mut(|stated| match current.get(&(stated.currency, stated.day)) {
        Some((_, it)) if it.file == hash.hex() => false,
        Some((old, _)) => {
            *stated = StatedDay { id: hash.restatement(*old), replaces: Some(*old), ..stated.clone() };
            true
        }
        None => true,
    });
    if accept.file.statements.len() > MAX_DAYS {
        return Err(Refused::ManyDays(MAX_DAYS));
    }
    Ok(accept)
}
