//! What is counted of anchors by this process.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Which anchor: as many as the command line names.
type OfAnchor = [(&'static str, String); 1];

/// What is in each anchor, as far as this process knows; clones count together.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    size: Family<OfAnchor, Gauge>,
    failures: Family<OfAnchor, Counter>,
}

impl Kept {
    /// Has `registry` show it.
    pub fn register(&self, registry: &mut Registry) {
        let help = "Events that the newest checkpoint covers which this process brought to an anchor";
        registry.register("anchor_size", help, self.size.clone());
        let help = "Checkpoints that an anchor did not take";
        registry.register("anchor_failures", help, self.failures.clone());
    }

    pub(super) fn kept(&self, anchor: &str, size: u64) {
        self.size.get_or_create(&of(anchor)).set(i64::try_from(size).unwrap_or(i64::MAX));
    }

    pub(super) fn failed(&self, anchor: &str) {
        self.failures.get_or_create(&of(anchor)).inc();
    }

    /// Shows `anchor` before anything came of it.
    pub fn expect(&self, anchor: &str) {
        self.kept(anchor, 0);
        let _ = self.failures.get_or_create(&of(anchor));
    }
}

fn of(anchor: &str) -> OfAnchor {
    [("anchor", anchor.to_owned())]
}
