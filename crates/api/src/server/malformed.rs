//! Malformed request heads: counted, and logged at most once a minute.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use tokio::time::Instant;

/// Minimum time between two lines in the log.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Counter of heads that could not be parsed; clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct MalformedHeads {
    count: Counter,
    told: Arc<Mutex<Option<LogLine>>>,
}

/// Time of the last line in the log, and the count at that time.
#[derive(Clone, Copy, Debug)]
struct LogLine {
    at: Instant,
    count: u64,
}

impl MalformedHeads {
    /// Makes a counter that adds to `count`.
    pub(super) fn new(count: Counter) -> Self {
        Self { count, told: Arc::default() }
    }

    /// Counts a malformed head.
    pub(super) fn count_one(&self) {
        let count = self.count.inc() + 1;
        if let Some(since) = self.due(count, Instant::now()) {
            tracing::warn!(since, count, "request heads were malformed, too large or too late");
        }
    }

    /// Returns the number of heads since the last line, if another line is due at `now`.
    fn due(&self, count: u64, now: Instant) -> Option<u64> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_some_and(|told| now < told.at + LOG_INTERVAL) {
            return None;
        }
        let before = told.replace(LogLine { at: now, count }).map_or(0, |told| told.count);
        Some(count.saturating_sub(before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_heads_are_logged_once_a_minute() {
        let (malformed, begun) = (MalformedHeads::default(), Instant::now());
        assert_eq!(malformed.due(1, begun), Some(1));
        assert_eq!((2..1_000).find_map(|count| malformed.due(count, begun)), None);
        assert_eq!(malformed.due(1_000, begun + LOG_INTERVAL), Some(999));
    }
}
