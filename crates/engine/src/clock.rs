//! The wall clock: the only place that reads it.

use std::time::{SystemTime, UNIX_EPOCH};

use daybook_domain::Timestamp;

#[cfg(feature = "testing")]
thread_local! {
    /// What time it is for this thread, if a simulation says so.
    static STOPPED: std::cell::Cell<Option<Timestamp>> = const { std::cell::Cell::new(None) };
}

/// Tells the time; cheap to clone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock;

impl Clock {
    /// Now, in whole milliseconds. A clock before 1970 is read as 1970.
    #[must_use]
    #[allow(clippy::disallowed_methods, reason = "the one place")]
    pub fn now(&self) -> Timestamp {
        #[cfg(feature = "testing")]
        if let Some(at) = STOPPED.get() {
            return at;
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// From now on it is `at` for this thread.
    #[cfg(feature = "testing")]
    pub fn stop(at: Timestamp) {
        STOPPED.set(Some(at));
    }
}
