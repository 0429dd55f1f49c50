//! Acts: the changes that an operator may request.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Refusal;
use super::event::Journaled;
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::calendar::{Day, ReturnCode};
use crate::decide::Decide;
use crate::event::Event;
use crate::id::{AccountId, CustodyId, NodeId, OperationId, PlatformId, TransactionId, UserId};
use crate::money::{Currency, MAX_MINOR};
use crate::movement::{Movement, PostingContext};
use crate::platform::{Limits, Policy, PolicySet};
use crate::posting::{LedgerAccount, Postings};
use crate::state::States;
use crate::statement::accept::{AcceptStatements, StatedFile};
use crate::time::Timestamp;
use crate::transaction::cancel::Cancel;
use crate::transaction::present::PresentAgain;
use crate::transaction::queue::{Queue, Release};
use crate::transaction::returns::ReturnTransaction;
use crate::transaction::{CancelReason, Direction, QueueReason};
use crate::{Refusal as No, account, custody, node, platform, user};

/// An act of an operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Act {
    /// Queues a transaction: holds it back.
    Queue {
        /// The transaction.
        transaction: TransactionId,
        /// Reason for the queue.
        reason: QueueReason,
    },
    /// Releases a queued transaction.
    Release {
        /// The transaction.
        transaction: TransactionId,
    },
    /// Cancels a transaction before its money has left.
    Cancel {
        /// The transaction.
        transaction: TransactionId,
    },
    /// Returns a transaction.
    Return {
        /// The transaction.
        transaction: TransactionId,
        /// Return reason code of the rail.
        code: ReturnCode,
        /// The returned leg, if both legs are outside.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        leg: Option<Direction>,
    },
    /// Presents a pull again that was returned for insufficient funds.
    PresentAgain {
        /// The transaction.
        transaction: TransactionId,
    },
    /// Posts a journal entry.
    Journal {
        /// Postings of the entry.
        postings: Postings,
        /// Time at which the entry takes effect, if not at once; never in the future.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effective_at: Option<Timestamp>,
    },
    /// Locks a node.
    LockNode {
        /// The node.
        node: NodeId,
    },
    /// Unlocks a node.
    UnlockNode {
        /// The node.
        node: NodeId,
    },
    /// Locks a user.
    LockUser {
        /// The user.
        user: UserId,
    },
    /// Unlocks a user.
    UnlockUser {
        /// The user.
        user: UserId,
    },
    /// Sets the limits of a held node.
    SetLimits {
        /// The node.
        node: NodeId,
        /// All limits of the node, by currency.
        limits: BTreeMap<Currency, Limits>,
    },
    /// Sets the platform's policy.
    SetPolicy {
        /// The whole policy.
        policy: Policy,
    },
    /// Accepts a file in which the bank states days anew.
    Restate {
        /// The platform's account at the bank.
        custody: CustodyId,
        /// The file.
        file: StatedFile,
    },
}

/// Kind of an act, as policies name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActKind {
    /// [`Act::Queue`].
    Queue,
    /// [`Act::Release`].
    Release,
    /// [`Act::Cancel`].
    Cancel,
    /// [`Act::Return`].
    Return,
    /// [`Act::PresentAgain`].
    PresentAgain,
    /// [`Act::Journal`].
    Journal,
    /// [`Act::LockNode`] and [`Act::LockUser`].
    Lock,
    /// [`Act::UnlockNode`] and [`Act::UnlockUser`].
    Unlock,
    /// [`Act::SetLimits`].
    SetLimits,
    /// [`Act::SetPolicy`].
    SetPolicy,
    /// [`Act::Restate`].
    Restate,
}

/// Context of an act: its operation, platform, origin and time.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActContext {
    pub operation: OperationId,
    pub platform: PlatformId,
    pub origin: Origin,
    pub at: Timestamp,
}

impl Act {
    /// Kind of the act.
    #[must_use]
    pub const fn kind(&self) -> ActKind {
        match self {
            Self::Queue { .. } => ActKind::Queue,
            Self::Release { .. } => ActKind::Release,
            Self::Cancel { .. } => ActKind::Cancel,
            Self::Return { .. } => ActKind::Return,
            Self::PresentAgain { .. } => ActKind::PresentAgain,
            Self::Journal { .. } => ActKind::Journal,
            Self::LockNode { .. } | Self::LockUser { .. } => ActKind::Lock,
            Self::UnlockNode { .. } | Self::UnlockUser { .. } => ActKind::Unlock,
            Self::SetLimits { .. } => ActKind::SetLimits,
            Self::SetPolicy { .. } => ActKind::SetPolicy,
            Self::Restate { .. } => ActKind::Restate,
        }
    }

