//! Erase: the keys of subjects are destroyed, in the table and in memory, with all that they are found by.

use std::sync::atomic::Ordering;

use daybook_pg::{Role, Transaction};
use uuid::Uuid;

use crate::{Error, Vault};

/// What there was of subjects before it was destroyed, or what is left of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// Data keys, of all classes.
    pub keys: u64,
    /// Tokens of the blind index.
    pub tokens: u64,
}

impl Vault {
    /// Destroys all keys of `subjects` and what they are found by; who has none has none afterwards. It is committed when
    /// this answers, and this process holds none any more. Others forget with [`Vault::forget`].
    ///
    /// # Errors
    ///
    /// [`Error::Database`]; calling again is always safe.
    pub async fn erase(&self, shard: i16, subjects: &[Uuid]) -> Result<Traces, Error> {
        let work = async |tx: &Transaction<'_>| {
            // Keys first and tokens in a later statement: whoever adds tokens holds on to a key meanwhile.
            let keys = tx.prepare_cached(include_str!("sql/delete_keys.sql")).await?;
            let keys = tx.execute(&keys, &[&shard, &subjects]).await?;
            let tokens = tx.prepare_cached(include_str!("sql/delete_all_tokens.sql")).await?;
            let tokens = tx.execute(&tokens, &[&shard, &subjects]).await?;
            Ok::<_, daybook_pg::Error>(Traces { keys, tokens })
        };
        let destroyed = self.0.pg.acting_as(Role::Eraser).tx("vault.erase", work).await;
        // Even if it is not known whether that was committed.
        self.forget(shard, subjects);
        Ok(destroyed?)
    }

    /// Forgets the keys of `subjects` in memory. What is being read at this moment is not remembered.
    pub fn forget(&self, shard: i16, subjects: &[Uuid]) {
        let mut cache = self.cache();
        self.0.epoch.fetch_add(1, Ordering::SeqCst);
        for subject in subjects {
            cache.pop(&(shard, *subject));
        }
    }

    /// Forgets all keys in memory: whoever cannot look who was erased trusts none.
    pub fn forget_all(&self) {
        let mut cache = self.cache();
        self.0.epoch.fetch_add(1, Ordering::SeqCst);
        cache.clear();
    }

    /// What is left of `subject` in the tables.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub async fn traces(&self, shard: i16, subject: Uuid) -> Result<Traces, Error> {
        let client = self.0.pg.client().await?;
        let sql = include_str!("sql/count_traces.sql");
        let statement = client.prepare_cached(sql).await.map_err(daybook_pg::Error::from)?;
        let row = client.query_one(&statement, &[&shard, &subject]).await.map_err(daybook_pg::Error::from)?;
        let count = |column: &str| row.try_get::<_, i64>(column).map(i64::unsigned_abs);
        let (keys, tokens) = (count("keys"), count("tokens"));
        let keys = keys.map_err(daybook_pg::Error::from)?;
        Ok(Traces { keys, tokens: tokens.map_err(daybook_pg::Error::from)? })
    }
}
