//! Permissions of users.

use super::Refusal;

use crate::named;

named! {
    /// Permission of a user, as the API spells it. The highest comes first: only an identity check leads upwards.
    pub enum Permission {
        /// May send and receive.
        SendAndReceive => "SEND-AND-RECEIVE",
        /// May receive, and send to the platform's own nodes.
        Receive => "RECEIVE",
        /// Identity not verified: no money moves.
        Unverified => "UNVERIFIED",
        /// Locked: no money moves until it is unlocked.
        Locked => "LOCKED",
        /// Closed for good: no money moves, and nothing is created.
        Closed => "CLOSED",
        /// Closed, and shown in no list.
        MakeItGoAway => "MAKE-IT-GO-AWAY",
    }
}

impl Permission {
    /// Returns true if an identity check can result in this permission.
    #[must_use]
    pub const fn is_found(self) -> bool {
        match self {
            Self::Unverified | Self::Receive | Self::SendAndReceive => true,
            Self::Locked | Self::Closed | Self::MakeItGoAway => false,
        }
    }

    /// Returns true if the user is closed for good.
    #[must_use]
    pub const fn is_closed(self) -> bool {
        match self {
            Self::Closed | Self::MakeItGoAway => true,
            Self::Unverified | Self::Receive | Self::SendAndReceive | Self::Locked => false,
        }
    }

    /// The lower of two permissions.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        if self.depth() < other.depth() { other } else { self }
    }

    /// Refuses unless `self` may become `wanted` without an identity check: downwards, and with the platform's own
    /// credentials from locked to unverified. A closed user stays closed.
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

    /// Returns true if money may come in.
    #[must_use]
    pub const fn may_receive(self) -> bool {
        match self {
            Self::Receive | Self::SendAndReceive => true,
            Self::Unverified | Self::Locked | Self::Closed | Self::MakeItGoAway => false,
        }
    }

    /// Returns true if money may go out; `to_platform` is true if it goes only to nodes of the platform's own user.
    #[must_use]
    pub const fn may_send(self, to_platform: bool) -> bool {
        match self {
            Self::SendAndReceive => true,
            Self::Receive => to_platform,
            Self::Unverified | Self::Locked | Self::Closed | Self::MakeItGoAway => false,
        }
    }
}
