//! Retain: how long a user's records must be kept, and whether a court or an authority keeps them from being erased.

use serde::{Deserialize, Serialize};

use super::event::RetentionSet;
use super::{Refusal, find};
use crate::actor::Origin;
use crate::aggregate::{Fact, Key};
use crate::decide::Decide;
use crate::id::{PlatformId, UserId};
use crate::state::States;
use crate::time::Timestamp;

/// Why nothing of a user may be erased, whatever else is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldReason {
    /// A lawsuit, or one that is to be expected.
    Litigation,
    /// An investigation, of our own or of an authority.
    Investigation,
    /// A supervisor asked for it.
    Regulator,
}

/// What becomes of a legal hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldChange {
    /// It is as it was.
    Stays,
    /// From now on there is one.
    Set(HoldReason),
    /// From now on there is none.
    Released,
}

/// What stands between a user and its erasure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retention {
    /// Until when its records must be kept, if somebody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The legal hold, as long as there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<HoldReason>,
}

impl Retention {
    /// Whether nobody ever said anything.
    #[must_use]
    pub fn is_unset(&self) -> bool {
        *self == Self::default()
    }
}

/// Asks for another retention; what is not said stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retain {
    /// The user.
    pub user: UserId,
    /// The platform of the user.
    pub platform: PlatformId,
    /// Until when its records must be kept from now on: later than before or sooner.
    pub until: Option<Timestamp>,
    /// What becomes of the legal hold.
    pub hold: HoldChange,
    /// Who asks.
    pub origin: Origin,
}

impl Decide for Retain {
    fn subject(&self) -> Key {
        self.user.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.user.into()]
    }

    /// Decides. What is so already changes nothing.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<Fact>, crate::Refusal> {
        let user = find(states, self.platform, self.user)?;
        if user.erased.is_some() {
            return Err(Refusal::Erased.into());
        }
        let retention = Retention {
            until: self.until.or(user.retention.until),
            hold: match self.hold {
                HoldChange::Stays => user.retention.hold,
                HoldChange::Set(reason) => Some(reason),
                HoldChange::Released => None,
            },
        };
        let set = RetentionSet { retention, origin: self.origin };
        Ok(if retention == user.retention { vec![] } else { vec![Fact::new(self.user, set)] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixture::{ANN, release_hold, retain};
    use crate::testing::given;
    use crate::user::User;

    const HELD: HoldReason = HoldReason::Litigation;

    #[test]
    fn what_is_not_said_stays() {
        let held = Retain { hold: HoldChange::Set(HELD), until: None, ..retain(ANN, 0) };
        let world = given([retain(ANN, 70).into(), held.into()]);
        let retention = |until, hold| Some(Retention { until: Some(Timestamp::from_ms(until)), hold });
        assert_eq!(world.user(ANN).map(|user| user.retention), retention(70, Some(HELD)));
        let world = world.when(held).then([]);
        let world = world.when(retain(ANN, 60)).accepted();
        assert_eq!(world.user(ANN).map(|user| user.retention), retention(60, Some(HELD)));
        let world = world.when(release_hold(ANN)).accepted();
        assert_eq!(world.user(ANN).map(|user: &User| user.retention), retention(60, None));
    }

    #[test]
    fn a_user_of_another_platform_is_unknown() {
        let foreign = Retain { platform: PlatformId::from_u128(2), ..retain(ANN, 1) };
        given([]).when(foreign).refused(Refusal::Unknown);
    }
}
