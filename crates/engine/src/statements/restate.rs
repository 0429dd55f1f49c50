//! Restatement: an operator accepts a file in which the bank states days anew. The lines of those days are taken back,
//! and those of the file are booked instead.

use std::collections::HashMap;
use std::time::Duration;

use daybook_domain::calendar::Day;
use daybook_domain::operation::Act;
use daybook_domain::statement::Statement;
use daybook_domain::statement::accept::{AcceptStatements, StatedDay};
use daybook_domain::{Currency, CustodyId, OperationId, OperatorId, StatementId};
use daybook_log::Shard;

use super::file::ReadIn;
use super::intake::TakenFile;
use super::read::{OtherAccounts, Refused, StatementFormat};
use crate::access::PlatformRecord;
use crate::batch::Call;
use crate::engine::Engine;
use crate::ops::OpsError;

/// Maximum number of days that a file states anew.
const MAX_DAYS: usize = 366;

/// Maximum time to wait until the list has the statements accepted before.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(5);

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
    /// [`OpsError::Statement`] if the file is refused. Refusal by the rules if later days would not continue the days of the
    /// file, or while lines of an earlier statement are not booked. Nothing is accepted then.
    pub async fn restate(
        &self,
        platform: &PlatformRecord,
        (call, by): (Call, OperatorId),
        file: (Vec<u8>, StatementFormat, OtherAccounts),
        reason: String,
    ) -> Result<Restated, OpsError> {
        let read = self.read_in(platform, file).await?;
        let current = self.listed_statements(platform.shard, read.custody).await?;
        let current = current.into_iter().map(|(id, it)| ((it.currency, it.day), (id, it))).collect();
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
        for (id, lines) in replaced {
            file.position = file.position.max(self.book_small(platform, &call, (id, lines)).await?);
        }
        self.book(platform, &call, &stated.statements, &mut file).await?;
        Ok(Restated { file, operation: Some(operation) })
    }

    /// Returns the current statements of a custody when the list has every statement accepted before this call. A day
    /// that the list did not have yet would be taken for one that was never stated.
    async fn listed_statements(
        &self,
        shard: Shard,
        custody: CustodyId,
    ) -> Result<Vec<(StatementId, Statement)>, OpsError> {
        let head = self.log().head(shard).await.map_err(daybook_projector::Error::from)?.position;
        self.reads().store().caught_up(shard, head, CATCH_UP_TIMEOUT).await?;
        self.current_statements(shard, custody).await
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
