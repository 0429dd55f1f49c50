//! What happens to a platform.

use serde::{Deserialize, Serialize};

use crate::event::{Payload, events};
use crate::id::{NodeId, UserId};

events! { Platform:
    /// It was made, with a user and a reserve of its own.
    Opened = 1 v 1 "platform.opened",
}

/// The platform was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The company's name.
    pub name: String,
    /// Whether banks and identity checks are simulated.
    pub sandbox: bool,
    /// The platform's own user, made in the same commit.
    pub user: UserId,
    /// That user's RESERVE-US node, made in the same commit.
    pub reserve: NodeId,
}

impl Payload for Opened {}
