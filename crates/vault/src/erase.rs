//! Crypto-shredding: the keys of subjects are destroyed, in the table and in memory, together with the subjects' tokens
//! in the blind index.

use std::sync::atomic::Ordering;

use daybook_pg::{Role, Transaction};
use uuid::Uuid;

use crate::{Error, Vault};

/// Numbers of stored keys and tokens of subjects: those that were destroyed, or those that are left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// Number of data keys, of all classes.
    pub keys: u64,
    /// Number of tokens of the blind index.
    pub tokens: u64,
}

impl Vault {
    /// Destroys all keys and tokens of `subjects`. A subject without keys is no error. When this returns, the deletion
    /// is committed and this process holds no key of them. Other processes drop theirs with [`Vault::forget`].
    ///
    /// # Errors
    ///
    /// [`Error::Database`]. Calling again is always safe.
    pub async fn erase(&self, shard: i16, subjects: &[Uuid]) -> Result<Traces, Error> {
        let work = async |tx: &Transaction<'_>| {
            // Keys first and tokens in a later statement: a process that adds tokens locks a key meanwhile.
            let keys = tx.prepare_cached(include_str!("sql/delete_keys.sql")).await?;
            let keys = tx.execute(&keys, &[&shard, &subjects]).await?;
            let tokens = tx.prepare_cached(include_str!("sql/delete_all_tokens.sql")).await?;
            let tokens = tx.execute(&tokens, &[&shard, &subjects]).await?;
            Ok::<_, daybook_pg::Error>(Traces { keys, tokens })
        };
        let destroyed = self.0.pg.of(shard).acting_as(Role::Eraser).tx("vault.erase", work).await;
        // Even if it is unknown if the deletion was committed.
        self.forget(shard, subjects);
        Ok(destroyed?)
    }

    /// Removes the keys of `subjects` from memory. Keys that are being read at this moment are not cached.
    pub fn forget(&self, shard: i16, subjects: &[Uuid]) {
        let mut cache = self.cache();
        self.0.epoch.fetch_add(1, Ordering::SeqCst);
        for subject in subjects {
            cache.pop(&(shard, *subject));
        }
    }

    /// Removes all keys of `shard` from memory. A process that cannot read its erasures must not trust any of them.
    pub fn forget_shard(&self, shard: i16) {
        let mut cache = self.cache();
        self.0.epoch.fetch_add(1, Ordering::SeqCst);
        let subjects: Vec<_> = cache.iter().map(|(key, _)| *key).filter(|(of, _)| *of == shard).collect();
        for key in subjects {
            cache.pop(&key);
        }
    }

    /// Counts the keys and tokens of `subject` that are left in the tables.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn traces(&self, shard: i16, subject: Uuid) -> Result<Traces, Error> {
        let client = self.0.pg.of(shard).client().await?;
        let sql = include_str!("sql/count_traces.sql");
        let statement = client.prepare_cached(sql).await.map_err(daybook_pg::Error::from)?;
        let row = client.query_one(&statement, &[&shard, &subject]).await.map_err(daybook_pg::Error::from)?;
        let count = |column: &str| row.try_get::<_, i64>(column).map(i64::unsigned_abs);
        let (keys, tokens) = (count("keys"), count("tokens"));
        let keys = keys.map_err(daybook_pg::Error::from)?;
        Ok(Traces { keys, tokens: tokens.map_err(daybook_pg::Error::from)? })
    }
}
