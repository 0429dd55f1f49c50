//! Retain: sets how long a user's records must be kept, and the legal hold, which prevents an erasure.

use serde::{Deserialize, Serialize};

use super::event::RetentionSet;
use super::{Refusal, find};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::decide::Decide;
use crate::id::{PlatformId, UserId};
use crate::state::States;
use crate::time::Timestamp;

/// Reason for a legal hold: nothing of the user may be erased, whatever else is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldReason {
    /// A lawsuit, pending or expected.
    Litigation,
    /// An investigation, by us or by an authority.
    Investigation,
    /// A request of a supervisor.
    Regulator,
}

/// Change of a legal hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldChange {
    /// The hold stays as it is.
    Stays,
    /// A hold is set.
    Set(HoldReason),
    /// The hold is removed.
    Released,
}

/// Obstacles to the erasure of a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retention {
    /// Time until which the records must be kept, if it is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The legal hold, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<HoldReason>,
}

impl Retention {
    /// Returns true if neither value is set.
    #[must_use]
    pub fn is_unset(&self) -> bool {
        *self == Self::default()
    }
}

/// Command to set the retention. A value that is `None` stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retain {
    /// The user.
    pub user: UserId,
    /// Platform of the user.
    pub platform: PlatformId,
    /// New time until which the records must be kept, later or earlier than before.
    pub until: Option<Timestamp>,
    /// Change of the legal hold.
    pub hold: HoldChange,
    /// Origin of the request.
    pub origin: Origin,
}

impl Decide for Retain {
    fn subject(&self) -> Key {
        self.user.into()
    }

    fn needs(&self, _: &impl States) -> Vec<Key> {
        vec![self.user.into()]
    }

    /// Decides. Equal values change nothing.
    fn decide(&self, states: &impl States, _: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
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
        Ok(if retention == user.retention { vec![] } else { vec![NewEvent::new(self.user, set)] })
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
    fn omitted_values_stay_unchanged() {
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
    fn foreign_user_is_unknown() {
        let foreign = Retain { platform: PlatformId::from_u128(2), ..retain(ANN, 1) };
        given([]).when(foreign).refused(Refusal::Unknown);
    }
}
