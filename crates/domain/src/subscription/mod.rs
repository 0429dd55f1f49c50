//! Subscription: a webhook, an address that is called when an event of its scopes happens.

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

/// State of a subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// The platform that subscribes.
    pub platform: PlatformId,
    /// True if the address is called.
    pub is_active: bool,
    /// Scopes as the platform listed them: the occasions on which the address is called.
    pub scopes: Vec<Scope>,
    /// Sealed box, class profile, of the platform's own user: the address, which may hold a secret.
    pub url: Option<Sealed>,
    /// Last change of the secret that signs the calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Stop that the platform did not request, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
    /// Time of creation.
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
            // Always the first event of its stream.
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
