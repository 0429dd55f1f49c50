//! Node: an account object of the API, owned by a user. Its money is held here, or it stands for an account outside.

pub mod change_code;
pub mod correct;
pub mod create;
pub mod deactivate;
pub mod event;
pub mod inapplicable;
pub mod kind;
pub mod link;
pub mod lock;
pub mod micro_deposits;
pub mod refusal;
pub mod relabel;
pub mod resend;
pub(crate) mod returned;
pub mod verify;

use std::collections::BTreeMap;

pub use change_code::ChangeCode;
pub use event::{
    AuthorizationEnded, Corrected, Created, Deactivated, Event, LimitsSet, Locked, MicroDepositsFailed,
    MicroDepositsInapplicable, MicroDepositsMissed, MicroDepositsResent, MicroDepositsSent,
    MicroDepositsVerified, Relabeled, Unlocked,
};
pub use inapplicable::Inapplicable;
pub use kind::NodeKind;
pub use refusal::Refusal;
use serde::{Deserialize, Serialize};

use crate::aggregate::{Aggregate, Kind};
use crate::calendar::ReturnCode;
use crate::id::{PlatformId, UserId};
use crate::money::Currency;
use crate::named;
use crate::platform::Limits;
use crate::sealed::Sealed;
use crate::time::Timestamp;

named! {
    /// Directions in which money may move at a node, as the API spells them.
    pub enum Allowed {
        /// Money may move in only.
        Credit => "CREDIT",
        /// Money may move in and out.
        CreditAndDebit => "CREDIT-AND-DEBIT",
        /// No money may move until the node is unlocked.
        Locked => "LOCKED",
        /// No money may move, for good: the node is not active.
        Inactive => "INACTIVE",
    }
}

impl Allowed {
    /// Returns true if money may go out.
    #[must_use]
    pub const fn debit(self) -> bool {
        match self {
            Self::CreditAndDebit => true,
            Self::Credit | Self::Locked | Self::Inactive => false,
        }
    }

    /// Returns true if money may come in.
    #[must_use]
    pub const fn credit(self) -> bool {
        match self {
            Self::Credit | Self::CreditAndDebit => true,
            Self::Locked | Self::Inactive => false,
        }
    }
}

/// State of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Platform of the owner.
    pub platform: PlatformId,
    /// Owner of the node.
    pub user: UserId,
    /// Type of the node.
    pub kind: NodeKind,
    /// Directions in which money may move while the node is not locked; see [`Node::allowed`].
    pub permitted: Allowed,
    /// True if the node is locked: by an operator, by a return, or by too many wrong reports of micro-deposits.
    pub is_locked: bool,
    /// Limits of this node, by currency.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<Currency, Limits>,
    /// Micro-deposits that the owner must report, in minor units of USD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_deposits: Option<[i64; 2]>,
    /// Number of wrong reports by the owner.
    #[serde(default)]
    pub missed: u8,
    /// Number of times that micro-deposits were sent again.
    #[serde(default)]
    pub resent: u8,
    /// Reason for which micro-deposits do not apply, if it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noted: Option<Inapplicable>,
    /// Code of the return that caused the lock, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locked_for: Option<ReturnCode>,
    /// True if lists show the node. An inactive node can only be fetched by its id.
    pub is_active: bool,
    /// True if a call that debits the node must also carry the platform's own credentials.
    pub gateway_restricted: bool,
    /// Sealed box, class profile: nickname, numbers, names and addresses.
    pub details: Option<Sealed>,
    /// Time of creation.
    pub created_at: Timestamp,
}

impl Node {
    /// Directions in which money may move in the present state.
    #[must_use]
    pub const fn allowed(&self) -> Allowed {
        match (self.is_active, self.is_locked) {
            (false, _) => Allowed::Inactive,
            (true, true) => Allowed::Locked,
            (true, false) => self.permitted,
        }
    }
}

impl Aggregate for Node {
    type Event = Event;
    const KIND: Kind = Kind::Node;

    fn begin(event: &Event, at: Timestamp) -> Option<Self> {
        match event {
            Event::Created(created) => Some(Self {
                platform: created.platform,
                user: created.user,
                kind: created.kind,
                permitted: created.allowed,
                is_locked: false,
                limits: BTreeMap::new(),
                micro_deposits: None,
                missed: 0,
                resent: 0,
                noted: None,
                locked_for: None,
                is_active: created.is_active,
                gateway_restricted: created.gateway_restricted,
                details: created.details.clone(),
                created_at: at,
            }),
            Event::Locked(_)
            | Event::Unlocked(_)
            | Event::LimitsSet(_)
            | Event::MicroDepositsSent(_)
            | Event::MicroDepositsFailed(_)
            | Event::MicroDepositsVerified(_)
            | Event::MicroDepositsMissed(_)
            | Event::Relabeled(_)
            | Event::Deactivated(_)
            | Event::MicroDepositsResent(_)
            | Event::MicroDepositsInapplicable(_)
            | Event::AuthorizationEnded(_)
            | Event::Corrected(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Always the first event of its stream.
            Event::Created(_) => {}
            Event::Locked(locked) => (self.is_locked, self.locked_for) = (true, locked.code),
            Event::Unlocked(_) => (self.is_locked, self.locked_for) = (false, None),
            Event::LimitsSet(set) => self.limits.clone_from(&set.limits),
            Event::MicroDepositsSent(sent) => self.micro_deposits = Some(sent.amounts),
            Event::MicroDepositsVerified(_) => {
                self.permitted = Allowed::CreditAndDebit;
                self.micro_deposits = None;
            }
            Event::MicroDepositsMissed(missed) => self.missed = missed.attempts,
            Event::MicroDepositsResent(resent) => {
                self.micro_deposits = Some(resent.amounts);
                self.resent = resent.count;
            }
            Event::AuthorizationEnded(_) => {
                self.permitted = Allowed::Credit;
                // The way to a new authorization begins anew.
                (self.micro_deposits, self.missed, self.resent) = (None, 0, 0);
            }
            Event::MicroDepositsInapplicable(told) => self.noted = Some(told.reason),
            Event::Relabeled(relabeled) => self.details.clone_from(&relabeled.details),
            Event::Corrected(corrected) => self.details.clone_from(&corrected.details),
            Event::Deactivated(_) => self.is_active = false,
            // Only the timeline of the node shows it; the state does not change.
            Event::MicroDepositsFailed(_) => {}
        }
    }
}
