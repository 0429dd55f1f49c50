//! Node: an account object of the API, owned by a user; money held here, or a place outside.

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

pub use event::{
    AuthorizationEnded, Created, Deactivated, Event, LimitsSet, Locked, MicroDepositsFailed,
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
    /// Which way money may go at a node, as the API spells it.
    pub enum Allowed {
        /// In only.
        Credit => "CREDIT",
        /// In and out.
        CreditAndDebit => "CREDIT-AND-DEBIT",
        /// Neither, until it is unlocked.
        Locked => "LOCKED",
        /// Neither, for good: what a node allows that is not active.
        Inactive => "INACTIVE",
    }
}

impl Allowed {
    /// Whether money may go out.
    #[must_use]
    pub const fn debit(self) -> bool {
        match self {
            Self::CreditAndDebit => true,
            Self::Credit | Self::Locked | Self::Inactive => false,
        }
    }

    /// Whether money may come in.
    #[must_use]
    pub const fn credit(self) -> bool {
        match self {
            Self::Credit | Self::CreditAndDebit => true,
            Self::Locked | Self::Inactive => false,
        }
    }
}

/// A node as its events tell it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The platform of its owner.
    pub platform: PlatformId,
    /// Its owner.
    pub user: UserId,
    /// Its type.
    pub kind: NodeKind,
    /// Which way money may go when it is not locked; see [`Node::allowed`].
    pub permitted: Allowed,
    /// Locked by an operator, or by too many wrong guesses.
    pub is_locked: bool,
    /// Limits of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<Currency, Limits>,
    /// The micro-deposits that its owner shall tell, in minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micro_deposits: Option<[i64; 2]>,
    /// How often its owner told wrong ones.
    #[serde(default)]
    pub missed: u8,
    /// How often micro-deposits were sent again.
    #[serde(default)]
    pub resent: u8,
    /// Why micro-deposits are no question, if somebody was told so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noted: Option<Inapplicable>,
    /// The code of the return that it is locked for, if it is for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locked_for: Option<ReturnCode>,
    /// In the lists, or only to be fetched by its id.
    pub is_active: bool,
    /// Debited only by calls that also carry the platform's own credentials.
    pub gateway_restricted: bool,
    /// Box, class profile: nickname, numbers, names and addresses.
    pub details: Option<Sealed>,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Node {
    /// Which way money may go now.
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
            | Event::AuthorizationEnded(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, _at: Timestamp) {
        match event {
            // Only ever the first event of its stream.
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
                // What leads to a new authorization begins anew.
                (self.micro_deposits, self.missed, self.resent) = (None, 0, 0);
            }
            Event::MicroDepositsInapplicable(told) => self.noted = Some(told.reason),
            Event::Relabeled(relabeled) => self.details.clone_from(&relabeled.details),
            Event::Deactivated(_) => self.is_active = false,
            // What its timeline says; the node is as it was.
            Event::MicroDepositsFailed(_) => {}
        }
    }
}
