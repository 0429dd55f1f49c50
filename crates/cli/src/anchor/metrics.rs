//! Metrics of anchors in this process.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Label with the anchor. It has as many values as the command line names anchors.
type AnchorLabel = [(&'static str, String); 1];

/// State of each anchor as far as this process knows it. Clones share their counters.
#[derive(Clone, Debug, Default)]
pub struct AnchorMetrics {
    size: Family<AnchorLabel, Gauge>,
    failures: Family<AnchorLabel, Counter>,
}

impl AnchorMetrics {
    /// Adds the metrics to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        let help = "Events covered by the newest checkpoint that this process stored in an anchor";
        registry.register("anchor_size", help, self.size.clone());
        let help = "Checkpoints that could not be stored in an anchor";
        registry.register("anchor_failures", help, self.failures.clone());
    }

    pub(super) fn kept(&self, anchor: &str, size: u64) {
        self.size.get_or_create(&of(anchor)).set(i64::try_from(size).unwrap_or(i64::MAX));
    }

    pub(super) fn failed(&self, anchor: &str) {
        self.failures.get_or_create(&of(anchor)).inc();
    }

    /// Shows `anchor` before the first checkpoint was stored or failed.
    pub fn expect(&self, anchor: &str) {
        self.kept(anchor, 0);
        let _ = self.failures.get_or_create(&of(anchor));
    }
}

fn of(anchor: &str) -> AnchorLabel {
    [("anchor", anchor.to_owned())]
}
