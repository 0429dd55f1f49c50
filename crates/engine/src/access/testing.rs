//! Sessions that are in no table, for whoever runs what needs one and has no database.

use super::{Access, Session, lock};

impl Access {
    /// Holds in memory who calls with `key`, as if it had been looked up.
    pub fn remember(&self, key: &str, session: Session) {
        lock(&self.caches.sessions).put(self.key_hash(key), session);
    }
}
