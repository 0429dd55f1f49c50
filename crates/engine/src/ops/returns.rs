//! Returns and notifications of change: entries of a bank's file, matched with our entries by trace. An entry that is
//! neither, or is not understood, does not block the others: it gets an outcome of its own, for a person to check.

use std::collections::BTreeMap;
use std::sync::Arc;

use daybook_domain::calendar::ReturnCode;
use daybook_domain::transaction::returns::ReturnTransaction;
use daybook_domain::transaction::{self, Direction, Event as Step, Status, Transaction};
use daybook_domain::{
    Actor, Currency, CustodyId, Event, Key, Money, NodeId, OperatorId, Origin, Refusal, State, TransactionId,
};
use daybook_projector::fold;
use futures::stream::{self, StreamExt, TryStreamExt};

use super::corrections::Answered;
use super::{OpsError, trace};
use crate::access::PlatformRecord;
use crate::batch::Call;
use crate::engine::Engine;
use crate::error::SubmitError;
use crate::rails::ach::{Content, Entry, Notice, parse_returns};
use crate::rails::{FileError, Originator};

/// Number of entries processed concurrently. The writer commits waiting commands together.
const ENTRIES_PER_BATCH: usize = 64;

/// An entry of a file, with its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessedReturn {
    /// The entry.
    pub entry: Entry,
    /// Transaction of the entry.
    pub transaction: Option<TransactionId>,
    /// Outcome of the entry.
    pub fate: ReturnOutcome,
}

/// Outcome of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReturnOutcome {
    /// The transaction was returned.
    Returned,
    /// The transaction had been returned before; nothing changed.
    Known,
    /// The node was corrected as the notification of change says.
    Corrected,
    /// The notification of change was recorded before; nothing changed.
    CorrectedBefore,
    /// The contested return was recorded, with the title of its code. An operator decides how it goes on.
    Contested(&'static str),
    /// The contested return was recorded before; nothing changed.
    ContestKnown,
    /// No outgoing entry has this trace.
    UnknownTrace,
    /// The outgoing entry with this trace has another amount.
    OtherAmount,
    /// The rules refused the return.
    Refused(Refusal),
    /// The entry is another notice with a code of the rules, with the title of the code. Nothing happens automatically,
    /// for the given reason if it usually does.
    Notice(Notice, &'static str, Option<String>),
    /// The code is unknown.
    UnknownCode,
    /// A field of the entry is invalid.
    NotUnderstood(FileError),
}

impl ProcessedReturn {
    /// Returns the amount of the entry. ACH entries are in US dollars.
    #[must_use]
    pub const fn amount(&self) -> Money {
        Money::new(self.entry.amount_minor, Currency::USD)
    }

    /// Returns true if a person must check the entry, because nothing was done about it, or because the notice that was
    /// recorded needs a decision.
    #[must_use]
    pub const fn needs_person(&self) -> bool {
        match self.fate {
            ReturnOutcome::Returned
            | ReturnOutcome::Known
            | ReturnOutcome::Corrected
            | ReturnOutcome::CorrectedBefore
            | ReturnOutcome::ContestKnown => false,
            ReturnOutcome::Contested(_)
            | ReturnOutcome::UnknownTrace
            | ReturnOutcome::OtherAmount
            | ReturnOutcome::Refused(_)
            | ReturnOutcome::Notice(..)
            | ReturnOutcome::UnknownCode
            | ReturnOutcome::NotUnderstood(_) => true,
        }
    }
}

impl Engine {
    /// Processes a file of returns that `operator` uploads. Repeating the same file changes nothing. Notifications about
    /// one node are recorded in the order of the file, so that the last one holds.
    ///
    /// # Errors
    ///
    /// [`OpsError::File`] if the file is invalid. Nothing is done then.
    pub async fn take_returns(
        &self,
        platform: &PlatformRecord,
        operator: OperatorId,
        text: &str,
    ) -> Result<Vec<ProcessedReturn>, OpsError> {
        let entries = parse_returns(text)?;
        let custody = self.custody(platform.shard, platform.id).await?;
        let originator = trace::originator(self, platform, custody).await?;
        let taking = ReturnProcessor { engine: self, platform, custody, operator, originator: &originator };
        let traced = entries.into_iter().map(|entry| taking.trace(entry));
        let traced: Vec<_> = stream::iter(traced).buffered(ENTRIES_PER_BATCH).try_collect().await?;
        // Entries that may be processed at the same time are apart.
        let mut lanes: BTreeMap<Result<usize, NodeId>, Vec<(usize, TracedEntry)>> = BTreeMap::new();
        for (index, entry) in traced.into_iter().enumerate() {
            let lane = entry.answered.map_or(Ok(index), |answered| Err(answered.node));
            lanes.entry(lane).or_default().push((index, entry));
        }
        let taken = lanes.into_values().map(|lane| taking.take_all(lane));
        let taken: Vec<_> = stream::iter(taken).buffered(ENTRIES_PER_BATCH).try_concat().await?;
        let taken: BTreeMap<_, _> = taken.into_iter().collect();
        Ok(taken.into_values().collect())
    }
}

/// An entry of a file, with the transaction of ours that its trace names.
struct TracedEntry {
    entry: Entry,
    found: Option<(u32, TransactionId)>,
    /// The entry of ours, if this is a notification of change about one.
    answered: Option<Answered>,
}

/// Context that all entries of a file share.
pub(super) struct ReturnProcessor<'a> {
    pub(super) engine: &'a Engine,
    pub(super) platform: &'a PlatformRecord,
    custody: CustodyId,
    pub(super) operator: OperatorId,
    originator: &'a Originator,
}

