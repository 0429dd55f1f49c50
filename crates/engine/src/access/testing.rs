//! Sessions that are in no table, for tests and benchmarks that need a session but have no database.

use std::time::{Duration, Instant};

use super::{Access, Session, lock};

/// Cache lifetime that exceeds any run without a database.
const ONE_DAY: Duration = Duration::from_hours(24);

impl Access {
    /// Caches a session for `key`, as if it had been read from the database, together with its platform. The platform's
    /// cache entry does not expire.
    pub fn remember(&self, key: &str, session: Session) {
        self.keep((*session.platform).clone(), Instant::now() + ONE_DAY);
        lock(&self.caches.sessions).put(self.key_hash(key), session);
    }
}
