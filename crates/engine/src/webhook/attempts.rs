//! Delivery attempts: subscription, event, time and outcome. The payload is not stored; it can be read from the log.

use daybook_domain::id::BoxId;
use daybook_domain::{Sealed, SubscriptionId};
use daybook_log::{Position, Shard};
use daybook_pg::Pg;
use tokio_postgres::Row;
use uuid::Uuid;

use super::{ReceiverResponse, WebhookError};

/// Retention of attempts in milliseconds: thirty days.
const RETENTION_MS: i64 = 30 * 24 * 3_600 * 1_000;

/// Number of attempts deleted by one statement.
const ATTEMPTS_PER_STATEMENT: i64 = 5_000;

/// A delivery attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Id of the attempt, a ULID with its time.
    pub id: u128,
    /// Subscription that was called.
    pub subscription: SubscriptionId,
    /// Position of the event.
    pub position: Position,
    /// Id of the event.
    pub event_id: u128,
    /// Number of the attempt, from 1; 0 if a person requested it.
    pub number: i16,
    /// Outcome, as one word.
    pub outcome: String,
    /// HTTP status of the response, if there was one.
    pub status: Option<u16>,
    /// Duration in milliseconds.
    pub took_ms: u32,
    /// Box with the first part of the response body, class profile of the platform's own user.
    pub beginning: Option<Sealed>,
}

impl Attempt {
    /// Returns the time of the attempt in milliseconds since the Unix epoch, taken from its id.
    #[must_use]
    pub fn at_ms(&self) -> u64 {
        u64::try_from(self.id >> 80).unwrap_or(u64::MAX)
    }

    /// Builds the attempt to deliver the event at `position` to `subscription`.
    fn of(
        id: u128,
        subscription: SubscriptionId,
        position: Position,
        number: i16,
        response: ReceiverResponse,
    ) -> Self {
        let ReceiverResponse { event_id, status, outcome, took, beginning, .. } = response;
        let took_ms = u32::try_from(took.as_millis()).unwrap_or(u32::MAX);
        // A box has an id already, and a row has only one id.
        let id = beginning.as_ref().map_or(id, |sealed| sealed.id.as_u128());
        let outcome = outcome.to_owned();
        Self { id, subscription, position, event_id, number, outcome, status, took_ms, beginning }
    }
}

/// Delivery attempts of all shards.
#[derive(Clone)]
pub struct Attempts {
    pg: Pg,
}

impl Attempts {
    /// Creates the store of attempts in the database of `pg`.
    #[must_use]
    pub fn new(pg: Pg) -> Self {
        Self { pg }
    }

    /// Stores the attempt `number` to deliver the event at `position` of `shard` to `subscription`, with the new id `id`.
    ///
    /// # Errors
    ///
    /// [`WebhookError`] if the database cannot be written.
    pub async fn record(
        &self,
        shard: Shard,
        (id, subscription): (u128, SubscriptionId),
        position: Position,
        number: i16,
        response: ReceiverResponse,
    ) -> Result<Attempt, WebhookError> {
        let attempt = Attempt::of(id, subscription, position, number, response);
        self.keep(shard, &attempt).await?;
        Ok(attempt)
    }

    async fn keep(&self, shard: Shard, attempt: &Attempt) -> Result<(), WebhookError> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/keep_attempt.sql")).await?;
        let subscription = Uuid::from(attempt.subscription);
        let (id, event_id) = (Uuid::from_u128(attempt.id), Uuid::from_u128(attempt.event_id));
        let position = super::bigint(attempt.position);
        let status = attempt.status.and_then(|status| i16::try_from(status).ok());
        let took = i32::try_from(attempt.took_ms).unwrap_or(i32::MAX);
        let sealed = attempt.beginning.as_ref().map(|sealed| sealed.bytes.to_vec());
        client
            .execute(
                &statement,
                &[
                    &shard,
                    &subscription,
                    &id,
                    &position,
                    &event_id,
                    &attempt.number,
                    &attempt.outcome,
                    &status,
                    &took,
                    &sealed,
                ],
            )
            .await?;
        Ok(())
    }

    /// Lists at most `limit` attempts for `subscriptions`, newest first. If `before` is given, only attempts before it.
    ///
    /// # Errors
    ///
    /// [`WebhookError`] if the database cannot be read.
    pub async fn list(
        &self,
        shard: Shard,
        subscriptions: &[SubscriptionId],
        before: Option<u128>,
        limit: u32,
    ) -> Result<Vec<Attempt>, WebhookError> {
        let ids: Vec<Uuid> = subscriptions.iter().map(Uuid::from).collect();
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/read_attempts.sql")).await?;
        let before = before.map(Uuid::from_u128);
        let rows = client.query(&statement, &[&shard, &ids, &before, &i64::from(limit)]).await?;
        rows.iter().map(attempt).collect()
    }

    /// Returns true if `subscription` accepted a delivery since the time of the id `since`.
    pub(super) async fn was_taken(
        &self,
        shard: Shard,
        subscription: SubscriptionId,
        since: u128,
    ) -> Result<bool, WebhookError> {
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/was_taken.sql")).await?;
        let (subscription, since) = (Uuid::from(subscription), Uuid::from_u128(since));
        Ok(client.query_one(&statement, &[&shard, &subscription, &since]).await?.try_get(0)?)
    }

    /// Deletes the attempts of `shard` that are more than thirty days older than `now_ms`.
    ///
    /// # Errors
    ///
    /// [`WebhookError`] if the database cannot be written.
    pub async fn purge(&self, shard: Shard, now_ms: i64) -> Result<(), WebhookError> {
        let first = Uuid::from_u128(id_at(now_ms.saturating_sub(RETENTION_MS)));
        let client = self.pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/purge.sql")).await?;
        while client.execute(&statement, &[&shard, &first, &ATTEMPTS_PER_STATEMENT]).await? > 0 {}
        Ok(())
    }
}

/// Returns the smallest id that can be created at a time.
pub(super) fn id_at(ms: i64) -> u128 {
    u128::from(ms.max(0).unsigned_abs()) << 80
}

fn attempt(row: &Row) -> Result<Attempt, WebhookError> {
    let id = row.try_get::<_, Uuid>("id")?.as_u128();
    let (status, sealed): (Option<i16>, Option<Vec<u8>>) = (row.try_get("status")?, row.try_get("sealed")?);
    let beginning = sealed.map(|bytes| Sealed { id: BoxId::from_u128(id), bytes: bytes.into() });
    Ok(Attempt {
        id,
        subscription: SubscriptionId::from(row.try_get::<_, Uuid>("subscription")?),
        position: row.try_get::<_, i64>("position")?.unsigned_abs(),
        event_id: row.try_get::<_, Uuid>("event_id")?.as_u128(),
        number: row.try_get("attempt")?,
        outcome: row.try_get("outcome")?,
        status: status.map(i16::unsigned_abs),
        took_ms: row.try_get::<_, i32>("took_ms")?.unsigned_abs(),
        beginning,
    })
}