impl ReturnProcessor<'_> {
    async fn trace(&self, entry: Entry) -> Result<TracedEntry, OpsError> {
        let number = trace::number(&entry.trace, self.originator);
        let id = match number {
            Some(number) => {
                trace::transaction(self.engine, self.platform.shard, self.custody, number).await?
            }
            None => None,
        };
        let found = number.zip(id);
        let answered = match (&entry.content, found) {
            (Content::Changed(..), Some((number, id))) => {
                let leg = self.leg(number, id).await?;
                leg.and_then(|(transaction, leg)| Answered::of(id, &transaction, leg))
            }
            _ => None,
        };
        Ok(TracedEntry { entry, found, answered })
    }

    /// Processes entries one after the other. Returns each with its index in the file.
    async fn take_all(
        &self,
        entries: Vec<(usize, TracedEntry)>,
    ) -> Result<Vec<(usize, ProcessedReturn)>, OpsError> {
        let mut taken = Vec::with_capacity(entries.len());
        for (index, entry) in entries {
            taken.push((index, self.take(entry).await?));
        }
        Ok(taken)
    }

    async fn take(&self, traced: TracedEntry) -> Result<ProcessedReturn, OpsError> {
        let TracedEntry { entry, found, answered } = traced;
        let notice = |notice, title, error: Option<&FileError>| {
            ReturnOutcome::Notice(notice, title, error.map(FileError::to_string))
        };
        let fate = match (&entry.content, found) {
            (Content::Returned(code), Some((number, id))) => {
                self.return_transaction(&entry, *code, number, id).await?
            }
            (Content::Returned(_), None) => ReturnOutcome::UnknownTrace,
            (Content::Changed(title, Ok(correction)), _) => {
                self.correct(&entry, (title, correction), answered).await?
            }
            (Content::Changed(title, Err(error)), _) => notice(Notice::Change, title, Some(error)),
            (Content::RefusedChange(title), _) => notice(Notice::RefusedChange, title, None),
            (Content::Dishonored(title, data), _) => notice(Notice::Dishonored, title, data.as_ref().err()),
            (Content::Contested(title, Ok(contested)), found) => {
                self.contest(&entry, (title, contested), found).await?
            }
            (Content::Contested(title, Err(error)), _) => notice(Notice::Contested, title, Some(error)),
            (Content::UnknownCode, _) => ReturnOutcome::UnknownCode,
            (Content::Unreadable(error), _) => ReturnOutcome::NotUnderstood(error.clone()),
        };
        Ok(ProcessedReturn { entry, transaction: found.map(|(_, id)| id), fate })
    }

    async fn return_transaction(
        &self,
        entry: &Entry,
        code: ReturnCode,
        number: u32,
        id: TransactionId,
    ) -> Result<ReturnOutcome, OpsError> {
        let Some((transaction, leg)) = self.leg(number, id).await? else {
            return Ok(ReturnOutcome::UnknownTrace);
        };
        if transaction.leg_minor(leg) != entry.amount_minor {
            return Ok(ReturnOutcome::OtherAmount);
        }
        let origin = Origin::of(Actor::Bank);
        let back = ReturnTransaction { id, platform: self.platform.id, code, leg: Some(leg), origin };
        let call = Call::by_operator(self.operator, self.platform.shard);
        match self.engine.submit(call, back).await {
            Ok(_) => Ok(ReturnOutcome::Returned),
            Err(SubmitError::Refused(Refusal::Transaction(transaction::Refusal::CannotReturn(
                Status::Returned,
            )))) if leg != Direction::Refund => Ok(ReturnOutcome::Known),
            Err(SubmitError::Refused(refusal)) => Ok(ReturnOutcome::Refused(refusal)),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the transaction, and its leg with this trace number, which the transaction's own events tell.
    pub(super) async fn leg(
        &self,
        number: u32,
        id: TransactionId,
    ) -> Result<Option<(Arc<Transaction>, Direction)>, OpsError> {
        let key = Key::from(id);
        let reads = self.engine.reads();
        let events =
            reads.aggregates().timelines(self.platform.shard, &[key]).await?.remove(&key).unwrap_or_default();
        let leg = events.iter().rev().find_map(|happened| match &happened.event {
            Event::Transaction(Step::Submitted(step)) if step.trace == number => Some(step.direction),
            _ => None,
        });
        let Some(State::Transaction(transaction)) = fold(None, &events)?.map(|folded| folded.state) else {
            return Ok(None);
        };
        Ok(leg.filter(|_| transaction.platform == self.platform.id).map(|leg| (transaction, leg)))
    }
}
