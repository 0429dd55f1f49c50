//! Refresh tokens: derived from user and generation by a keyed hash, so that no token is stored.
//!
//! A token is valid for ten calls of `/oauth`; then the next generation begins. The previous generation stays valid
//! until the next rotation, because clients still hold it between two calls (`docs/reference/api.md`, Authentication).

use std::collections::HashMap;

use daybook_domain::UserId;
use daybook_vault::{Purpose, ct_eq};
use uuid::Uuid;

use super::{Access, AccessError, PlatformRecord};

/// Number of calls of `/oauth` for which a generation is valid.
pub const MAX_REFRESH_USES: i32 = 10;

/// Generation of a user without any call of `/oauth`.
const FIRST_GENERATION: i32 = 1;

/// Result of checking a refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshTokenCheck {
    /// The token is valid.
    Good,
    /// The token is wrong or too old.
    Stale,
}

impl Access {
    /// Returns the current refresh token of each of `users`.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn refresh_tokens(
        &self,
        platform: &PlatformRecord,
        users: &[UserId],
    ) -> Result<HashMap<UserId, String>, AccessError> {
        let generations = self.generations(platform, users).await?;
        let token = |user: &UserId| {
            let generation = generations.get(user).copied().unwrap_or(FIRST_GENERATION);
            (*user, self.token(platform, *user, generation))
        };
        Ok(users.iter().map(token).collect())
    }

    /// Returns the first refresh token of a new user.
    #[must_use]
    pub fn first_refresh_token(&self, platform: &PlatformRecord, user: UserId) -> String {
        self.token(platform, user, FIRST_GENERATION)
    }

    /// Checks that `token` is the user's current or previous one. The use is not counted.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn check_refresh(
        &self,
        platform: &PlatformRecord,
        user: UserId,
        token: &str,
    ) -> Result<RefreshTokenCheck, AccessError> {
        let generations = self.generations(platform, &[user]).await?;
        let current = generations.get(&user).copied().unwrap_or(FIRST_GENERATION);
        let is_good = [current, current - 1].into_iter().any(|generation| {
            generation >= FIRST_GENERATION
                && ct_eq(self.token(platform, user, generation).as_bytes(), token.as_bytes())
        });
        Ok(if is_good { RefreshTokenCheck::Good } else { RefreshTokenCheck::Stale })
    }

    /// Counts one use. After the last use of a generation the next one begins.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn count_refresh(&self, platform: &PlatformRecord, user: UserId) -> Result<(), AccessError> {
        let client = self.pg.of(platform.shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/use_refresh.sql")).await?;
        let user = Uuid::from(user);
        client.execute(&statement, &[&platform.shard, &user, &MAX_REFRESH_USES]).await?;
        Ok(())
    }

    async fn generations(
        &self,
        platform: &PlatformRecord,
        users: &[UserId],
    ) -> Result<HashMap<UserId, i32>, AccessError> {
        let client = self.pg.of(platform.shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/find_refresh.sql")).await?;
        let ids: Vec<Uuid> = users.iter().map(Uuid::from).collect();
        let rows = client.query(&statement, &[&platform.shard, &ids]).await?;
        let read = |row: &tokio_postgres::Row| {
            Ok((UserId::from(row.try_get::<_, Uuid>("user_id")?), row.try_get("generation")?))
        };
        rows.iter().map(read).collect()
    }

    fn token(&self, platform: &PlatformRecord, user: UserId, generation: i32) -> String {
        let parts = [&user.as_u128().to_be_bytes()[..], &generation.to_be_bytes()];
        let mac = hex::encode(self.vault.mac(Purpose::RefreshToken, &parts));
        format!("refresh_{}_{mac}", platform.short_id)
    }
}
