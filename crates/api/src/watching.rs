//! What those who run the service see of its requests: counts, and a line in the log for each.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tracing::Span;

use crate::metrics::Metrics;

/// How requests are watched; clones watch together.
#[derive(Clone, Debug, Default)]
pub struct Watching {
    /// What is counted.
    pub metrics: Metrics,
    /// Whether every request leaves a line in the log, rather than only those that were denied.
    pub access_log: bool,
    /// Puts the span of a request below that of its caller, whom the header `traceparent` names; whoever takes spans knows how.
    pub continues: Option<fn(&Span, &str)>,
    stopping: Arc<AtomicBool>,
}

impl Watching {
    /// Says that the service is about to stop: it is not ready any more, and connections end with their next answer.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether the service is about to stop.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}
