//! Rewrapping: after a change of the master key every key is wrapped again under the first master key of the ring,
//! batch by batch, while other processes read and write. The keys themselves stay the same, and keys that are wrapped
//! under the first master key already are skipped.

use uuid::Uuid;

use crate::derived::purpose;
use crate::key::data_key;
use crate::{Class, Entropy, Error, Vault};

/// Maximum number of data keys that one statement rewraps.
pub const KEYS_PER_STATEMENT: i64 = 500;

/// A place in the order of data keys: subject and class.
pub type RewrapCursor = (Uuid, i16);

/// Place before all data keys.
pub const START: RewrapCursor = (Uuid::nil(), 0);

/// Result of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewrapped {
    /// Number of keys that were examined.
    pub seen: u64,
    /// Number of keys that were wrapped under another master key.
    pub changed: u64,
    /// Place after which the next batch begins; `None` after the last batch.
    pub next: Option<RewrapCursor>,
}

impl Vault {
    /// Rewraps the data keys of `shard` after the place `after`, at most [`KEYS_PER_STATEMENT`].
    ///
    /// # Errors
    ///
    /// [`Error::Unwrapped`] if a key is wrapped under a master key that is not in the ring; [`Error::Database`].
    /// Calling again is always safe.
    pub async fn rewrap(
        &self,
        shard: i16,
        after: RewrapCursor,
        entropy: &Entropy<'_>,
    ) -> Result<Rewrapped, Error> {
        let client = self.0.pg.of(shard).client().await?;
        let first = self.0.ring.first();
        let name = first.name().as_slice();
        let sql = include_str!("sql/read_keys_after.sql");
        let rows = client.query(sql, &[&shard, &after.0, &after.1, &name, &KEYS_PER_STATEMENT]).await;
        let rows = rows.map_err(daybook_pg::Error::from)?;
        let mut next = None;
        let (mut subjects, mut classes, mut before, mut now) = (vec![], vec![], vec![], vec![]);
        for row in &rows {
            let subject: Uuid = row.try_get(0).map_err(daybook_pg::Error::from)?;
            let number: i16 = row.try_get(1).map_err(daybook_pg::Error::from)?;
            next = Some((subject, number));
            if row.try_get(3).map_err(daybook_pg::Error::from)? {
                continue;
            }
            let wrapped: &[u8] = row.try_get(2).map_err(daybook_pg::Error::from)?;
            let failed = || Error::Unwrapped { subject };
            let class = Class::from_number(number).ok_or_else(failed)?;
            let purpose = data_key(shard, subject, class);
            let key = self.0.ring.unwrap(&purpose, wrapped).ok_or_else(failed)?;
            subjects.push(subject);
            classes.push(number);
            before.push(wrapped);
            now.push(first.wrap(&purpose, &key, entropy)?);
        }
        let mut changed = 0;
        if !subjects.is_empty() {
            let sql = include_str!("sql/update_keys.sql");
            let done = client.execute(sql, &[&shard, &subjects, &classes, &before, &now, &name]).await;
            changed = done.map_err(daybook_pg::Error::from)?;
        }
        let is_last = rows.len() < usize::try_from(KEYS_PER_STATEMENT).unwrap_or(usize::MAX);
        Ok(Rewrapped { seen: rows.len() as u64, changed, next: next.filter(|_| !is_last) })
    }

    /// Rewraps the keys for hashes and tokens; returns the number of keys that were wrapped under another master key.
    ///
    /// # Errors
    ///
    /// Same as [`Vault::rewrap`].
    pub async fn rewrap_derived(&self, entropy: &Entropy<'_>) -> Result<u64, Error> {
        let client = self.0.pg.client().await?;
        let first = self.0.ring.first();
        let sql = include_str!("sql/read_derived_keys.sql");
        let rows = client.query(sql, &[]).await.map_err(daybook_pg::Error::from)?;
        let mut changed = 0;
        for row in rows {
            let name: &str = row.try_get(0).map_err(daybook_pg::Error::from)?;
            let wrapped: &[u8] = row.try_get(1).map_err(daybook_pg::Error::from)?;
            let master: &[u8] = row.try_get(2).map_err(daybook_pg::Error::from)?;
            if master == first.name().as_slice() {
                continue;
            }
            let failed = || Error::UnwrappedDerived { name: name.to_owned() };
            let key = self.0.ring.unwrap(&purpose(name), wrapped).ok_or_else(failed)?;
            let now = first.wrap(&purpose(name), &key, entropy)?;
            let sql = include_str!("sql/update_derived_key.sql");
            let done = client.execute(sql, &[&name, &wrapped, &now, &first.name().as_slice()]).await;
            changed += done.map_err(daybook_pg::Error::from)?;
        }
        Ok(changed)
    }
}
