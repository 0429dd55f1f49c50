//! Events of a node.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Allowed, ChangeCode, Inapplicable, NodeKind};
use crate::actor::Origin;
use crate::calendar::ReturnCode;
use crate::event::{Payload, carries_a_box, events};
use crate::id::{PlatformId, TransactionId, UserId};
use crate::money::Currency;
use crate::platform::Limits;
use crate::sealed::Sealed;
use crate::transaction::Direction;

events! { Node:
    /// The node was created.
    Created = 20 v 1 "node.created",
    /// The node was locked: no money goes in or out until it is unlocked.
    Locked = 21 v 1 "node.locked",
    /// The node was unlocked: money may move again in the permitted directions.
    Unlocked = 22 v 1 "node.unlocked",
    /// The limits of the node were set.
    LimitsSet = 23 v 1 "node.limits_set",
    /// Two micro-deposits were sent to the node; the owner must report their amounts.
    MicroDepositsSent = 24 v 1 "node.micro_deposits_sent",
    /// Micro-deposits could not be sent: the reserve is at its floor or its limit, or the owner at its own limit.
    MicroDepositsFailed = 25 v 1 "node.micro_deposits_failed",
    /// The owner reported the amounts: money may be pulled from the node.
    MicroDepositsVerified = 26 v 1 "node.micro_deposits_verified",
    /// The owner reported wrong amounts.
    MicroDepositsMissed = 27 v 1 "node.micro_deposits_missed",
    /// The owner changed the labels of the node.
    Relabeled = 28 v 1 "node.relabeled",
    /// The owner deleted the node: no new transaction names it.
    Deactivated = 29 v 1 "node.deactivated",
    /// The two micro-deposits were sent to the node again.
    MicroDepositsResent = 31 v 1 "node.micro_deposits_resent",
    /// The owner reported or requested micro-deposits, but they do not apply to the node.
    MicroDepositsInapplicable = 32 v 1 "node.micro_deposits_inapplicable",
    /// A bank returned a pull as not authorized: nothing is pulled until there is a new authorization.
    AuthorizationEnded = 35 v 1 "node.authorization_ended",
    /// A bank corrected the account data of the node by a notification of change.
    Corrected = 36 v 1 "node.corrected",
}

/// The node was created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// Platform of the owner.
    pub platform: PlatformId,
    /// Owner of the node.
    pub user: UserId,
    /// Type of the node.
    pub kind: NodeKind,
    /// Directions in which money may move.
    pub allowed: Allowed,
    /// True if lists show the node. An inactive node can only be fetched by its id.
    pub is_active: bool,
    /// True if a call that debits the node must also carry the platform's own credentials.
    pub gateway_restricted: bool,
    /// Sealed box, class profile: nickname, numbers, names and addresses.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

carries_a_box!(Created.details);

/// The node was locked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locked {
    /// Code of the return that caused the lock, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ReturnCode>,
    /// Origin of the lock.
    pub origin: Origin,
}

impl Payload for Locked {}

/// The node was unlocked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unlocked {
    /// Origin of the unlock.
    pub origin: Origin,
}

impl Payload for Unlocked {}

/// The node's limits were set; they replace all earlier ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitsSet {
    /// The new limits, by currency.
    pub limits: BTreeMap<Currency, Limits>,
    /// Origin of the change.
    pub origin: Origin,
}

impl Payload for LimitsSet {}

/// Two micro-deposits were sent to the node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroDepositsSent {
    /// The transactions, in the order of the amounts.
    pub transactions: [TransactionId; 2],
    /// Minor units of USD: 1 to 100.
    pub amounts: [i64; 2],
}

impl Payload for MicroDepositsSent {}

/// Micro-deposits could not be sent: the reserve has too little money, or the permitted number is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroDepositsFailed {}

impl Payload for MicroDepositsFailed {}

/// The owner reported the amounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroDepositsVerified {}

impl Payload for MicroDepositsVerified {}

/// The owner reported wrong amounts. These are not stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroDepositsMissed {
    /// Number of wrong reports so far, this one included.
    pub attempts: u8,
}

impl Payload for MicroDepositsMissed {}

/// The labels of the node were changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relabeled {
    /// True if the platform's own id of the node (`supp_id`) changed.
    pub changes_supp_id: bool,
    /// Sealed box, class profile: all details of the node.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

carries_a_box!(Relabeled.details);

/// The node was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deactivated {
    /// Origin of the deletion.
    pub origin: Origin,
}

impl Payload for Deactivated {}

/// The two micro-deposits were sent to the node again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroDepositsResent {
    /// The transactions, in the order of the amounts.
    pub transactions: [TransactionId; 2],
    /// Minor units of USD: 1 to 100.
    pub amounts: [i64; 2],
    /// Number of resends so far, this one included.
    pub count: u8,
}

impl Payload for MicroDepositsResent {}

/// Micro-deposits do not apply to the node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroDepositsInapplicable {
    /// Reason for which they do not apply.
    pub reason: Inapplicable,
}

impl Payload for MicroDepositsInapplicable {}

/// The authorization to pull from the node ended with a return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthorizationEnded {
    /// Code of the return.
    pub code: ReturnCode,
    /// Origin of the return.
    pub origin: Origin,
}

impl Payload for AuthorizationEnded {}

/// A bank corrected the account data of the node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Corrected {
    /// Code of the notification of change.
    pub code: ChangeCode,
    /// Transaction whose entry the notification answers.
    pub transaction: TransactionId,
    /// Leg of the transaction that the entry was.
    pub leg: Direction,
    /// Origin of the correction.
    pub origin: Origin,
    /// Sealed box, class profile: all details of the node, corrected.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

carries_a_box!(Corrected.details);
