//! Returns: entries that a bank sends back, matched with their transactions by trace. An entry that is no return of
//! ours, or is not understood, does not block the others: it gets an outcome of its own, for a person to check.

use std::sync::Arc;

use daybook_domain::calendar::ReturnCode;
use daybook_domain::transaction::returning::Return;
use daybook_domain::transaction::{self, Direction, Event as Step, Status, Transaction};
use daybook_domain::{
    Actor, Currency, CustodyId, Event, Key, Money, OperatorId, Origin, Refusal, State, TransactionId,
};
use daybook_projector::fold;
use futures::stream::{self, StreamExt, TryStreamExt};

use super::{OpsError, trace};
use crate::access::PlatformRecord;
use crate::batch::Call;
use crate::engine::Engine;
use crate::error::SubmitError;
use crate::rails::ach::{Content, Entry, Notice, parse_returns};
use crate::rails::{FileError, Originator};

/// Number of entries processed concurrently. The writer commits waiting commands together.
const AT_ONCE: usize = 64;

/// An entry of a file, with its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenReturn {
    /// The entry.
    pub entry: Entry,
    /// Transaction of the entry.
    pub transaction: Option<TransactionId>,
    /// Outcome of the entry.
    pub fate: Fate,
}

/// Outcome of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The transaction was returned.
    Returned,
    /// The transaction had been returned before; nothing changed.
    Known,
    /// No outgoing entry has this trace.
    UnknownTrace,
    /// The outgoing entry with this trace has another amount.
    OtherAmount,
    /// The rules refused the return.
    Refused(Refusal),
    /// The entry is no return, but another notice with a code of the rules. Nothing happens automatically.
    Notice(Notice, &'static str),
    /// The code is unknown.
    UnknownCode,
    /// A field of the entry is invalid.
    NotUnderstood(FileError),
}

impl TakenReturn {
    /// Returns the amount of the entry. ACH entries are in US dollars.
    #[must_use]
    pub const fn amount(&self) -> Money {
        Money::new(self.entry.amount_minor, Currency::USD)
    }

    /// Returns true if a person must check the entry, because nothing was done about it.
    #[must_use]
    pub const fn needs_person(&self) -> bool {
        match self.fate {
            Fate::Returned | Fate::Known => false,
            Fate::UnknownTrace
            | Fate::OtherAmount
            | Fate::Refused(_)
            | Fate::Notice(..)
            | Fate::UnknownCode
            | Fate::NotUnderstood(_) => true,
        }
    }
}

impl Engine {
    /// Processes a file of returns that `operator` uploads. Repeating the same file changes nothing.
    ///
    /// # Errors
    ///
    /// [`OpsError::File`] if the file is invalid. Nothing is done then.
    pub async fn take_returns(
        &self,
        platform: &PlatformRecord,
        operator: OperatorId,
        text: &str,
    ) -> Result<Vec<TakenReturn>, OpsError> {
        let entries = parse_returns(text)?;
        let custody = self.custody(platform.shard, platform.id).await?;
        let originator = trace::originator(self, platform).await?;
        let taking = Taking { engine: self, platform, custody, operator, originator: &originator };
        let taken = entries.into_iter().map(|entry| taking.take(entry));
        stream::iter(taken).buffered(AT_ONCE).try_collect().await
    }
}

/// Context that all entries of a file share.
struct Taking<'a> {
    engine: &'a Engine,
    platform: &'a PlatformRecord,
    custody: CustodyId,
    operator: OperatorId,
    originator: &'a Originator,
}

impl Taking<'_> {
    async fn take(&self, entry: Entry) -> Result<TakenReturn, OpsError> {
        let number = trace::number(&entry.trace, self.originator);
        let id = match number {
            Some(number) => {
                trace::transaction(self.engine, self.platform.shard, self.custody, number).await?
            }
            None => None,
        };
        let fate = match (&entry.content, number.zip(id)) {
            (Content::Returned(code), Some((number, id))) => {
                self.give_back(&entry, *code, number, id).await?
            }
            (Content::Returned(_), None) => Fate::UnknownTrace,
            (Content::Other(notice, title), _) => Fate::Notice(*notice, title),
            (Content::UnknownCode, _) => Fate::UnknownCode,
            (Content::Unreadable(error), _) => Fate::NotUnderstood(error.clone()),
        };
        Ok(TakenReturn { entry, transaction: id, fate })
    }

    async fn give_back(
        &self,
        entry: &Entry,
        code: ReturnCode,
        number: u32,
        id: TransactionId,
    ) -> Result<Fate, OpsError> {
        let Some((transaction, leg)) = self.leg(number, id).await? else { return Ok(Fate::UnknownTrace) };
        if transaction.leg_minor(leg) != entry.amount_minor {
            return Ok(Fate::OtherAmount);
        }
        let origin = Origin::of(Actor::Bank);
        let back = Return { id, platform: self.platform.id, code, leg: Some(leg), origin };
        let call = Call { actor: Actor::Operator(self.operator), ..Call::default() };
        match self.engine.submit(call, back).await {
            Ok(_) => Ok(Fate::Returned),
            Err(SubmitError::Refused(Refusal::Transaction(transaction::Refusal::CannotReturn(
                Status::Returned,
            )))) if leg != Direction::Refund => Ok(Fate::Known),
            Err(SubmitError::Refused(refusal)) => Ok(Fate::Refused(refusal)),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the transaction, and its leg with this trace number, which the transaction's own events tell.
    async fn leg(
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
