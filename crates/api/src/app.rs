//! The only state that handlers share.

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
use uuid::Uuid;

use crate::body::Budget;
use crate::error::ApiError;
use crate::rate::Rates;
use crate::render;
use crate::share::Allowances;
use crate::watching::Watching;
use crate::wire::user::Ids;

/// What every handler works with; cheap to clone.
#[derive(Clone)]
pub struct App {
    /// Takes commands; knows the read models, the vault and who may call.
    pub engine: Engine,
    /// Makes checkpoints and proofs.
    pub audit: Audit,
    /// Calls those who subscribed.
    pub client: Client,
    /// What came of such calls.
    pub attempts: Attempts,
    /// The same for those who ask instead of being called.
    pub feed: Feed,
    /// The budget of bodies.
    pub bodies: Budget,
    /// Bounds of proofs and of large answers.
    pub allowances: Allowances,
    /// Counts who calls, and who is wrong about credentials.
    pub rates: Arc<Rates>,
    /// How requests are watched.
    pub watching: Watching,
    /// What `_links` begin with: scheme, host and port, without a slash at the end. Never the request's Host.
    pub base_url: Arc<str>,
}

impl App {
    /// Keys to seal and open what is about `user`.
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

    /// The 128 bits of a new id.
    pub(crate) fn new_id(&self) -> u128 {
        self.engine.entropy().ulid(self.engine.clock().now())
    }

    /// Ids of what comes in a body, and the day on which it comes.
    pub(crate) fn ids(&self) -> Ids<'_> {
        let entropy = self.engine.entropy();
        Ids {
            document: Box::new(move || entropy.bytes()),
            attachment: Box::new(|| self.new_id()),
            today: Day::of(self.engine.clock().now()),
        }
    }

    /// Names a request in the log. Ids are written in one way, whatever they name.
    pub(crate) fn request_id(&self) -> String {
        BoxId::from_u128(self.new_id()).to_string()
    }
}

/// Says no to what needs the keys of a user who was erased.
pub(crate) fn refuse_erased(user: &User) -> Result<(), ApiError> {
    if user.erased.is_some() { Err(Refusal::User(user::Refusal::Erased).into()) } else { Ok(()) }
}
