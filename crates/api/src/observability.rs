//! Observation of requests for operators: metrics, and a line in the log per request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tracing::Span;

use crate::metrics::Metrics;

/// Settings and metrics for observing requests; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Observability {
    /// Metrics of requests.
    pub metrics: Metrics,
    /// True if each request is logged; otherwise only denied requests are.
    pub access_log: bool,
    /// Function that makes the request's span a child of the caller's span, which the header `traceparent` names. Set
    /// by the exporter of spans.
    pub continues: Option<fn(&Span, &str)>,
    stopping: Arc<AtomicBool>,
}

impl Observability {
    /// Announces that the service is stopping: it is not ready, and connections end with their next answer.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Returns true if the service is stopping.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}
