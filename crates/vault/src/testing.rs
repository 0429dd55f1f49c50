//! Keys that are in no table, for tests that have no database.

use crate::{SubjectKeys, Vault};

impl Vault {
    /// Caches `keys` in memory, as if they had been read from the table.
    pub fn remember(&self, shard: i16, keys: SubjectKeys) {
        self.cache().put((shard, keys.subject()), keys);
    }
}
