//! Actors: the party that caused an event, and the version of the rules that decided it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::{OperatorId, UserId};
use crate::text::stored_as_text;

/// Version of the decision rules in this binary. It is stored with every step, so that a decision can be judged by the
/// rules of its time. Raised whenever a rule changes the outcome of a decision.
pub const RULES: u16 = 1;

/// The party that caused an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Actor {
    /// The ledger itself: the step was due, and no caller requested it.
    #[default]
    Process,
    /// A user.
    User(UserId),
    /// A platform, by its own credentials.
    Platform,
    /// An operator: a person that runs the ledger.
    Operator(OperatorId),
    /// A bank, by a file that it sent.
    Bank,
}

/// Error of a text that names no actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an actor")]
pub struct ActorError;

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process => f.write_str("process"),
            Self::User(id) => write!(f, "user:{id}"),
            Self::Platform => f.write_str("platform"),
            Self::Operator(id) => write!(f, "operator:{id}"),
            Self::Bank => f.write_str("bank"),
        }
    }
}

impl FromStr for Actor {
    type Err = ActorError;
    fn from_str(text: &str) -> Result<Self, ActorError> {
        match text.split_once(':') {
            None if text == "process" => Ok(Self::Process),
            None if text == "platform" => Ok(Self::Platform),
            None if text == "bank" => Ok(Self::Bank),
            Some(("user", id)) => id.parse().map(Self::User).map_err(|_| ActorError),
            Some(("operator", id)) => id.parse().map(Self::Operator).map_err(|_| ActorError),
            _ => Err(ActorError),
        }
    }
}

stored_as_text!(Actor);

/// Origin of a step: the actor, the version of the rules, and a mark for simulated steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The actor that caused the step.
    #[serde(default, skip_serializing_if = "is_process")]
    pub by: Actor,
    /// Version of the rules that decided: [`RULES`] at that time.
    pub rules: u16,
    /// True if a call of the sandbox API caused the step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_process(actor: &Actor) -> bool {
    *actor == Actor::Process
}

impl Origin {
    /// Origin of a due step: the actor is [`Actor::Process`].
    pub const PROCESS: Self = Self::of(Actor::Process);

    /// Origin of a step that `by` requested.
    #[must_use]
    pub const fn of(by: Actor) -> Self {
        Self { by, rules: RULES, simulated: false }
    }

    /// Origin of a call of the sandbox API, made by the platform.
    #[must_use]
    pub const fn simulated() -> Self {
        Self { by: Actor::Platform, rules: RULES, simulated: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actor_reads_back_from_its_name() {
        let known = [
            Actor::Process,
            Actor::User(UserId::from_u128(1)),
            Actor::Platform,
            Actor::Operator(OperatorId::from_u128(2)),
            Actor::Bank,
        ];
        for actor in known {
            assert_eq!(actor.to_string().parse(), Ok(actor));
        }
        for text in ["", "user", "user:", "user:1", "operator:x", "process:1"] {
            assert_eq!(text.parse::<Actor>(), Err(ActorError), "{text}");
        }
    }

    #[test]
    fn process_origin_stores_only_rules_version() {
        let json = serde_json::to_string(&Origin::PROCESS).expect("serializes");
        assert_eq!(json, r#"{"rules":1}"#);
        let simulated = r#"{"by":"platform","rules":1,"simulated":true}"#;
        assert_eq!(serde_json::from_str::<Origin>(simulated).ok(), Some(Origin::simulated()));
    }
}
