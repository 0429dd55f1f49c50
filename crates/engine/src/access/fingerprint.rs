//! Device fingerprints: the devices from which a user calls. A fingerprint is any text, stored as a keyed hash.

use daybook_domain::{Timestamp, UserId};
use daybook_pg::types::TimestampMs;
use daybook_vault::{Purpose, ct_eq};
use uuid::Uuid;

use super::{Access, AccessError, PlatformRecord};

impl Access {
    /// Registers the device `fingerprint` for the user.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn register_fingerprint(
        &self,
        platform: &PlatformRecord,
        user: UserId,
        fingerprint: &str,
        now: Timestamp,
    ) -> Result<(), AccessError> {
        let client = self.pg.of(platform.shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/insert_fingerprint.sql")).await?;
        let hash = self.fingerprint_hash(user, fingerprint);
        let user = Uuid::from(user);
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&platform.shard, &user, &hash.as_slice(), &TimestampMs(now.ms())];
        client.execute(&statement, &parameters).await?;
        Ok(())
    }

    /// Returns true if the user may call from this device: the device is registered, or the user has no registered
    /// device. `fingerprint` is empty if the call names none.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn knows_fingerprint(
        &self,
        platform: &PlatformRecord,
        user: UserId,
        fingerprint: &str,
    ) -> Result<bool, AccessError> {
        let client = self.pg.of(platform.shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/find_fingerprints.sql")).await?;
        let hash = self.fingerprint_hash(user, fingerprint);
        let rows = client.query(&statement, &[&platform.shard, &Uuid::from(user)]).await?;
        let mut is_known = rows.is_empty();
        for row in &rows {
            is_known |= ct_eq(row.try_get("fingerprint")?, &hash);
        }
        Ok(is_known)
    }

    pub(super) fn fingerprint_hash(&self, user: UserId, fingerprint: &str) -> [u8; 32] {
        self.vault.mac(Purpose::Fingerprint, &[&user.as_u128().to_be_bytes(), fingerprint.as_bytes()])
    }
}