    /// Keys of the aggregates that the act reads, as in [`Decide::needs`].
    pub(super) fn needs(&self, states: &impl States, platform: PlatformId) -> Vec<Key> {
        let origin = Origin::PROCESS;
        let own = match self {
            Self::Queue { transaction, .. } => vec![(*transaction).into()],
            Self::Release { transaction } => {
                Release { id: *transaction, platform: Some(platform), origin }.needs(states)
            }
            Self::Cancel { transaction } => cancel(*transaction, platform, origin).needs(states),
            Self::Return { transaction, code, leg } => {
                ReturnTransaction { id: *transaction, platform, code: *code, leg: *leg, origin }.needs(states)
            }
            Self::PresentAgain { transaction } => {
                PresentAgain { id: *transaction, platform, origin }.needs(states)
            }
            Self::Journal { postings, .. } => {
                let nodes = postings.lines().iter().filter_map(|line| line.account.node());
                nodes
                    .flat_map(|node| [node.into(), AccountId::of(node, postings.currency()).into()])
                    .collect()
            }
            Self::LockNode { node } | Self::UnlockNode { node } | Self::SetLimits { node, .. } => {
                vec![(*node).into()]
            }
            Self::LockUser { user } | Self::UnlockUser { user } => vec![(*user).into()],
            Self::SetPolicy { .. } => vec![],
            Self::Restate { custody, file } => restatement(*custody, file, origin).needs(states),
        };
        own.into_iter().chain([platform.into()]).collect()
    }

    /// Events that the act records.
    pub(super) fn facts(&self, states: &impl States, doing: ActContext) -> Result<Vec<NewEvent>, No> {
        let ActContext { platform, origin, at, .. } = doing;
        match self {
            Self::Queue { transaction, reason } => {
                Queue { id: *transaction, platform, reason: *reason, origin }.decide(states, at)
            }
            Self::Release { transaction } => {
                Release { id: *transaction, platform: Some(platform), origin }.decide(states, at)
            }
            Self::Cancel { transaction } => cancel(*transaction, platform, origin).decide(states, at),
            Self::Return { transaction, code, leg } => {
                ReturnTransaction { id: *transaction, platform, code: *code, leg: *leg, origin }
                    .decide(states, at)
            }
            Self::PresentAgain { transaction } => {
                PresentAgain { id: *transaction, platform, origin }.decide(states, at)
            }
            Self::Journal { postings, effective_at } => journal(states, postings, *effective_at, doing),
            Self::LockNode { node } => Ok(node::lock::lock(states, platform, *node, true, origin)?),
            Self::UnlockNode { node } => Ok(node::lock::lock(states, platform, *node, false, origin)?),
            Self::LockUser { user } => Ok(user::lock::lock(states, platform, *user, true, origin)?),
            Self::UnlockUser { user } => Ok(user::lock::lock(states, platform, *user, false, origin)?),
            Self::SetLimits { node, limits } => {
                Ok(node::lock::set_limits(states, platform, *node, limits, origin)?)
            }
            Self::SetPolicy { policy } => {
                states.platform(platform).ok_or(platform::Refusal::Unknown)?;
                Ok(vec![NewEvent::new(platform, PolicySet { policy: policy.clone(), origin })])
            }
            Self::Restate { custody, file } => {
                let own = states.custody(*custody).filter(|custody| custody.platform == platform);
                own.ok_or(custody::Refusal::Unknown)?;
                restatement(*custody, file, origin).decide(states, at)
            }
        }
    }
}

fn cancel(id: TransactionId, platform: PlatformId, origin: Origin) -> Cancel {
    Cancel { id, platform, sender: None, reason: CancelReason::Requested, origin }
}

fn restatement(custody: CustodyId, file: &StatedFile, origin: Origin) -> AcceptStatements {
    AcceptStatements { custody, file: file.clone(), origin }
}

/// Events of a journal entry. It posts to held nodes, to the accounts between the ledger and a bank, and to suspense.
/// It never posts to a bank's account, which only statements change, nor to transit, which belongs to transactions.
fn journal(
    states: &impl States,
    postings: &Postings,
    effective_at: Option<Timestamp>,
    doing: ActContext,
) -> Result<Vec<NewEvent>, No> {
    for line in postings.lines() {
        let may_post = match line.account {
            LedgerAccount::Node(id) => {
                node::create::find(states, doing.platform, id).is_ok_and(|node| node.kind.is_held())
            }
            LedgerAccount::RailIn(_)
            | LedgerAccount::RailOut(_)
            | LedgerAccount::ReturnIn
            | LedgerAccount::ReturnOut
            | LedgerAccount::Suspense => true,
            LedgerAccount::Transit | LedgerAccount::Bank(_) => false,
        };
        if !may_post {
            return Err(Refusal::Account.into());
        }
    }
    let fits = postings.lines().iter().all(|line| line.amount.unsigned_abs() <= MAX_MINOR.unsigned_abs());
    if !fits || effective_at.is_some_and(|effective| effective > doing.at) {
        return Err(Refusal::OutOfRange.into());
    }
    let movement = Movement::of(Some(postings.clone()));
    let context = PostingContext::correction(doing.platform, doing.operation, doing.at);
    let entries = movement.entries(states, postings.currency(), context).map_err(|_| Refusal::OutOfRange)?;
    let journaled = NewEvent::new(doing.operation, Journaled { postings: postings.clone() });
    let facts = std::iter::once(journaled).chain(entries);
    Ok(facts.map(|fact| counting_at(effective_at, fact, doing.at)).collect())
}

/// Makes an event that was decided at `at` take effect at `effective_at`. The day's totals in an entry stay those of
/// the day of `at`.
fn counting_at(effective_at: Option<Timestamp>, mut fact: NewEvent, at: Timestamp) -> NewEvent {
    fact.effective_at = effective_at;
    if let Event::Account(account::Event::Entry(entry)) = &mut fact.event {
        entry.day = effective_at.map(|_| Day::of(at));
    }
    fact
}

#[cfg(test)]
mod tests;
