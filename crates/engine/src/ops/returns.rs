//! Returns: entries of ours that a bank sends back, each led to its transaction by its trace. What is no return of ours, or
//! is not understood, keeps no other entry out: it gets an outcome of its own, for a person to look at.

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

/// How many entries are looked at together: the writer commits what waits in one.
const AT_ONCE: usize = 64;

/// An entry of a file, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenReturn {
    /// The entry.
    pub entry: Entry,
    /// The transaction that it is about.
    pub transaction: Option<TransactionId>,
    /// What became of it.
    pub fate: Fate,
}

/// What became of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its transaction is returned.
    Returned,
    /// Its transaction was returned before; nothing changed.
    Known,
    /// No entry of ours has this trace.
    UnknownTrace,
    /// The entry with this trace is of another amount.
    OtherAmount,
    /// The rules say no.
    Refused(Refusal),
    /// It is no return, but something else with a code that banks know; nothing follows by itself.
    Notice(Notice, &'static str),
    /// Nobody knows its code.
    UnknownCode,
    /// A field is not what must stand there.
    NotUnderstood(FileError),
}

impl TakenReturn {
    /// The amount of the entry; ACH moves dollars.
    #[must_use]
    pub const fn amount(&self) -> Money {
        Money::new(self.entry.amount_minor, Currency::USD)
    }

    /// Whether a person has to look at it: nothing was done about it.
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
    /// Takes in a file of returns that `operator` brings. The same file again changes nothing.
    ///
    /// # Errors
    ///
    /// [`OpsError::File`] if it cannot be believed: nothing was done then.
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

/// What all entries of a file have in common.
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

    /// The transaction, and which leg of it has this number: its own events tell.
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
