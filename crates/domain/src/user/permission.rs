//! What a user may do.

use serde::{Deserialize, Serialize};

use super::Refusal;

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
    /// Closed for good: no money moves and nothing is made.
    #[serde(rename = "CLOSED")]
    Closed,
    /// Closed, and in no list.
    #[serde(rename = "MAKE-IT-GO-AWAY")]
    MakeItGoAway,
}

impl Permission {
    /// Every permission, the highest first: only an identity check leads upwards.
    pub const ALL: [Self; 6] = [
        Self::SendAndReceive,
        Self::Receive,
        Self::Unverified,
        Self::Locked,
        Self::Closed,
        Self::MakeItGoAway,
    ];

    /// As the API spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unverified => "UNVERIFIED",
            Self::Receive => "RECEIVE",
            Self::SendAndReceive => "SEND-AND-RECEIVE",
            Self::Locked => "LOCKED",
            Self::Closed => "CLOSED",
            Self::MakeItGoAway => "MAKE-IT-GO-AWAY",
        }
    }

    /// The permission with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }

    /// Whether an identity check can give it.
    #[must_use]
    pub const fn is_found(self) -> bool {
        match self {
            Self::Unverified | Self::Receive | Self::SendAndReceive => true,
            Self::Locked | Self::Closed | Self::MakeItGoAway => false,
        }
    }

    /// Whether it is for good.
    #[must_use]
    pub const fn is_closed(self) -> bool {
        match self {
            Self::Closed | Self::MakeItGoAway => true,
            Self::Unverified | Self::Receive | Self::SendAndReceive | Self::Locked => false,
        }
    }

    /// The lower of two.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if self.depth() < other.depth() { other } else { self }
    }

    /// Says no unless `self` may become `wanted` without an identity check: downwards, and with the platform's own
    /// credentials from locked to unverified. What is closed stays closed.
    pub(super) fn may_become(self, wanted: Self, by_gateway: bool) -> Result<(), Refusal> {
        let unlocks = by_gateway && (self, wanted) == (Self::Locked, Self::Unverified);
        if wanted.depth() >= self.depth() || unlocks {
            return Ok(());
        }
        Err(if self.is_closed() { Refusal::Closed } else { Refusal::CannotRaise })
    }

    fn depth(self) -> Option<usize> {
        Self::ALL.iter().position(|known| *known == self)
    }

    /// Whether money may come in.
    #[must_use]
    pub const fn may_receive(self) -> bool {
        match self {
            Self::Receive | Self::SendAndReceive => true,
            Self::Unverified | Self::Locked | Self::Closed | Self::MakeItGoAway => false,
        }
    }

    /// Whether money may go out; `to_platform` says that it goes to a node of the platform's own user.
    #[must_use]
    pub const fn may_send(self, to_platform: bool) -> bool {
        match self {
            Self::SendAndReceive => true,
            Self::Receive => to_platform,
            Self::Unverified | Self::Locked | Self::Closed | Self::MakeItGoAway => false,
        }
    }
}
