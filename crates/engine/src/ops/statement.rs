//! Bank statements: the bank's record of one day, with each reference matched to its transaction.

use daybook_domain::custody::StatementBooked;
use daybook_domain::custody::book::{BookStatement, Line};
use daybook_domain::posting::{LedgerAccount, Postings};
use daybook_domain::transaction::Transaction;
use daybook_domain::{Actor, CustodyId, Event, Origin, States, TransactionId, custody};
use daybook_vault::Class;
use futures::stream::{self, StreamExt, TryStreamExt};

use super::{OpsError, trace};
use crate::access::PlatformRecord;
use crate::batch::{Call, Submitted};
use crate::contents::StatementDetails;
use crate::engine::Engine;
use crate::error::SubmitError;
use crate::rails::Originator;
use crate::rails::statement::{self, StatementLine};

/// Number of references looked up concurrently.
const REFERENCES_PER_QUERY: usize = 16;

/// A booked statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessedStatement {
    /// Last position of the commit.
    pub position: u64,
    /// The recorded event.
    pub booked: StatementBooked,
    /// Item that each line explains, in the order of the lines.
    pub explains: Vec<Option<ExplainedItem>>,
}

/// The open item that a statement line explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplainedItem {
    /// Transaction of the item.
    pub transaction: TransactionId,
    /// Ledger account of the open item.
    pub account: LedgerAccount,
    /// Remaining open amount after the whole statement, in minor units; debit positive.
    pub still_open: i64,
}

impl ProcessedStatement {
    /// Returns the sum of the unexplained lines, in minor units.
    #[must_use]
    pub fn suspense_minor(&self) -> i64 {
        let lines = self.booked.postings.iter().flat_map(Postings::lines);
        // A credit on the suspense account is money that arrived.
        lines.filter(|line| line.account == LedgerAccount::Suspense).map(|line| -line.amount).sum()
    }
}

impl Engine {
    /// Books the statement that an operator uploads.
    ///
    /// # Errors
    ///
    /// [`OpsError::File`] if the file is invalid; [`SubmitError::Refused`] if the statement does not continue the
    /// previous one, or was booked before. Nothing is done then.
    pub async fn take_statement(
        &self,
        platform: &PlatformRecord,
        call: Call,
        text: &str,
    ) -> Result<ProcessedStatement, OpsError> {
        let stated = statement::parse(text)?;
        let custody = self.custody(platform.shard, platform.id).await?;
        let originator = trace::originator(self, platform).await?;
        let lines = stated.lines.iter().map(|line| self.line(platform, custody, &originator, line));
        let lines = stream::iter(lines).buffered(REFERENCES_PER_QUERY).try_collect().await?;
        let descriptions = stated.lines.into_iter().map(|line| line.description).collect();
        let sealer = self.own_sealer(platform).await?;
        let sealed = sealer.seal(Class::Profile, &StatementDetails { descriptions })?;
        let book = BookStatement {
            custody,
            currency: stated.currency,
            day: stated.date,
            opening: stated.opening_minor,
            closing: stated.closing_minor,
            lines,
            origin: Origin::of(Actor::Bank),
            details: Some(sealed),
        };
        let done = self.submit(call, book).await?;
        taken(&done).ok_or(OpsError::Submit(SubmitError::Failed))
    }

    /// Matches a line with the transaction that its reference names, by id or by trace.
    async fn line(
        &self,
        platform: &PlatformRecord,
        custody: CustodyId,
        originator: &Originator,
        line: &StatementLine,
    ) -> Result<Line, OpsError> {
        let reference = line.reference.as_deref().map(str::trim).unwrap_or_default();
        let transaction = match (reference.parse().ok(), trace::number(reference, originator)) {
            (Some(id), _) => Some(id),
            (None, Some(number)) => trace::transaction(self, platform.shard, custody, number).await?,
            (None, None) => None,
        };
        Ok(Line { id: line.id.clone(), amount: line.amount_minor, transaction })
    }
}

/// Returns the booked statement of a commit, if it contains one.
fn taken(done: &Submitted) -> Option<ProcessedStatement> {
    let booked = done.events.iter().find_map(|happened| match &happened.event {
        Event::Custody(custody::Event::StatementBooked(booked)) => Some(booked.clone()),
        _ => None,
    })?;
    let explains = booked.lines.iter().map(|line| {
        let (transaction, account) = line.explains?;
        let open = done.transaction(transaction).map(Transaction::open_items).unwrap_or_default();
        let left = open.iter().find(|item| item.account == account);
        Some(ExplainedItem { transaction, account, still_open: left.map_or(0, |item| item.amount) })
    });
    let explains = explains.collect();
    Some(ProcessedStatement { position: done.position, booked, explains })
}
