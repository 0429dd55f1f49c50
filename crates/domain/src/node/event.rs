//! What happens to a node.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Allowed, Inapplicable, NodeKind};
use crate::actor::Origin;
use crate::calendar::ReturnCode;
use crate::event::{Payload, carries_a_box, events};
use crate::id::{PlatformId, TransactionId, UserId};
use crate::money::Currency;
use crate::platform::Limits;
use crate::sealed::Sealed;

events! { Node:
    /// It was made.
    Created = 20 v 1 "node.created",
    /// No money goes in or out until it is unlocked.
    Locked = 21 v 1 "node.locked",
    /// Money may go again as the node allows.
    Unlocked = 22 v 1 "node.unlocked",
    /// Its limits were set.
    LimitsSet = 23 v 1 "node.limits_set",
    /// Two small amounts were sent to it, which its owner shall tell.
    MicroDepositsSent = 24 v 1 "node.micro_deposits_sent",
    /// They could not be sent: the reserve is at its floor or its limit, or the owner at its own.
    MicroDepositsFailed = 25 v 1 "node.micro_deposits_failed",
    /// Its owner told them: money may be pulled from it.
    MicroDepositsVerified = 26 v 1 "node.micro_deposits_verified",
    /// Its owner told wrong amounts.
    MicroDepositsMissed = 27 v 1 "node.micro_deposits_missed",
    /// Its owner calls it something else.
    Relabeled = 28 v 1 "node.relabeled",
    /// Its owner deleted it: no new transaction names it.
    Deactivated = 29 v 1 "node.deactivated",
    /// The two small amounts were sent to it again.
    MicroDepositsResent = 31 v 1 "node.micro_deposits_resent",
    /// Its owner told them or wanted them again, and they are no question.
    MicroDepositsInapplicable = 32 v 1 "node.micro_deposits_inapplicable",
    /// A bank sent a pull back as not authorized: nothing is pulled until there is a new authorization.
    AuthorizationEnded = 35 v 1 "node.authorization_ended",
}

/// The node was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Created {
    /// The platform of its owner.
    pub platform: PlatformId,
    /// Its owner.
    pub user: UserId,
    /// Its type.
    pub kind: NodeKind,
    /// Which way money may go.
    pub allowed: Allowed,
    /// In the lists, or only to be fetched by its id.
    pub is_active: bool,
    /// Debited only by calls that also carry the platform's own credentials.
    pub gateway_restricted: bool,
    /// Box, class profile: nickname, numbers, names and addresses.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

carries_a_box!(Created.details);

/// The node was locked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locked {
    /// The code of the return that it was locked for, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ReturnCode>,
    /// Who locked it.
    pub origin: Origin,
}

impl Payload for Locked {}

/// The node was unlocked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unlocked {
    /// Who unlocked it.
    pub origin: Origin,
}

impl Payload for Unlocked {}

/// The node's limits were set, as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitsSet {
    /// From now on, by currency.
    pub limits: BTreeMap<Currency, Limits>,
    /// Who set them.
    pub origin: Origin,
}

impl Payload for LimitsSet {}

/// Two small amounts were sent to the node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroDepositsSent {
    /// The transactions, in the order of the amounts.
    pub transactions: [TransactionId; 2],
    /// Minor units of USD: 1 to 100.
    pub amounts: [i64; 2],
}

impl Payload for MicroDepositsSent {}

/// The reserve had too little left for them, or as many were sent as may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroDepositsFailed {}

impl Payload for MicroDepositsFailed {}

/// The owner told the amounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroDepositsVerified {}

impl Payload for MicroDepositsVerified {}

/// The owner told wrong amounts, which are not kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroDepositsMissed {
    /// How often by now.
    pub attempts: u8,
}

impl Payload for MicroDepositsMissed {}

/// The node has other labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relabeled {
    /// The platform's own id for it is another one.
    pub changes_supp_id: bool,
    /// Box, class profile: all of its details.
    #[serde(skip)]
    pub details: Option<Sealed>,
}

carries_a_box!(Relabeled.details);

/// The node was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deactivated {
    /// Who deleted it.
    pub origin: Origin,
}

impl Payload for Deactivated {}

/// The two small amounts were sent to the node again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroDepositsResent {
    /// The transactions, in the order of the amounts.
    pub transactions: [TransactionId; 2],
    /// Minor units of USD: 1 to 100.
    pub amounts: [i64; 2],
    /// How often by now.
    pub count: u8,
}

impl Payload for MicroDepositsResent {}

/// Micro-deposits are no question for the node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MicroDepositsInapplicable {
    /// Why.
    pub reason: Inapplicable,
}

impl Payload for MicroDepositsInapplicable {}

/// The authorization to pull from the node ended with a return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthorizationEnded {
    /// The code of the return.
    pub code: ReturnCode,
    /// Who sent the entry back.
    pub origin: Origin,
}

impl Payload for AuthorizationEnded {}
