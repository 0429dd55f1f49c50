//! What a user may do.

use serde::{Deserialize, Serialize};

/// A user's permission, as the API spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Permission {
    /// Identity not verified: no money moves.
    #[serde(rename = "UNVERIFIED")]
    Unverified,
    /// May receive, and send to the platform's own nodes.
    #[serde(rename = "RECEIVE")]
    Receive,
    /// May send and receive.
    #[serde(rename = "SEND-AND-RECEIVE")]
    SendAndReceive,
    /// Locked: no money moves until it is unlocked.
    #[serde(rename = "LOCKED")]
    Locked,
}

impl Permission {
    /// As the API spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unverified => "UNVERIFIED",
            Self::Receive => "RECEIVE",
            Self::SendAndReceive => "SEND-AND-RECEIVE",
            Self::Locked => "LOCKED",
        }
    }

    /// What an identity check can give, by this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Unverified, Self::Receive, Self::SendAndReceive]
            .into_iter()
            .find(|known| known.as_str() == name)
    }

    /// Whether money may come in.
    #[must_use]
    pub const fn may_receive(self) -> bool {
        match self {
            Self::Receive | Self::SendAndReceive => true,
            Self::Unverified | Self::Locked => false,
        }
    }

    /// Whether money may go out; `to_platform` says that it goes to a node of the platform's own user.
    #[must_use]
    pub const fn may_send(self, to_platform: bool) -> bool {
        match self {
            Self::SendAndReceive => true,
            Self::Receive => to_platform,
            Self::Unverified | Self::Locked => false,
        }
    }
}
