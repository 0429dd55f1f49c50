//! Metrics of reads from replicas.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use super::fault::Fault;

/// Counters of reads, by the server that answered and the reason. Clones share them.
#[derive(Clone, Debug)]
pub struct ReplicaMetrics {
    reads: Family<[(&'static str, &'static str); 1], Counter>,
}

/// Values of the label: a replica answered, or the primary, because every replica was away or because of a fault.
const ANSWERED: [&str; 7] =
    ["replica", "away", "behind", "other_log", "nothing_known", "unavailable", "failed"];

impl Default for ReplicaMetrics {
    fn default() -> Self {
        let metrics = Self { reads: Family::default() };
        for answered in ANSWERED {
            drop(metrics.reads.get_or_create(&[("answered", answered)]));
        }
        metrics
    }
}

impl ReplicaMetrics {
    /// Adds the counters to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        let help =
            "Reads that a replica answered, and reads that the primary answered instead, by the reason";
        registry.register("replica_reads", help, self.reads.clone());
    }

    pub(super) fn replica_answers(&self) {
        self.count("replica");
    }

    /// Counts a read that the primary answered because no replica serves.
    pub(super) fn all_away(&self) {
        self.count("away");
    }

    /// Counts a read that the primary answered because of `fault`.
    pub(super) fn primary_answers(&self, fault: &Fault) {
        self.count(fault.as_str());
    }

    fn count(&self, answered: &'static str) {
        self.reads.get_or_create(&[("answered", answered)]).inc();
    }
}
