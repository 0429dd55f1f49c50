//! Acts: the changes that an operator may request.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::journal;
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::breaks::Matched;
use crate::breaks::match_line::MatchLine;
use crate::breaks::unmatch::UnmatchLine;
use crate::calendar::ReturnCode;
use crate::custody::rules::SetRules;
use crate::decide::Decide;
use crate::id::{AccountId, BreakId, CustodyId, NodeId, OperationId, PlatformId, TransactionId, UserId};
use crate::matching::RuleSet;
use crate::money::Currency;
use crate::platform::{Limits, Policy, PolicySet};
use crate::posting::{Posting, Postings};
use crate::state::States;
use crate::statement::accept::{AcceptStatements, StatedFile};
use crate::time::Timestamp;
use crate::transaction::cancel::Cancel;
use crate::transaction::present::PresentAgain;
use crate::transaction::queue::{Queue, Release};
use crate::transaction::returns::ReturnTransaction;
use crate::transaction::{CancelReason, ClearedItem, Direction, QueueReason};
use crate::{Refusal as No, breaks, custody, node, platform, user};

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
        /// Open items that the postings to rails and returns clear. Empty in events from before items were named.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        clears: Vec<ClearedItem>,
    },
    /// Matches a line in suspense with open items and nodes.
    Match {
        /// The break.
        id: BreakId,
        /// Currency of the amounts.
        currency: Currency,
        /// Open items that explain the line.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        items: Vec<ClearedItem>,
        /// Nodes and the amounts that they get, in minor units.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        posts: Vec<Posting>,
    },
    /// Takes back a match of a line.
    Unmatch {
        /// The break.
        id: BreakId,
        /// Number of the match.
        number: u32,
        /// The match as the event of the break states it; `None` if there is none with this number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        matched: Option<Box<Matched>>,
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
    /// Gives the platform's account at the bank a set of matching rules.
    SetRules {
        /// The whole set.
        rules: RuleSet,
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
    /// [`Act::Match`].
    Match,
    /// [`Act::Unmatch`].
    Unmatch,
    /// [`Act::SetRules`].
    SetRules,
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
            Self::Match { .. } => ActKind::Match,
            Self::Unmatch { .. } => ActKind::Unmatch,
            Self::SetRules { .. } => ActKind::SetRules,
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
            Self::Journal { postings, clears, .. } => {
                let nodes = postings.lines().iter().filter_map(|line| line.account.node());
                let accounts =
                    nodes.flat_map(|node| [node.into(), AccountId::of(node, postings.currency()).into()]);
                accounts.chain(clears.iter().map(|item| item.transaction.into())).collect()
            }
            Self::LockNode { node } | Self::UnlockNode { node } | Self::SetLimits { node, .. } => {
                vec![(*node).into()]
            }
            Self::LockUser { user } | Self::UnlockUser { user } => vec![(*user).into()],
            Self::SetPolicy { .. } => vec![],
            Self::Restate { custody, file } => restatement(*custody, file, origin).needs(states),
            Self::Match { id, currency, items, posts } => {
                match_line((*id, platform), *currency, (items, posts), origin).needs(states)
            }
            Self::Unmatch { id, matched: Some(matched), .. } => {
                unmatch_line((*id, platform), matched, origin).needs(states)
            }
            Self::Unmatch { matched: None, .. } => vec![],
            Self::SetRules { rules } => {
                set_rules(states, platform, rules, origin).map(|set| set.needs(states)).unwrap_or_default()
            }
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
            Self::Journal { postings, effective_at, clears } => {
                journal::facts(states, (postings, clears), *effective_at, doing)
            }
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
            Self::Match { id, currency, items, posts } => {
                match_line((*id, platform), *currency, (items, posts), origin).decide(states, at)
            }
            Self::Unmatch { id, matched, .. } => {
                let matched = matched.as_ref().ok_or(breaks::Refusal::NoMatch)?;
                unmatch_line((*id, platform), matched, origin).decide(states, at)
            }
            Self::SetRules { rules } => {
                let set = set_rules(states, platform, rules, origin).ok_or(platform::Refusal::Unknown)?;
                set.decide(states, at)
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

fn match_line(
    (id, platform): (BreakId, PlatformId),
    currency: Currency,
    (items, posts): (&[ClearedItem], &[Posting]),
    origin: Origin,
) -> MatchLine {
    let (items, posts) = (items.to_vec(), posts.to_vec());
    MatchLine { id, platform, currency, items, posts, by: None, origin }
}

fn unmatch_line((id, platform): (BreakId, PlatformId), matched: &Matched, origin: Origin) -> UnmatchLine {
    UnmatchLine { id, platform, matched: matched.clone(), origin }
}

fn set_rules(
    states: &impl States,
    platform: PlatformId,
    rules: &RuleSet,
    origin: Origin,
) -> Option<SetRules> {
    let custody = CustodyId::of(platform, states.platform(platform)?.bank);
    Some(SetRules { custody, platform, rules: rules.clone(), origin })
}

#[cfg(test)]
mod tests;
