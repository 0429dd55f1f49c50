//! Sessions that are in no table, for whoever runs what needs one and has no database.

use std::time::{Duration, Instant};

use super::{Access, Session, lock};

/// Longer than a process without a database runs.
const LONG: Duration = Duration::from_hours(24);

impl Access {
    /// Holds in memory who calls with `key`, as if it had been looked up, and its platform, as if it were always read anew.
    pub fn remember(&self, key: &str, session: Session) {
        self.keep((*session.platform).clone(), Instant::now() + LONG);
        lock(&self.caches.sessions).put(self.key_hash(key), session);
    }
}
