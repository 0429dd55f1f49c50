//! Subscription: an address that a platform wants to be called at when something happens.

pub mod change;
pub mod create;
pub mod event;
pub mod notice;
pub mod refusal;
pub mod scope;
pub mod secret;
pub mod stop;

pub use event::{Changed, Created, Event};
pub use notice::Notice;
pub use refusal::Refusal;
pub use scope::Scope;
pub use secret::Rotation;
use serde::{Deserialize, Serialize};
pub use stop::{Stop, StopReason};

use crate::aggregate::{Aggregate, Kind};
use crate::id::PlatformId;
use crate::sealed::Sealed;
use crate::time::Timestamp;

/// A subscription as its events tell it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// The platform that wants to be called.
    pub platform: PlatformId,
    /// Whether it is called.
    pub is_active: bool,
    /// When it is called, as the platform listed it.
    pub scopes: Vec<Scope>,
    /// Box, class profile of the platform's own user: the address, which may hold a secret.
    pub url: Option<Sealed>,
    /// The last change of the secret that its calls are signed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Why it is not called any more, if that was not its platform's wish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Aggregate for Subscription {
    type Event = Event;
    const KIND: Kind = Kind::Subscription;

    fn begin(event: &Event, at: Timestamp) -> Option<Self> {
        match event {
            Event::Created(created) => Some(Self {
                platform: created.platform,
                is_active: true,
                scopes: created.scopes.clone(),
                url: created.url.clone(),
                rotation: None,
                stopped: None,
                created_at: at,
            }),
            Event::Changed(_) => None,
        }
    }

    fn evolve(&mut self, event: &Event, at: Timestamp) {
        match event {
            // Only ever the first event of its stream.
            Event::Created(_) => {}
            Event::Changed(changed) => {
                if let Some(is_active) = changed.is_active {
                    self.is_active = is_active;
                    self.stopped = changed.stopped.map(|reason| Stop { reason, at });
                }
                if let Some(scopes) = &changed.scopes {
                    self.scopes.clone_from(scopes);
                }
                if changed.url.is_some() {
                    self.url.clone_from(&changed.url);
                }
                if let Some(generation) = changed.secret_generation {
                    self.rotation = Some(Rotation { generation, at });
                }
            }
        }
    }
}
