//! Metrics of the projection in this process. Values that only the database knows are queried when metrics are read.

use std::time::Duration;

use daybook_log::Shard;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::error::Error;

/// Upper bounds of histograms of durations, in seconds: from a small part of a commit to the longest wait.
pub const SECONDS: [f64; 16] =
    [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Upper bounds of histograms of batch sizes.
pub const SIZES: [f64; 14] =
    [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0];

/// Metrics of the runners of one process. Clones share their values.
#[derive(Clone, Debug)]
pub struct Metrics {
    page_events: Histogram,
    page_seconds: Histogram,
    failures: Family<[(&'static str, &'static str); 1], Counter>,
    stopped: Family<[(&'static str, Shard); 1], Gauge>,
}

impl Default for Metrics {
    fn default() -> Self {
        let failures = Family::<[(&'static str, &'static str); 1], Counter>::default();
        for reason in ["outage", "event"] {
            let _ = failures.get_or_create(&[("reason", reason)]);
        }
        Self {
            page_events: Histogram::new(SIZES),
            page_seconds: Histogram::new(SECONDS),
            failures,
            stopped: Family::default(),
        }
    }
}

impl Metrics {
    /// Registers the metrics in `registry`.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "projection_page_events",
            "Events of a page that was projected",
            self.page_events.clone(),
        );
        registry.register(
            "projection_page_seconds",
            "Time to read, fold and write a page",
            self.page_seconds.clone(),
        );
        let help = "Pages that were not projected, by reason: an outage, or data that are invalid";
        registry.register("projection_failures", help, self.failures.clone());
        let help = "1 while an error that does not pass by itself stops the projection of this process";
        registry.register("projection_stopped", help, self.stopped.clone());
    }

    /// Counts a projected page with this number of events.
    pub(crate) fn moved(&self, events: usize, took: Duration) {
        #[allow(clippy::cast_precision_loss, reason = "no page has more events than a float counts exactly")]
        self.page_events.observe(events as f64);
        self.page_seconds.observe(took.as_secs_f64());
    }

    /// Records that the projection of a shard moves, or has nothing to do.
    pub(crate) fn record_progress(&self, shard: Shard) {
        self.stopped.get_or_create(&[("shard", shard)]).set(0);
    }

    /// Counts a page of a shard that was not projected.
    pub(crate) fn failed(&self, shard: Shard, error: &Error) {
        let is_outage = error.is_outage();
        let reason = if is_outage { "outage" } else { "event" };
        self.failures.get_or_create(&[("reason", reason)]).inc();
        self.stopped.get_or_create(&[("shard", shard)]).set(i64::from(!is_outage));
    }
}
