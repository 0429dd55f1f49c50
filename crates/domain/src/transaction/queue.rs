//! Queue and release: a transaction is held back for a reason, and goes on when the reason is removed.

use super::advance::cancel;
use super::event::{Queued, Released};
use super::screening::{Blockers, ScreeningOutcome};
use super::{CancelReason, QueueReason, Refusal, Status};
use crate::actor::{Actor, Origin};
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{PlatformId, TransactionId};
use crate::state::States;
use crate::time::{DAY_MS, Timestamp};

/// Time in the queue after which a transaction is canceled: 14 days (`docs/reference/money.md`, States).
pub const EXPIRY_MS: i64 = 14 * DAY_MS;

/// Command to queue a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// The transaction.
    pub id: TransactionId,
    /// Platform of the caller.
    pub platform: PlatformId,
    /// Reason for the queue.
    pub reason: QueueReason,
    /// Origin of the request.
    pub origin: Origin,
}

impl Decide for Queue {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.id.into()]
    }

    /// Decides. Changes nothing if the transaction is queued for this reason already. Refuses reasons that only
    /// screening can find.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        if !self.reason.is_given() {
            return Err(Refusal::ReasonNotGiven.into());
        }
        let transaction = states.transaction(self.id).filter(|it| it.platform == self.platform);
        let transaction = transaction.ok_or(Refusal::Unknown)?;
        match transaction.status {
            Status::Created | Status::Queued if transaction.queue.contains(&self.reason) => Ok(vec![]),
            Status::Created | Status::Queued => {
                let reasons = transaction.queue.iter().copied().chain([self.reason]).collect();
                let waits_for = transaction.waits_for.clone();
                Ok(vec![NewEvent::new(self.id, Queued { reasons, waits_for, origin: self.origin })])
            }
            status @ (Status::ProcessingDebit
            | Status::ProcessingCredit
            | Status::Settled
            | Status::Canceled
            | Status::Returned) => Err(Refusal::CannotQueue(status).into()),
        }
    }
}

/// Command to screen a queued transaction again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The transaction.
    pub id: TransactionId,
    /// Platform of the caller; `None` for a process.
    pub platform: Option<PlatformId>,
    /// Origin of the request. Every actor except a process removes the reasons that a caller gave.
    pub origin: Origin,
}

impl Decide for Release {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let transaction = states.transaction(self.id);
        let looked_at = transaction
            .into_iter()
            .flat_map(|it| it.screened().needs(states).into_iter().chain(it.accounts()));
        looked_at.chain([self.id.into()]).collect()
    }

    /// Decides: releases the transaction, keeps it queued for the remaining reasons, cancels it if it waited too long
    /// or may not proceed, or changes nothing.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let transaction = states.transaction(self.id);
        let is_theirs = |platform| self.platform.is_none_or(|own| own == platform);
        let transaction = transaction.filter(|it| is_theirs(it.platform)).ok_or(Refusal::Unknown)?;
        let by_process = self.origin.by == Actor::Process;
        let Some((since, _)) = transaction.queued_at.filter(|_| transaction.status == Status::Queued) else {
            let refusal = Refusal::NotQueued(transaction.status);
            return if by_process { Ok(vec![]) } else { Err(refusal.into()) };
        };
        if by_process && at >= since.plus_ms(EXPIRY_MS) {
            return cancel(states, self.id, transaction, CancelReason::QueueExpired, self.origin, at);
        }
        let (mut reasons, waits_for) = match transaction.screened().verdict(states, at) {
            ScreeningOutcome::Pass => (vec![], vec![]),
            ScreeningOutcome::Queue(Blockers { reasons, waits_for }) => (reasons, waits_for),
            ScreeningOutcome::Cancel(reason) => {
                return cancel(states, self.id, transaction, reason, self.origin, at);
            }
        };
        if !by_process && !reasons.is_empty() {
            return Err(Refusal::StillBlocked.into());
        }
        if by_process {
            reasons.extend(transaction.queue.iter().copied().filter(|reason| reason.is_given()));
        }
        let is_other = reasons != transaction.queue || waits_for != transaction.waits_for;
        let is_new = is_other || reasons.contains(&QueueReason::DailyLimit);
        let origin = self.origin;
        Ok(match (reasons.is_empty(), is_new) {
            (true, _) => vec![NewEvent::new(self.id, Released { origin })],
            // Recorded, so that the next recheck is due on the next day.
            (false, true) => vec![NewEvent::new(self.id, Queued { reasons, waits_for, origin })],
            (false, false) => vec![],
        })
    }
}

#[cfg(test)]
mod tests;
