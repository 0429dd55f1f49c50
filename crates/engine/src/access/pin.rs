//! PIN attempts: their limit per user. PINs are short, so every attempt is counted before it is checked, across all
//! devices and processes.

use daybook_domain::{Timestamp, UserId};
use daybook_pg::types::TimestampMs;
use uuid::Uuid;

use super::{Access, AccessError, PlatformRecord};

/// Maximum number of PIN attempts for a user in [`PIN_PERIOD_MS`].
pub const MAX_PIN_GUESSES: i32 = 5;

/// Length of the period in milliseconds, from the first attempt on: 15 minutes.
pub const PIN_PERIOD_MS: i64 = 900_000;

impl Access {
    /// Counts a PIN attempt for `user`. If there were too many, returns the milliseconds until the next attempt is
    /// allowed.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn take_pin_guess(
        &self,
        platform: &PlatformRecord,
        user: UserId,
        now: Timestamp,
    ) -> Result<Option<i64>, AccessError> {
        let client = self.pg.of(platform.shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/take_pin_guess.sql")).await?;
        let user = Uuid::from(user);
        let (at, over) = (TimestampMs(now.ms()), TimestampMs(now.plus_ms(-PIN_PERIOD_MS).ms()));
        let row = client.query_one(&statement, &[&platform.shard, &user, &at, &over]).await?;
        let (guesses, since): (i32, TimestampMs) = (row.try_get("pin_guesses")?, row.try_get("pin_since")?);
        let left = since.0.saturating_add(PIN_PERIOD_MS).saturating_sub(now.ms());
        Ok((guesses > MAX_PIN_GUESSES).then_some(left.max(0)))
    }

    /// Resets the count after a correct PIN.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn clear_pin_guesses(
        &self,
        platform: &PlatformRecord,
        user: UserId,
    ) -> Result<(), AccessError> {
        let client = self.pg.of(platform.shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/clear_pin_guesses.sql")).await?;
        client.execute(&statement, &[&platform.shard, &Uuid::from(user)]).await?;
        Ok(())
    }
}
