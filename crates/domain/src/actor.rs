//! Actors: who made something happen, and by which rules it was decided.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::{OperatorId, UserId};
use crate::text::stored_as_text;

/// The version of the rules that decide in this binary; stored with every step, so that a decision can be judged by
/// the rules of its day. Raised whenever a rule changes what is decided.
pub const RULES: u16 = 1;

/// Who made something happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Actor {
    /// Nobody asked: it was due.
    #[default]
    Process,
    /// A user.
    User(UserId),
    /// A platform, with its own credentials.
    Platform,
    /// A person who runs the ledger.
    Operator(OperatorId),
    /// A bank, by a file of its own.
    Bank,
}

/// A text that names no actor.
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

/// Where a step comes from: who, by which rules, and whether in earnest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Who made it happen.
    #[serde(default, skip_serializing_if = "is_process")]
    pub by: Actor,
    /// The version of the rules that decided: [`RULES`] of that day.
    pub rules: u16,
    /// Made by a call of the sandbox.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_process(actor: &Actor) -> bool {
    *actor == Actor::Process
}

impl Origin {
    /// It was due.
    pub const PROCESS: Self = Self::of(Actor::Process);

    /// Asked for by `by`.
    #[must_use]
    pub const fn of(by: Actor) -> Self {
        Self { by, rules: RULES, simulated: false }
    }

    /// A call of the sandbox, made by the platform.
    #[must_use]
    pub const fn simulated() -> Self {
        Self { by: Actor::Platform, rules: RULES, simulated: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_reads_back_from_its_name() {
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
    fn what_was_due_says_only_by_which_rules() {
        let json = serde_json::to_string(&Origin::PROCESS).expect("serializes");
        assert_eq!(json, r#"{"rules":1}"#);
        let simulated = r#"{"by":"platform","rules":1,"simulated":true}"#;
        assert_eq!(serde_json::from_str::<Origin>(simulated).ok(), Some(Origin::simulated()));
    }
}
