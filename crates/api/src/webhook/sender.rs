//! Delivers events to subscriptions by webhook calls.

use async_trait::async_trait;
use daybook_domain::{Sealed, SubscriptionId};
use daybook_engine::AnswerBeginning;
use daybook_engine::access::PlatformRecord;
use daybook_engine::webhook::{CallTimeout, Deliver, DeliveryResult, ReceiverResponse};
use daybook_outbound::Answer;
use daybook_vault::Class;
use tokio::sync::Semaphore;

use super::call::{Prepared, prepare};
use crate::app::App;
use crate::error::ApiError;

/// Maximum number of calls that are prepared at a time: they use the same database connections as requests.
const MAX_CONCURRENT_PREPARATIONS: usize = 3;

/// Sender of webhooks.
pub struct WebhookSender {
    app: App,
    preparation_permits: Semaphore,
}

impl WebhookSender {
    /// Makes a sender that uses the HTTP client of `app`.
    #[must_use]
    pub fn new(app: App) -> Self {
        Self { app, preparation_permits: Semaphore::new(MAX_CONCURRENT_PREPARATIONS) }
    }

    /// Delivers the event at `position` to `subscription`, and waits for the answer with the timeout `call_timeout`.
    ///
    /// # Errors
    ///
    /// The same as [`prepare`].
    pub async fn deliver(
        &self,
        shard: i16,
        subscription: SubscriptionId,
        position: u64,
        call_timeout: CallTimeout,
    ) -> Result<DeliveryResult, ApiError> {
        let now = self.app.engine.clock().now();
        let turn = self.preparation_permits.acquire().await;
        let prepared = prepare(&self.app, shard, subscription, position, now).await?;
        drop(turn);
        let Some(Prepared { event: event_id, call, platform, .. }) = prepared else {
            return Ok(DeliveryResult::Nothing);
        };
        let attempt = match call_timeout {
            CallTimeout::Full => self.app.client.call(&call).await,
            CallTimeout::Short => self.app.client.hurried().call(&call).await,
        };
        let (is_taken, is_silent) = (attempt.is_taken(), attempt.is_silent());
        let (status, outcome, beginning) = match attempt.outcome {
            Ok(answer) => {
                let outcome = if is_taken { "taken" } else { "refused" };
                (Some(answer.status), outcome, self.seal(&platform, &answer).await?)
            }
            Err(failure) => (None, failure.slug(), None),
        };
        let took = attempt.took;
        Ok(DeliveryResult::Called(ReceiverResponse {
            event_id,
            is_taken,
            is_silent,
            status,
            outcome,
            took,
            beginning,
        }))
    }

    /// Seals the beginning of an answer: a receiver may repeat personal data of the event in it.
    async fn seal(&self, platform: &PlatformRecord, answer: &Answer) -> Result<Option<Sealed>, ApiError> {
        if answer.beginning.is_empty() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&answer.beginning).into_owned();
        let sealer = self.app.sealer(platform, platform.user).await?;
        Ok(Some(sealer.seal(Class::Profile, &AnswerBeginning { text })?))
    }
}

#[async_trait]
impl Deliver for WebhookSender {
    async fn deliver(
        &self,
        shard: i16,
        subscription: SubscriptionId,
        position: u64,
        call_timeout: CallTimeout,
    ) -> Result<DeliveryResult, Box<dyn std::error::Error + Send + Sync>> {
        Self::deliver(self, shard, subscription, position, call_timeout)
            .await
            .map_err(|error| error.to_string().into())
    }
}
