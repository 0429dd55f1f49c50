//! Keys that are in no table, for whoever runs what works with them and has no database.

use crate::{SubjectKeys, Vault};

impl Vault {
    /// Holds `keys` in memory, as if they had been read.
    pub fn remember(&self, shard: i16, keys: SubjectKeys) {
        self.cache().put((shard, keys.subject()), keys);
    }
}
