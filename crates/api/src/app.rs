//! State that all handlers share.

use std::sync::Arc;

use daybook_domain::calendar::Day;
use daybook_domain::id::BoxId;
use daybook_domain::user::{self, User};
use daybook_domain::{Refusal, UserId};
use daybook_engine::access::PlatformRecord;
use daybook_engine::feed::Feed;
use daybook_engine::webhook::Attempts;
use daybook_engine::{Audit, Engine, Sealer};
use daybook_outbound::guarded::Client;
use daybook_projector::Reads;
use uuid::Uuid;

use crate::body::Budget;
use crate::error::ApiError;
use crate::observability::Observability;
use crate::rate::RateLimiter;
use crate::render;
use crate::share::ResourceLimits;
use crate::wire::user::Ids;

/// State of the service that every handler receives; cheap to clone.
#[derive(Clone)]
pub struct App {
    /// Executes commands; gives access to the read models, the vault and the credentials.
    pub engine: Engine,
    /// Read models for answers; they may be read from replicas. Commands and credentials use those of the engine, which
    /// are read from the primary.
    pub reads: Reads,
    /// Makes checkpoints and proofs.
    pub audit: Audit,
    /// HTTP client that calls the subscriptions' receivers.
    pub client: Client,
    /// Attempts to deliver webhooks, with their results.
    pub attempts: Attempts,
    /// Feed of events for platforms that poll instead of receiving webhooks.
    pub feed: Feed,
    /// Memory budget of request bodies.
    pub bodies: Budget,
    /// Concurrency limits of proofs and of large answers.
    pub resource_limits: ResourceLimits,
    /// Rate limits of calls and of wrong credentials.
    pub rates: Arc<RateLimiter>,
    /// Logging, metrics and limits of the middleware that observes requests.
    pub observability: Observability,
    /// Base URL of `_links`: scheme, host and port, without a slash at the end. Configured; never taken from the
    /// request's `Host`.
    pub base_url: Arc<str>,
}

impl App {
    /// Returns the keys that seal and open the data of `user`.
    pub(crate) async fn sealer(&self, platform: &PlatformRecord, user: UserId) -> Result<Sealer, ApiError> {
        let subject = Uuid::from(user);
        let Some(keys) = self.engine.vault().keys(platform.shard, subject).await? else {
            let found =
                Box::pin(self.engine.reads().aggregates().records(platform.shard, &[user.into()])).await?;
            refuse_erased(render::user_of(&found, platform, user)?)?;
            return Err(ApiError::NotFound);
        };
        Ok(Sealer::new(keys, self.engine.clock().now(), self.engine.entropy()))
    }

    /// Returns the 128 bits of a new id.
    pub(crate) fn new_id(&self) -> u128 {
        self.engine.entropy().ulid(self.engine.clock().now())
    }

    /// Returns the generators of ids for new documents and attachments, and the current day.
    pub(crate) fn ids(&self) -> Ids<'_> {
        let entropy = self.engine.entropy();
        Ids {
            document: Box::new(move || entropy.bytes()),
            attachment: Box::new(|| self.new_id()),
            today: Day::of(self.engine.clock().now()),
        }
    }

    /// Returns a new id for a request, as the log shows it. All ids have the same spelling, whatever they name.
    pub(crate) fn request_id(&self) -> String {
        BoxId::from_u128(self.new_id()).to_string()
    }
}

/// Refuses an operation that needs the keys of a user if this user was erased.
pub(crate) fn refuse_erased(user: &User) -> Result<(), ApiError> {
    if user.erased.is_some() { Err(Refusal::User(user::Refusal::Erased).into()) } else { Ok(()) }
}
