//! Removal of erased users' credentials: OAuth keys, fingerprints and refresh-token generations, in the tables and in
//! memory.

use daybook_domain::UserId;
use daybook_log::Shard;
use daybook_pg::{Role, Transaction};
use uuid::Uuid;

use super::{Access, AccessError, lock};

/// Statements that delete a user's rows from the access tables.
const STATEMENTS: [&str; 3] = [
    include_str!("sql/delete_oauth_keys.sql"),
    include_str!("sql/delete_refresh.sql"),
    include_str!("sql/delete_fingerprints.sql"),
];

impl Access {
    /// Deletes all credentials of `users`. Other processes drop their cached keys with
    /// [`Access::forget_sessions`].
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable. Calling again is always safe.
    pub async fn forget(&self, shard: Shard, users: &[UserId]) -> Result<(), AccessError> {
        let ids: Vec<Uuid> = users.iter().map(Uuid::from).collect();
        let work = async |tx: &Transaction<'_>| {
            for sql in STATEMENTS {
                let statement = tx.prepare_cached(sql).await?;
                tx.execute(&statement, &[&shard, &ids]).await?;
            }
            Ok::<_, AccessError>(())
        };
        let done = self.pg.of(shard).acting_as(Role::Eraser).tx("access.forget", work).await;
        self.forget_sessions(shard);
        done
    }

    /// Drops the OAuth keys of a shard that this process caches. They are read again at the next call.
    pub fn forget_sessions(&self, shard: Shard) {
        let mut sessions = lock(&self.caches.sessions);
        let of_shard = sessions.iter().filter(|(_, session)| session.platform.shard == shard);
        for hash in of_shard.map(|(hash, _)| *hash).collect::<Vec<_>>() {
            sessions.pop(&hash);
        }
    }
}
