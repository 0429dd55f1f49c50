//! The wall clock. No other module reads the system time.

use std::time::{SystemTime, UNIX_EPOCH};

use daybook_domain::Timestamp;

#[cfg(feature = "testing")]
thread_local! {
    /// Fixed time of this thread, set by a simulation.
    static STOPPED: std::cell::Cell<Option<Timestamp>> = const { std::cell::Cell::new(None) };
}

/// Reads the wall clock. Cheap to clone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock;

impl Clock {
    /// Returns the current time in whole milliseconds. A system clock before 1970 reads as 1970.
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

    /// Fixes the time of this thread at `at`.
    #[cfg(feature = "testing")]
    pub fn stop(at: Timestamp) {
        STOPPED.set(Some(at));
    }
}
