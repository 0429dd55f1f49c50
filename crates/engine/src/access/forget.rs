//! Forget: who was erased calls no more. Keys, devices and generations of tokens go, in the tables and in memory.

use daybook_domain::UserId;
use daybook_log::Shard;
use daybook_pg::{Role, Transaction};
use uuid::Uuid;

use super::{Access, AccessError, lock};

/// What holds something about a user here.
const STATEMENTS: [&str; 3] = [
    include_str!("sql/delete_oauth_keys.sql"),
    include_str!("sql/delete_refresh.sql"),
    include_str!("sql/delete_fingerprints.sql"),
];

impl Access {
    /// Forgets all that lets `users` call. Keys that other processes remember they forget with
    /// [`Access::forget_sessions`].
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away; calling again is always safe.
    pub async fn forget(&self, shard: Shard, users: &[UserId]) -> Result<(), AccessError> {
        let ids: Vec<Uuid> = users.iter().map(Uuid::from).collect();
        let work = async |tx: &Transaction<'_>| {
            for sql in STATEMENTS {
                let statement = tx.prepare_cached(sql).await?;
                tx.execute(&statement, &[&shard, &ids]).await?;
            }
            Ok::<_, AccessError>(())
        };
        let done = self.pg.acting_as(Role::Eraser).tx("access.forget", work).await;
        self.forget_sessions();
        done
    }

    /// Forgets the keys that this process remembers; they are looked up again when somebody calls.
    pub fn forget_sessions(&self) {
        lock(&self.caches.sessions).clear();
    }
}
